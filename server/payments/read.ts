// Reads payments: the list, the details, the history and the image of a QR code.
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { PAYMENT_TYPES } from '../../shared/methods.ts';
import { readMajor, toMinor } from '../../shared/money.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { PAYMENT_STATUSES } from '../../shared/status.ts';
import { inSnapshot } from '../database/orm.ts';
import { readNewestFirst } from '../exports/batches.ts';
import { em, isAny, prepared, presentFilters, type Db, type Tables } from '../database/db.ts';
import { Event } from '../events/entities.ts';
import { readPage } from '../lists/page.ts';
import { PAYMENTS } from '../database/functions/counted-lists.ts';
import { findMerchant } from '../merchants/find.ts';
import { viewPageWithNext } from '../http/cursor.ts';
import { UUID } from '../http/fields.ts';
import { etagOf } from '../http/precondition.ts';
import { Problem, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { needsAttention } from './core/attention.ts';
import { drawCode } from './qr/qrcode.ts';
import type { Payment, Transaction } from './core/entities.ts';
import { DIGITS, termsOfQuery } from './core/fields.ts';
import { listQuery } from './schemas.ts';
import {
  COLUMNS,
  SELECTED,
  listedPayment,
  paymentDetails,
  viewListed,
  viewPayment,
  withStanding,
} from './core/view.ts';
import { findPayerOf, findPayment, findReferenceOf } from './core/rows.ts';

export function paymentReads(core: Core): Route[] {
  return [declareList(core), declareRead(core), declareHistory(core), declareCode(core)];
}

export const byId = z.object({
  paymentId: z.string().describe('`internalId` of the payment, or the digits of its payment reference'),
});

export const image = z.string().meta({ override: { type: 'string', format: 'binary' } });

const history = z.object({
  data: z.array(
    z.object({
      id: z.uuid(),
      type: z.string(),
      status: z.string().nullable(),
      occurredAt: z.iso.datetime(),
      details: z.looseObject({}),
      actor: z
        .object({ kind: z.enum(['user', 'client']), id: z.string(), name: z.string().nullable() })
        .nullable()
        .describe('Who resolved the payment (`payment.resolved`), with the current e-mail address or client name'),
    }),
  ),
});

function declareList(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/payments',
    operationId: 'listPayments',
    tag: 'Payments',
    summary: 'List payments, newest first',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    query: listQuery,
    checkQuery: async (input, { merchantId }) => [
      ...checkAmountQuery(input),
      ...(await checkSearchKeys(core, merchantId, input.customMetadata)),
    ],
    answers: { 200: { description: 'A page', schema: viewPageWithNext.schema(listedPayment) } },
    csv: {
      name: { pt: 'pagamentos', en: 'payments', fr: 'paiements' },
      columns: COLUMNS,
      rows: ({ caller, query: input }) =>
        withStanding(
          readNewestFirst(core, core.clock.now(), { at: 'createdAt', id: 'id' }, (tables) =>
            listOwn(tables, caller.merchantId, input).select(SELECTED),
          ),
        ),
    },
    async run({ caller: { merchantId }, query: input }) {
      const { reference, phone, late, search, attention, customMetadata, status, paymentType } = input;
      const amount = readAmount(input);
      const { page, total } = await readPage<Payment>(core, {
        list: PAYMENTS,
        merchantId,
        query: input,
        keys: { status, paymentType, currency: currencyOfQuery(input) },
        isSelective: [reference, phone, late, search, attention, customMetadata, amount].some(
          (filter) => filter ?? false,
        ),
        rows: (tables, { from, to }) => listOwn(tables, merchantId, { ...input, from, to }),
        mergedKeys: { status: PAYMENT_STATUSES, paymentType: PAYMENT_TYPES },
        order: ['createdAt', 'id'],
      });
      const listed = { ...page, rows: page.rows.map(viewListed) };
      return { status: 200, body: viewPageWithNext(listed, input, total) };
    },
  });
}

type ListRequest = z.output<typeof listQuery>;

/** Returns the amount filter in minor units, or its fault. Null without an amount filter. */
const readAmount = ({ amount, currency = 'AOA' }: ListRequest) =>
  amount === undefined ? null : toMinor(amount, currency);

const currencyOfQuery = ({ amount, currency }: ListRequest) => currency ?? (amount === undefined ? undefined : 'AOA');

function checkAmountQuery(input: ListRequest): Fault[] {
  const read = readAmount(input);
  return read && 'fault' in read ? [{ pointer: '/query/amount', code: read.fault }] : [];
}

