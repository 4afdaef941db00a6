// What was sent: by message, by day, in numbers.
import type { ExpressionBuilder, Kysely } from 'kysely';
import { z } from 'zod';
import { addDays, isDay, startOf } from '../../shared/luanda.ts';
import type { Core } from '../core.ts';
import { readNewestFirst } from '../exports/batches.ts';
import type { Tables } from '../database/db.ts';
import { fault } from '../http/validate.ts';
import { day as isoDay, oneOf, documentedAs, UUID, viewPage } from '../http/fields.ts';
import type { Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import type { Span as OpenSpan } from '../lists/spans.ts';
import { SMS_MESSAGES } from '../database/functions/counted-lists.ts';
import { MESSAGE_STATUSES, type SmsMessage } from './entities.ts';
import { COLUMNS, STATUS_WORDS, STATUSES, WORDS } from './history-fields.ts';
import { optOutUrlOf } from './opt-outs/endings.ts';
import { findPage, phoneText, reads, showPage, smsPage, type SmsPage } from './fields.ts';

const luandaDay = isoDay.optional();

/** Query of `GET /api/Envio/ListarSmsEnviadas`. */
const historyQuery = z
  .object({
    ...smsPage,
    desde: luandaDay.describe('Only messages of this day in Luanda and later ones, such as 2026-11-30'),
    ate: luandaDay.describe('Only messages of this day and earlier ones'),
    batchId: z.string().regex(UUID).optional().describe('Only messages of this sending'),
    estado: oneOf(STATUS_WORDS)
      .transform((word) => (word ? STATUSES[word] : undefined))
      .meta({ ...documentedAs({ type: 'string', enum: STATUS_WORDS }), description: 'Only messages in this status' }),
    numeroDestino: phoneText.optional().describe('Only messages to this number, however it is written'),
  })
  .refine(({ desde, ate }) => !desde || !ate || desde <= ate, { path: ['ate'], ...fault('range_reversed') });

/** A message with what it has of its sending (whom it comes from, and the text unless it has its own) and of its reader. */
type ListedMessage = SmsMessage & { sender: string; text: string; code: string | null };

function viewMessage(core: Core, message: ListedMessage) {
  return {
    id: message.id,
    batchId: message.batchId,
    numeroDestino: message.phone,
    remetente: message.sender,
    conteudo: message.text,
    partes: message.parts,
    estado: WORDS[message.status],
    enviadoEm: message.sentAt ?? null,
    entregueEm: message.deliveredAt ?? null,
    motivoFalha: message.failure ?? null,
    paginaRecusa: message.code && optOutUrlOf(core, message.code),
  };
}

export const smsMessage = z
  .object({
    id: z.uuid(),
    batchId: z.uuid().describe('The sending'),
    numeroDestino: z.string().describe('E.164'),
    remetente: z.string(),
    conteudo: z.string().describe('As it was sent, with every value filled in'),
    partes: z.int().describe('Units, too'),
    estado: z
      .enum(STATUS_WORDS)
      .describe(
        'Pendente: not yet at the network · Enviado: the network has it · Entregue: the phone has it · Falhado: it did not arrive, and its units were given back',
      ),
    enviadoEm: z.iso.datetime().nullable(),
    entregueEm: z.iso.datetime().nullable(),
    motivoFalha: z.string().nullable().describe('Why it failed'),
    paginaRecusa: z
      .url()
      .nullable()
      .describe('Where whoever got it refuses your SMS; null where they were only ever sent some that can be answered'),
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
    description: 'Those on their way too (`Pendente`). Scheduled ones are here from their minute on.',
    query: historyQuery,
    answers: aPage,
    csv: {
      name: { pt: 'sms', en: 'sms', fr: 'sms' },
      columns: COLUMNS,
      rows: ({ caller, query }) =>
        readNewestFirst(core, core.clock.now(), { at: 'listedAt', id: 'id' }, (tables) =>
          listOwn(tables, caller.merchantId, { ...query, ...spanAsked(query) })
            .select(['listedAt', 'sentAt', 'deliveredAt', 'id', 'batchId', 'phone', 'parts', 'status', 'failure'])
            .select(readSending),
        ),
    },
    run: ({ caller, query }) =>
      listMessages(core, { merchantId: caller.merchantId, page: query, ...query, span: spanAsked(query) }),
  });
}

/** The moments between two days of a query, either of which may be absent. */
const spanAsked = ({ desde, ate }: z.output<typeof historyQuery>): OpenSpan => ({
  ...(desde && { from: startOf(desde) }),
  ...(ate && { to: startOf(addDays(ate, 1)) }),
});

