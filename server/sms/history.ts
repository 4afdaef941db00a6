// Endpoints of the SMS history: list, search by one day, search by a range of days.
import type { ExpressionBuilder, Kysely } from 'kysely';
import { z } from 'zod';
import { addDays, isDay, startOf } from '../../shared/luanda.ts';
import type { Core } from '../core.ts';
import { readNewestFirst } from '../exports/batches.ts';
import type { Tables } from '../database/db.ts';
import { fault } from '../http/validate.ts';
import type { RuleName } from '../../shared/field-rules.ts';
import { day as isoDay, oneOf, documentedAs, viewPage, uuidText, matching } from '../http/fields.ts';
import type { Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import type { Span as OpenSpan } from '../lists/spans.ts';
import { SMS_MESSAGES } from '../database/functions/counted-lists.ts';
import { MESSAGE_STATUSES, type SmsMessage } from './entities.ts';
import { COLUMNS, STATUS_WORDS, STATUSES, WORD_BY_STATUS } from './history-fields.ts';
import { optOutUrlOf } from './opt-outs/endings.ts';
import { findPage, phoneText, reads, showPage, smsPage, type SmsPage } from './fields.ts';

const luandaDay = isoDay.optional();

/** Query of `GET /api/Envio/ListarSmsEnviadas`. */
const historyQuery = z
  .object({
    ...smsPage,
    desde: luandaDay.describe('Only messages from this day in Luanda on, such as 2026-11-30'),
    ate: luandaDay.describe('Only messages up to the end of this day in Luanda'),
    batchId: uuidText.optional().describe('Only messages of this batch'),
    estado: oneOf(STATUS_WORDS)
      .transform((word) => (word ? STATUSES[word] : undefined))
      .meta({ ...documentedAs({ type: 'string', enum: STATUS_WORDS }), description: 'Only messages in this status' }),
    numeroDestino: phoneText.optional().describe('Only messages to this number, in any usual format'),
  })
  .refine(({ desde, ate }) => !desde || !ate || desde <= ate, { path: ['ate'], ...fault('range_reversed') });

/** An SMS with sender and text of its batch, and the code of the recipient's opt-out page. */
type ListedMessage = SmsMessage & { sender: string; text: string; code: string | null };

function viewMessage(core: Core, message: ListedMessage) {
  return {
    id: message.id,
    batchId: message.batchId,
    numeroDestino: message.phone,
    remetente: message.sender,
    conteudo: message.text,
    partes: message.parts,
    estado: WORD_BY_STATUS[message.status],
    enviadoEm: message.sentAt ?? null,
    entregueEm: message.deliveredAt ?? null,
    motivoFalha: message.failure ?? null,
    paginaRecusa: message.code && optOutUrlOf(core, message.code),
  };
}

export const smsMessage = z
  .object({
    id: z.uuid(),
    batchId: z.uuid().describe('The batch: all messages of one request'),
    numeroDestino: z.string().describe('E.164'),
    remetente: z.string(),
    conteudo: z.string().describe('The sent text, with all values filled in'),
    partes: z.int().describe('Parts, which is also the price in units'),
    estado: z
      .enum(STATUS_WORDS)
      .describe(
        'Pendente: not yet sent to the network · Enviado: accepted by the network · Entregue: delivered to the phone ' +
          '· Falhado: not delivered, and its units were refunded',
      ),
    enviadoEm: z.iso.datetime().nullable(),
    entregueEm: z.iso.datetime().nullable(),
    motivoFalha: z.string().nullable().describe('Reason of the failure'),
    paginaRecusa: z
      .url()
      .nullable()
      .describe('The recipient’s opt-out page; null if all your messages to this number could be answered'),
  })
  .meta({ id: 'SentSms' });

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
    description: 'Includes messages that are not sent yet (`Pendente`). Scheduled messages appear at their minute.',
    query: historyQuery,
    answers: aPage,
    csv: {
      name: { pt: 'sms-enviadas', en: 'sent-sms', fr: 'sms-envoyes' },
      columns: COLUMNS,
      async *rows({ caller, query }) {
        const list = readNewestFirst(core, core.clock.now(), { at: 'listedAt', id: 'id' }, (tables) =>
          listOwn(tables, caller.merchantId, { ...query, ...spanOfQuery(query) })
            .select(['listedAt', 'sentAt', 'deliveredAt', 'id', 'batchId', 'phone', 'parts', 'status', 'failure'])
            .select(selectBatchFields),
        );
        for await (const rows of list) yield rows.map((row) => ({ ...row, estado: WORD_BY_STATUS[row.status] }));
      },
    },
    run: ({ caller, query }) =>
      listMessages(core, { merchantId: caller.merchantId, page: query, ...query, span: spanOfQuery(query) }),
  });
}

