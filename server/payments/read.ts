// Reads payments: the list, the details, the history and the image of a QR code.
import { z } from 'zod';
import { findNames } from '../audit/names.ts';
import type { Core } from '../core.ts';
import { inSnapshot } from '../database/orm.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { Event } from '../events/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import { viewPageWithNext } from '../http/cursor.ts';
import { UUID } from '../http/fields.ts';
import { etagOf } from '../http/precondition.ts';
import { Problem, type Fault } from '../http/problem.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import { listCashiers, listChargingClients } from './core/creator.ts';
import { describeCode, drawCode } from './qr/qrcode.ts';
import type { Payment, Transaction } from './core/entities.ts';
import { DIGITS } from './core/fields.ts';
import { listQuery } from './schemas.ts';
import { readAllPayments, readAmountFilter, readPayments, sumPayments, type ListRequest } from './list.ts';
import { withPaymentColumns } from './core/file-columns.ts';
import { COLUMNS, listedPayment, paymentDetails, viewListed, viewPayment } from './core/view.ts';
import { findPayerOf, findPayment, findReferenceOf } from './core/rows.ts';

export function paymentReads(core: Core): Route[] {
  return [
    declareList(core),
    declareSums(core),
    declareCashiers(core),
    declareRead(core),
    declareHistory(core),
    declareCode(core),
  ];
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
        .describe('The person or client whose request caused the event, with the current name'),
    }),
  ),
});

const listChecks =
  (core: Core) =>
  async (input: ListRequest, { merchantId }: Caller) => [
    ...checkAmountQuery(input),
    ...(await checkSearchKeys(core, merchantId, input.customMetadata)),
  ];

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
    checkQuery: listChecks(core),
    answers: { 200: { description: 'A page', schema: listedPage } },
    csv: {
      name: { pt: 'pagamentos', en: 'payments', fr: 'paiements' },
      columns: COLUMNS,
      rows: ({ caller, query: input }) =>
        withPaymentColumns(core, readAllPayments(core, caller.merchantId, input), ({ id }) => id),
    },
    async run({ caller: { merchantId }, query: input }) {
      const { page, total, isTotalExact } = await readPayments(core, merchantId, input);
      const listed = { ...page, rows: page.rows.map(viewListed) };
      return { status: 200, body: { ...viewPageWithNext(listed, input, total), isTotalExact } };
    },
  });
}

const listedPage = viewPageWithNext.schema(listedPayment).extend({
  isTotalExact: z
    .boolean()
    .describe('False: there are more than `totalItems`. Only lists with search, paymentMethod, link or createdBy'),
});

const money = z.number();

const listSums = z
  .object({
    payments: z.int().describe('The payments of all pages'),
    isComplete: z.boolean().describe('False: there are more payments than these, and `sums` is empty'),
    sums: z
      .array(z.object({ currency: z.string(), payments: z.int(), received: money, refunded: money, net: money }))
      .describe('For each currency: the accepted money, what was given back, and the difference'),
  })
  .meta({ id: 'PaymentSums' });

function declareSums(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/payments/sums',
    operationId: 'sumPayments',
    tag: 'Payments',
    summary: 'Sum the money of the payments that a list shows',
    description: 'The filters are those of `listPayments`. The sums have all pages, of at most 10,000 payments.',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    query: listQuery,
    checkQuery: listChecks(core),
    answers: { 200: { description: 'The sums', schema: listSums } },
    run: async ({ caller, query: input }) => ({
      status: 200,
      body: await sumPayments(core, caller.merchantId, input),
    }),
  });
}

function declareCashiers(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/payments/cashiers',
    operationId: 'listCashiers',
    tag: 'Payments',
    summary: 'List the people who charged, and the API clients',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    answers: {
      200: {
        description: '`data`: people who created a payment, for the filter `createdBy`. `clients`: all API clients',
        schema: z.object({
          data: z.array(z.object({ id: z.uuid(), name: z.string() })),
          clients: z.array(z.object({ id: z.string(), name: z.string() })),
        }),
      },
    },
    run: async ({ caller: { merchantId } }) => ({
      status: 200,
      body: {
        data: await listCashiers.all(core, { merchantId }),
        clients: await listChargingClients.all(core, { merchantId }),
      },
    }),
  });
}

function checkAmountQuery(input: ListRequest): Fault[] {
  const read = readAmountFilter(input);
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
      const payment = await findOwn(core, caller.merchantId, params.paymentId);
      const { id } = payment;
      const events = await em(core).find(Event, { paymentId: id }, { orderBy: { seq: 'asc' } });
      const actors = await findActors(core, payment, events);
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

type By = Pick<ActorOfEvent, 'kind' | 'id'>;

/** Returns the person or client whose request caused the event. Null for an event of a payer, a rail or the clock. */
function actorOfEvent({ type, details }: Event, payment: Payment): By | null {
  const by = details['by'] as By | undefined;
  const { createdByKind, createdById, canceledByKind, canceledById } = payment;
  const isRequest = type === 'refund.created' || type === 'refund.canceled';
  const person = details['canceledBy'] ?? (isRequest ? details['createdBy'] : null);
  if (by) return by;
  if (typeof person === 'string') return { kind: 'user', id: person };
  if (type === 'payment.created' && createdByKind && createdById) return { kind: createdByKind, id: createdById };
  const isCanceled = type === 'payment.canceled' && canceledByKind && canceledById;
  return isCanceled ? { kind: canceledByKind, id: canceledById } : null;
}

/** Finds the current names of the people and clients who caused events, by the ids of the events. */
async function findActors(core: Core, payment: Payment, events: Event[]): Promise<Map<string, ActorOfEvent>> {
  const named = events.flatMap((event) => {
    const by = actorOfEvent(event, payment);
    return by ? [{ eventId: event.id, ...by }] : [];
  });
  const names = await findNames(
    core,
    named.map(({ id }) => id),
  );
  return new Map(named.map(({ eventId, kind, id }) => [eventId, { kind, id, name: names.get(id) ?? null }]));
}

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
      return { status: 200, ...drawCode(payment, form), headers: { Vary: 'Accept' } };
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

/** Returns the current state of a payment as its creation shows it: with the QR code, or with the reference's id. */
export async function describeCreated(core: Core, paymentId: string): Promise<object> {
  const payment = await findPayment.one(core, { id: paymentId });
  const shown = { ...(await describeFound(core, payment)), ...describeCode(payment) };
  const reference = await findReferenceOf(core, payment);
  return reference ? { ...shown, id: reference.id } : shown;
}

/** The revision grows with every visible change of a payment, so the entity tag depends only on it. */
export const viewVersion = ({ revision }: Payment): { revision: number } => ({ revision });

async function describeFound(core: Core, payment: Payment): Promise<PaymentView> {
  if (payment.paymentType !== 'PPR') return describeIn(core, core, payment);
  // A reference and its payment change together, so one snapshot reads both.
  return inSnapshot(core, async (db) => describeIn(core, db, await findPayment.one(db, { id: payment.id })));
}

/** Returns the details of a payment that was read in `db`. */
export async function describeIn(core: Core, db: Db, payment: Payment): Promise<PaymentView> {
  const reference = await findReferenceOf(db, payment);
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
