// What was sent: all of it, one day of it, or the days from one to another.
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Core } from '../core.ts';
import type { Tables } from '../database/db.ts';
import { viewPage } from '../http/fields.ts';
import type { Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { dayQuery, rangeQuery, readRange, readSpan, type Span } from './days.ts';
import { reads, showPage, type SmsPage } from './fields.ts';
import { historyQuery, smsMessage, viewMessage } from './message-view.ts';
import { findPage } from './page.ts';

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
      const { batchId, estado: status, numeroDestino: phone } = query;
      const isAsked: Filter = (eb) =>
        eb.and([
          ...(batchId ? [eb('batchId', '=', batchId)] : []),
          ...(status ? [eb('status', '=', status)] : []),
          ...(phone ? [eb('phone', '=', phone)] : []),
        ]);
      return listMessages(core, caller.merchantId, query, isAsked);
    },
  });
}

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

type Search = { span: Span; page: SmsPage };

function searchMessages(core: Core, merchantId: string, { span: { from, to }, page }: Search): Promise<Answer> {
  const isWithin: Filter = (eb) => eb.and([eb('listedAt', '>=', from), eb('listedAt', '<', to)]);
  return listMessages(core, merchantId, page, isWithin);
}

type Filter = (eb: ExpressionBuilder<Tables, 'sms_messages'>) => Expression<SqlBool>;

async function listMessages(core: Core, merchantId: string, page: SmsPage, filter: Filter): Promise<Answer> {
  const { rows, total } = await findPage(
    core,
    page,
    (tables) =>
      tables
        .selectFrom('sms_messages')
        .where('merchantId', '=', merchantId)
        .where('listedAt', 'is not', null)
        .where(filter),
    (messages) => messages.selectAll().select(readSending).orderBy('listedAt', 'desc').orderBy('id', 'desc'),
  );
  return { status: 200, body: showPage(rows.map(viewMessage), page, total) };
}

/** What a message has of its sending. */
function readSending(eb: ExpressionBuilder<Tables, 'sms_messages'>) {
  const sending = eb.selectFrom('sms_batches as b').whereRef('b.id', '=', 'sms_messages.batchId');
  return [
    sending.select('b.sender').$asScalar().as('sender'),
    eb.fn.coalesce('sms_messages.content', sending.select('b.content').$asScalar()).as('text'),
  ] as const;
}