function declareSearchDay(core: Core): Route {
  return route({
    ...reads,
    path: '/api/Envio/PesquisarSMSEnviados',
    operationId: 'searchSentSms',
    summary: 'Find the SMS that were sent on a day',
    description: 'A day in Luanda, from midnight to midnight. The newest first.',
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
    summary: 'Find the SMS that were sent from one day to another',
    description: 'Days in Luanda; both count, and the last is at most one year after the first. The newest first.',
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
        .select(readBeside)
        .orderBy('listedAt', 'desc')
        .orderBy('id', 'desc'),
    order: ['listedAt', 'id'],
  });
  const data = rows.map((message) => viewMessage(core, message));
  return { status: 200, body: showPage(data, page, total) };
}

function listOwn(tables: Kysely<Tables>, merchantId: string, asked: Partial<Filter> & OpenSpan) {
  const { batchId, estado, numeroDestino: phone, from, to } = asked;
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

/** What a message has of its sending, and of the person it went to. */
function readBeside(eb: ExpressionBuilder<Tables, 'sms_messages'>) {
  const page = eb
    .selectFrom('sms_opt_out_codes as c')
    .whereRef('c.merchantId', '=', 'sms_messages.merchantId')
    .whereRef('c.phone', '=', 'sms_messages.phone');
  return [page.select('c.code').$asScalar().as('code'), ...readSending(eb)] as const;
}

function readSending(eb: ExpressionBuilder<Tables, 'sms_messages'>) {
  const sending = eb.selectFrom('sms_batches as b').whereRef('b.id', '=', 'sms_messages.batchId');
  return [
    sending.select('b.sender').$asScalar().as('sender'),
    eb.fn.coalesce('sms_messages.content', sending.select('b.content').$asScalar()).as('text'),
  ] as const;
}

/** `2026-11-30`; null for what is no day of the calendar, and outside of the years 2000 to 2199. */
export function readDay(year: number, month: number, day: number): string | null {
  const text = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');
  return isDay(text) ? text : null;
}

/** The moments from `from` on and before `to`. */
export type Span = { from: Date; to: Date };

/** A day of Luanda, or several: both ends count. */
export function spanOf(first: string, last = first): Span {
  return { from: startOf(first), to: startOf(addDays(last, 1)) };
}

const part = (digits: RegExp, minimum: number, maximum: number, description: string) =>
  z
    .string()
    .regex(digits)
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .meta({ ...documentedAs({ type: 'integer', minimum, maximum }), description });

const day = part(/^\d{1,2}$/, 1, 31, 'Day of the month, in Luanda');
const month = part(/^\d{1,2}$/, 1, 12, 'Number of the month');
const year = part(/^\d{4}$/, 2000, 2199, 'Year, in four digits');

/** The query of a search by one day. */
export const dayQuery = z
  .object({ dia: day, mes: month, ano: year, ...smsPage })
  .refine(
    ({ ano, mes, dia }) => readDay(ano, mes, dia) !== null,
    told(fault('impossible_date'), 'dia', ['dia', 'mes', 'ano']),
  );

/** The day's moments. */
export function readSpan({ ano, mes, dia }: z.output<typeof dayQuery>): Span {
  return spanOf(readDay(ano, mes, dia) as string);
}

const FIRST = ['diaInicio', 'mesInicio', 'anoInicio'];
const LAST = ['diaFim', 'mesFim', 'anoFim'];

/** The query of a search from one day to another, a year later at most. */
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
  .refine((query) => endsIn(query).first !== null, told(fault('impossible_date'), 'diaInicio', FIRST))
  .refine((query) => endsIn(query).last !== null, told(fault('impossible_date'), 'diaFim', LAST))
  .refine((query) => !isReversed(endsIn(query)), told(fault('range_reversed'), 'diaFim', [...FIRST, ...LAST]))
  .refine((query) => !isTooLong(endsIn(query)), told(fault('range_too_long'), 'diaFim', [...FIRST, ...LAST]));

type RangeQuery = Record<`${'dia' | 'mes' | 'ano'}${'Inicio' | 'Fim'}`, number>;

/** The moments of all its days. */
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

/** Later than the same day a year after: of 29 February, than the 28th. */
const isTooLong = ({ first, last }: Ends) =>
  first !== null && last !== null && last > `${Number(first.slice(0, 4)) + 1}${first.slice(4)}`;

/** A fault told beside others, unless one of the fields that it is about is wrong by itself. */
function told(found: ReturnType<typeof fault>, at: string, fields: string[]) {
  const isAbout = ({ path = [] }: { path?: PropertyKey[] | undefined }) => fields.includes(String(path[0]));
  return {
    path: [at],
    ...found,
    when: ({ issues }: z.core.ParsePayload) => !issues.some(isAbout),
  };
}