/** Returns a fault for each key of the filter that is not in the merchant's `searchKeys`. */
async function checkSearchKeys(
  core: Core,
  merchantId: string,
  input: Record<string, string> | undefined,
): Promise<Fault[]> {
  if (!input) return [];
  const { searchKeys } = await findMerchant(core, merchantId);
  const unknown = Object.keys(input).filter((key) => !searchKeys.includes(key));
  return unknown.map((key) => ({ pointer: `/query/customMetadata/${key}`, code: 'search_key_not_named' as const }));
}

function listOwn(tables: Kysely<Tables>, merchantId: string, input: ListRequest) {
  const { status, paymentType, reference, late, from, to, phone, search, attention } = input;
  const amount = readAmount(input);
  const amountMinor = amount && 'minor' in amount ? amount.minor : undefined;
  const currency = currencyOfQuery(input);
  const terms = termsOfQuery(input.customMetadata);
  return tables
    .selectFrom('payments')
    .where((eb) => eb.and(presentFilters({ merchantId, status, paymentType, reference, amountMinor, currency, phone })))
    .where((eb) =>
      eb.and([
        ...(search ? [eb.or(meaningsOf(search).map((meaning) => meaning(eb)))] : []),
        ...(attention ? [needsAttention(attention)(eb)] : []),
        ...(late ? [eb.ref('late')] : []),
        ...(terms.length > 0 ? [eb('searchTerms', '@>', eb.val(terms))] : []),
        ...(from ? [eb('createdAt', '>=', from)] : []),
        ...(to ? [eb('createdAt', '<', to)] : []),
      ]),
    );
}

type Meaning = (eb: ExpressionBuilder<Tables, 'payments'>) => Expression<SqlBool>;

/** Lists what a search text can mean. Digits may be a reference, a phone number and an amount at the same time. */
function meaningsOf(search: string): Meaning[] {
  const reference = search.replace(/(?<=\d) (?=\d)/g, '');
  const phone = normalizePhone(search);
  const major = readMajor(search);
  const amount = major === null ? null : toMinor(String(major), LOCAL_CURRENCY);
  const meanings: Meaning[] = [(eb) => eb('reference', '=', reference)];
  if (phone) meanings.push((eb) => eb('phone', '=', phone));
  if (amount && 'minor' in amount)
    meanings.push((eb) => eb.and([eb('amountMinor', '=', amount.minor), eb('currency', '=', LOCAL_CURRENCY)]));
  return meanings;
}

const LOCAL_CURRENCY = 'AOA';

function declareRead(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/payments/{paymentId}',
    operationId: 'readPayment',
    tag: 'Payments',
    summary: 'Read one payment',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    params: byId,
    tagged: true,
    answers: { 200: { description: 'The payment', schema: paymentDetails } },
    async run({ caller, params }) {
      const payment = await findOwn(core, caller.merchantId, params.paymentId);
      return { status: 200, body: await describeFound(core, payment), headers: { ETag: etagOf(viewVersion(payment)) } };
    },
  });
}

function declareHistory(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/payments/{paymentId}/events',
    operationId: 'readPaymentHistory',
    tag: 'Payments',
    summary: 'History of a payment, oldest first',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    params: byId,
    answers: { 200: { description: 'Its events', schema: history } },
    async run({ caller, params }) {
      const { id } = await findOwn(core, caller.merchantId, params.paymentId);
      const events = await em(core).find(Event, { paymentId: id }, { orderBy: { seq: 'asc' } });
      const actors = await findActors(core, events);
      const data = events.map(({ id, type, status, occurredAt, details }) => ({
        id,
        type,
        status: status ?? null,
        occurredAt,
        details,
        actor: actors.get(id) ?? null,
      }));
      return { status: 200, body: { data } };
    },
  });
}

type ActorOfEvent = { kind: 'user' | 'client'; id: string; name: string | null };

/** Finds the current names of the people and clients who resolved the payment, by the ids of the events. */
async function findActors(core: Core, events: Event[]): Promise<Map<string, ActorOfEvent>> {
  const named = events.flatMap(({ id: eventId, details }) => {
    const by = details['by'] as Pick<ActorOfEvent, 'kind' | 'id'> | undefined;
    return by ? [{ eventId, ...by }] : [];
  });
  const idsOf = (kind: string) => named.filter((each) => each.kind === kind).map(({ id }) => id);
  const names = new Map<string, string>();
  if (named.length > 0) {
    for (const { id, name } of await findNames.all(core, { users: idsOf('user'), clients: idsOf('client') }))
      names.set(id, name);
  }
  return new Map(named.map(({ eventId, kind, id }) => [eventId, { kind, id, name: names.get(id) ?? null }]));
}