/** Returns the time range of `desde` and `ate`. Either of them may be absent. */
const spanOfQuery = ({ desde, ate }: z.output<typeof historyQuery>): OpenSpan => ({
  ...(desde && { from: startOf(desde) }),
  ...(ate && { to: startOf(addDays(ate, 1)) }),
});

function declareSearchDay(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Envio/PesquisarSMSEnviados',
    operationId: 'searchSentSms',
    summary: 'Find SMS sent on a day',
    description: 'A day in Luanda, from midnight to midnight. Newest first.',
    query: dayQuery,
    answers: aPage,
    run: ({ caller, query }) =>
      listMessages(core, { merchantId: caller.merchantId, span: readSpan(query), page: query }),
  });
}

function declareSearchRange(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Envio/pesquisarEnviosPorIntervaloDeDatas',
    operationId: 'searchSentSmsInRange',
    summary: 'Find SMS sent in a range of days',
    description: 'Days in Luanda, both included. The last day is at most one year after the first. Newest first.',
    query: rangeQuery,
    answers: aPage,
    run: ({ caller, query }) =>
      listMessages(core, { merchantId: caller.merchantId, span: readRange(query), page: query }),
  });
}

type Filter = Pick<z.output<typeof historyQuery>, 'batchId' | 'estado' | 'numeroDestino'>;
type Search = Partial<Filter> & { merchantId: string; page: SmsPage; span: OpenSpan };

async function listMessages(core: Core, { merchantId, page, span, ...filter }: Search): Promise<Answer> {
  const { batchId, estado, numeroDestino } = filter;
  const { rows, total } = await findPage<ListedMessage>(core, page, {
    list: SMS_MESSAGES,
    merchantId,
    span,
    keys: { status: estado },
    isSelective: batchId !== undefined || numeroDestino !== undefined,
    rows: (tables, within) => listOwn(tables, merchantId, { ...filter, ...within }),
    mergedKeys: { status: MESSAGE_STATUSES },
    decorate: (tables, messages) =>
      tables
        .selectFrom(messages.as('sms_messages'))
        .selectAll()
        .select(selectRelated)
        .orderBy('listedAt', 'desc')
        .orderBy('id', 'desc'),
    order: ['listedAt', 'id'],
  });
  const data = rows.map((message) => viewMessage(core, message));
  return { status: 200, body: showPage(data, page, total) };
}

function listOwn(tables: Kysely<Tables>, merchantId: string, filter: Partial<Filter> & OpenSpan) {
  const { batchId, estado, numeroDestino: phone, from, to } = filter;
  return tables
    .selectFrom('sms_messages')
    .where('merchantId', '=', merchantId)
    .where('listedAt', 'is not', null)
    .where((eb) =>
      eb.and([
        ...(batchId ? [eb('batchId', '=', batchId)] : []),
        ...(estado ? [eb('status', '=', estado)] : []),
        ...(from ? [eb('listedAt', '>=', from)] : []),
        ...(to ? [eb('listedAt', '<', to)] : []),
        ...(phone ? [eb('phone', '=', phone)] : []),
      ]),
    );
}

/** Selects the sender, text and opt-out code of an SMS from other tables. */
function selectRelated(eb: ExpressionBuilder<Tables, 'sms_messages'>) {
  const page = eb
    .selectFrom('sms_opt_out_codes as c')
    .whereRef('c.merchantId', '=', 'sms_messages.merchantId')
    .whereRef('c.phone', '=', 'sms_messages.phone');
  return [page.select('c.code').$asScalar().as('code'), ...selectBatchFields(eb)] as const;
}

