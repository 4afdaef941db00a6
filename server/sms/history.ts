// What was sent: all of it, one day of it, or the days from one to another.
import type { Core } from '../core.ts';
import { viewPage } from '../http/paging.ts';
import { route, type Answer, type Route } from '../http/route.ts';
import { dayQuery, rangeQuery, readRange, readSpan, type Span } from './days.ts';
import { SmsMessage } from './entities.ts';
import { reads, showPage } from './fields.ts';
import { historyQuery, smsMessage, viewMessage, type ListedMessage } from './message-view.ts';
import { findPage, type Asked } from './page.ts';

/** The endpoints of the history. */
export function historyRoutes(core: Core): Route[] {
  return [declareList(core), declareSearchDay(core), declareSearchRange(core)];
}

const aPage = { 200: { description: 'A page', schema: viewPage.schema(smsMessage) } };

function declareList(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Envio/ListarSmsEnviadas',
    operationId: 'listSentSms',
    summary: 'List sent SMS, newest first',
    description: 'Those on their way too (`Pendente`). Scheduled ones are here from their minute on.',
    query: historyQuery,
    answers: aPage,
    run({ caller, query }) {
      const values: unknown[] = [caller.merchantId];
      const filters = FILTERS.flatMap(([name, column]) => {
        const value = query[name];
        return value === undefined ? [] : [`${column} = $${values.push(value)}`];
      });
      return listMessages(core, { where: [LISTED, ...filters].join(' and '), values, page: query });
    },
  });
}

const LISTED = 'merchant_id = $1 and listed_at is not null';

const FILTERS = [
  ['batchId', 'batch_id'],
  ['estado', 'status'],
  ['numeroDestino', 'phone'],
] as const;

function declareSearchDay(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Envio/PesquisarSMSEnviados',
    operationId: 'searchSentSms',
    summary: 'Find the SMS that were sent on a day',
    description: 'A day in Luanda, from midnight to midnight. The newest first.',
    query: dayQuery,
    answers: aPage,
    run: ({ caller, query }) => searchMessages(core, caller.merchantId, { span: readSpan(query), page: query }),
  });
}

function declareSearchRange(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Envio/pesquisarEnviosPorIntervaloDeDatas',
    operationId: 'searchSentSmsInRange',
    summary: 'Find the SMS that were sent from one day to another',
    description: 'Days in Luanda; both count, and the last is at most one year after the first. The newest first.',
    query: rangeQuery,
    answers: aPage,
    run: ({ caller, query }) => searchMessages(core, caller.merchantId, { span: readRange(query), page: query }),
  });
}

type Search = { span: Span; page: Asked['page'] };

function searchMessages(core: Core, merchantId: string, { span: { from, to }, page }: Search): Promise<Answer> {
  const where = `${LISTED} and listed_at >= $2 and listed_at < $3`;
  return listMessages(core, { where, values: [merchantId, from, to], page });
}

const ofBatch = (column: string) => `(select b.${column} from sms_batches b where b.id = sms_messages.batch_id)`;

/** What a message has of its sending, in the same statement. */
const ALSO = [`${ofBatch('sender')} as sender`, `coalesce(content, ${ofBatch('content')}) as text`];

async function listMessages(core: Core, asked: Pick<Asked, 'where' | 'values' | 'page'>): Promise<Answer> {
  const { rows, total } = await findPage<SmsMessage, ListedMessage>(core, SmsMessage, {
    ...asked,
    order: 'listed_at desc, id desc',
    also: ALSO,
  });
  return { status: 200, body: showPage(rows.map(viewMessage), asked.page, total) };
}