const findNames = prepared((tables, { users, clients }: { users: string[]; clients: string[] }) =>
  tables
    .selectFrom('users')
    .select((eb) => [eb.cast<string>('id', 'text').as('id'), 'email as name'])
    .where('id', ...isAny(users))
    .unionAll(
      tables
        .selectFrom('clients')
        .select((eb) => [eb.cast<string>('id', 'text').as('id'), 'name'])
        .where('id', '=', (eb) => eb.fn.any(eb.val(clients))),
    ),
);

function declareCode(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/payments/{paymentId}/qrcode',
    operationId: 'readPaymentCode',
    tag: 'Payments',
    summary: 'The QR code of a payment as an image',
    description: 'PNG in the size of the creation, or SVG by `Accept: image/svg+xml`.',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    params: byId,
    answers: { 200: { description: 'The image', contentType: 'image/png', schema: image, also: ['image/svg+xml'] } },
    async run({ caller, params, ctx }) {
      const payment = await findOwn(core, caller.merchantId, params.paymentId);
      const form = ctx.accepts('image/png', 'image/svg+xml') === 'image/svg+xml' ? 'svg' : 'png';
      return { status: 200, ...(await drawCode(payment, form)), headers: { Vary: 'Accept' } };
    },
  });
}

/**
 * Finds a payment by its `internalId` or, without a match, the newest payment by reference with these digits.
 * @throws Problem not_found, also for another merchant's payment
 */
export async function findOwn(core: Core, merchantId: string, id: string): Promise<Payment> {
  const found = UUID.test(id)
    ? await findById.first(core, { id: id.toLowerCase(), merchantId })
    : DIGITS.test(id)
      ? await findByReference.first(core, { reference: id, merchantId })
      : null;
  if (!found) throw new Problem('not_found');
  return found;
}

const findById = prepared((tables, { id, merchantId }: { id: string; merchantId: string }) =>
  tables.selectFrom('payments').selectAll().where('id', '=', id).where('merchantId', '=', merchantId),
);

const findByReference = prepared((tables, { reference, merchantId }: { reference: string; merchantId: string }) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .where('reference', '=', reference)
    .where('merchantId', '=', merchantId)
    .where('paymentType', '=', 'PPR')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

type PaymentView = ReturnType<typeof viewPayment>;

/** Returns the details of a merchant's payment. @throws Problem not_found */
export async function describePayment(core: Core, merchantId: string, id: string): Promise<PaymentView> {
  return describeFound(core, await findOwn(core, merchantId, id));
}

/** The revision grows with every visible change of a payment, so the entity tag depends only on it. */
export const viewVersion = ({ revision }: Payment): { revision: number } => ({ revision });

async function describeFound(core: Core, payment: Payment): Promise<PaymentView> {
  // A reference and its payment change together, so one snapshot reads both.
  if (payment.paymentType === 'PPR') return inSnapshot(core, (db) => describe(core, db, payment.id));
  return viewPayment(core, payment, await findMoneyOf(core, payment), null, await findPayerOf(core, payment));
}

async function describe(core: Core, db: Db, id: string): Promise<PaymentView> {
  const payment = await findPayment.one(db, { id });
  return viewPayment(core, payment, await findMoneyOf(db, payment), await findReferenceOf(db, payment));
}

/** Returns the details of a payment that the transaction `db` has locked. */
export async function describeIn(core: Core, db: Db, payment: Payment): Promise<PaymentView> {
  const reference = payment.paymentType === 'PPR' ? await findReferenceOf(db, payment) : null;
  const payer = reference ? null : await findPayerOf(db, payment);
  return viewPayment(core, payment, await findMoneyOf(db, payment), reference, payer);
}

/** Lists the payment's transactions. A payment without money needs no query, the usual case on an open page. */
async function findMoneyOf(db: Db, { id, amountPaidMinor, flags }: Payment): Promise<Transaction[]> {
  const mayHaveMoney = amountPaidMinor > 0 || flags.length > 0;
  return mayHaveMoney ? findTransactions.all(db, { id }) : [];
}

const findTransactions = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('transactions').selectAll().where('paymentId', '=', id).orderBy('occurredAt').orderBy('id'),
);