function selectBatchFields(eb: ExpressionBuilder<Tables, 'sms_messages'>) {
  const batch = eb.selectFrom('sms_batches as b').whereRef('b.id', '=', 'sms_messages.batchId');
  return [
    batch.select('b.sender').$asScalar().as('sender'),
    eb.fn.coalesce('sms_messages.content', batch.select('b.content').$asScalar()).as('text'),
  ] as const;
}

/** Returns a date such as `2026-11-30`. Null for an impossible date, or a year outside 2000 to 2199. */
export function readDay(year: number, month: number, day: number): string | null {
  const text = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');
  return isDay(text) ? text : null;
}

/** A time range. It includes `from` and excludes `to`. */
export type Span = { from: Date; to: Date };

/** Returns the time range of days in Luanda, including the first and the last day. */
export function spanOf(first: string, last = first): Span {
  return { from: startOf(first), to: startOf(addDays(last, 1)) };
}

const part = (digits: RegExp, rule: RuleName, minimum: number, maximum: number, description: string) =>
  matching(digits, rule)
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .meta({ ...documentedAs({ type: 'integer', minimum, maximum }), description });

const day = part(/^\d{1,2}$/, 'dayNumber', 1, 31, 'Day of the month, in Luanda');
const month = part(/^\d{1,2}$/, 'dayNumber', 1, 12, 'Number of the month');
const year = part(/^\d{4}$/, 'yearNumber', 2000, 2199, 'Year, in four digits');

/** Query of a search by one day. */
export const dayQuery = z
  .object({ dia: day, mes: month, ano: year, ...smsPage })
  .refine(
    ({ ano, mes, dia }) => readDay(ano, mes, dia) !== null,
    crossFieldFault(fault('impossible_date'), 'dia', ['dia', 'mes', 'ano']),
  );

/** Returns the time range of the query's day. */
export function readSpan({ ano, mes, dia }: z.output<typeof dayQuery>): Span {
  return spanOf(readDay(ano, mes, dia) as string);
}

const FIRST = ['diaInicio', 'mesInicio', 'anoInicio'];
const LAST = ['diaFim', 'mesFim', 'anoFim'];

/** Query of a search by a range of days, at most one year long. */
export const rangeQuery = z
  .object({
    diaInicio: day,
    mesInicio: month,
    anoInicio: year,
    diaFim: day,
    mesFim: month,
    anoFim: year,
    ...smsPage,
  })
  .refine((query) => endsIn(query).first !== null, crossFieldFault(fault('impossible_date'), 'diaInicio', FIRST))
  .refine((query) => endsIn(query).last !== null, crossFieldFault(fault('impossible_date'), 'diaFim', LAST))
  .refine(
    (query) => !isReversed(endsIn(query)),
    crossFieldFault(fault('range_reversed'), 'diaFim', [...FIRST, ...LAST]),
  )
  .refine(
    (query) => !isTooLong(endsIn(query)),
    crossFieldFault(fault('range_too_long'), 'diaFim', [...FIRST, ...LAST]),
  );

type RangeQuery = Record<`${'dia' | 'mes' | 'ano'}${'Inicio' | 'Fim'}`, number>;

/** Returns the time range of all days in the query. */
export function readRange(query: RangeQuery): Span {
  const { first, last } = endsIn(query);
  return spanOf(first as string, last as string);
}

type Ends = { first: string | null; last: string | null };

function endsIn(query: RangeQuery): Ends {
  return {
    first: readDay(query.anoInicio, query.mesInicio, query.diaInicio),
    last: readDay(query.anoFim, query.mesFim, query.diaFim),
  };
}

const isReversed = ({ first, last }: Ends) => first !== null && last !== null && last < first;

/** True if the last day is later than one year after the first. A year after 29 February ends on 28 February. */
const isTooLong = ({ first, last }: Ends) =>
  first !== null && last !== null && last > `${Number(first.slice(0, 4)) + 1}${first.slice(4)}`;

/** Options of a check between several fields. The check is skipped if one of these fields is invalid itself. */
function crossFieldFault(found: ReturnType<typeof fault>, at: string, fields: string[]) {
  const isAbout = ({ path = [] }: { path?: PropertyKey[] | undefined }) => fields.includes(String(path[0]));
  return {
    path: [at],
    ...found,
    when: ({ issues }: z.core.ParsePayload) => !issues.some(isAbout),
  };
}
