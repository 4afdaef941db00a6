// Reads references for the merchant: one reference, a list, and the API view.
import type { ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import { toMajor } from '../../../shared/money.ts';
import { REFERENCE_STATUSES, REFERENCE_TYPES, showReference } from '../../../shared/reference.ts';
import {
  CONTRACT_WORDS,
  PAYMENT_STATUS_WORDS,
  REFERENCE_STATUS_WORDS,
  REFERENCE_TYPE_WORDS,
} from '../../../shared/state-words.ts';
import { PAYMENT_STATUSES } from '../../../shared/status.ts';
import type { Core } from '../../core.ts';
import { readNewestFirst } from '../../exports/batches.ts';
import { prepared, presentFilters, type Tables } from '../../database/db.ts';
import { inSnapshot } from '../../database/orm.ts';
import type { CsvColumn } from '../../exports/csv.ts';
import { viewPageWithNext } from '../../http/cursor.ts';
import { route, type Route } from '../../http/route.ts';
import { readPageIn } from '../../lists/page.ts';
import type { Span } from '../../lists/spans.ts';
import { REFERENCES } from '../../database/functions/counted-lists.ts';
import { MONEY_COLUMNS, viewMoney } from '../core/attention.ts';
import { listTransactions, payerOf } from '../core/rows.ts';
import { clientTokenOf } from '../core/token.ts';
import {
  CASHIER_COLUMN,
  FEE_COLUMNS,
  METADATA_COLUMN,
  PAYER_COLUMNS,
  REFUNDED_COLUMN,
  STANDING_COLUMN,
  withPaymentColumns,
} from '../core/file-columns.ts';
import { moneyFields, time, viewCustom } from '../core/view.ts';
import { NOT_WITHDRAWABLE, type Payment, type PaymentWithReference, type Reference } from '../core/entities.ts';
import { findOwnReference, pairUp } from './find.ts';
import { endOfDay } from './registration.ts';
import { listQuery } from './schemas.ts';

export function referenceReads(core: Core): Route[] {
  return [declareList(core), declareRead(core), declareHistory(core)];
}

export const byReference = z.object({ pprReference: z.string().describe('`reference`: its nine digits') });

export const about = {
  tag: 'References',
  access: { kind: 'bearer', scope: 'references:read' },
  bucket: 'read',
} as const;

function declareList(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/references/ppr',
    operationId: 'listReferences',
    summary: 'List payment references, newest first',
    query: listQuery,
    answers: { 200: { description: 'A page', schema: viewPageWithNext.schema(pprReference) } },
    csv: {
      name: { pt: 'referencias', en: 'references', fr: 'references' },
      columns: COLUMNS,
      rows: ({ caller, query: input }) => readExported(core, caller.merchantId, input),
    },
    async run({ caller, query }) {
      const { page, total } = await findPage(core, caller.merchantId, query);
      const shown = { ...page, rows: page.rows.map((pair) => viewReference(core, pair)) };
      return { status: 200, body: viewPageWithNext(shown, query, total) };
    },
  });
}

type ListQuery = z.output<typeof listQuery>;

function findPage(core: Core, merchantId: string, input: ListQuery) {
  const { type, status } = input;
  return inSnapshot(core, async (db) => {
    const { page, total } = await readPageIn<Reference>(db, {
      list: REFERENCES,
      merchantId,
      query: input,
      keys: { status, type },
      rows: (tables, span) =>
        tables.selectFrom('payment_references').where(isListed(merchantId, { ...input, ...span })),
      mergedKeys: { status: REFERENCE_STATUSES, type: REFERENCE_TYPES },
      order: ['createdAt', 'id'],
    });
    return { page: { ...page, rows: await pairUp(db, page.rows) }, total };
  });
}

type Filter = Pick<ListQuery, 'type' | 'status'> & Span;

function isListed(merchantId: string, { type, status, from, to }: Filter) {
  return (eb: ExpressionBuilder<Tables, 'payment_references'>) =>
    eb.and([
      eb('payment_references.merchantId', '=', merchantId),
      eb.and(presentFilters({ 'payment_references.type': type, 'payment_references.status': status })),
      ...(from ? [eb('payment_references.createdAt', '>=', from)] : []),
      ...(to ? [eb('payment_references.createdAt', '<', to)] : []),
    ]);
}

const ORDER = {
  at: 'payment_references.createdAt',
  id: 'payment_references.id',
  names: { at: 'createdAt', id: 'referenceId' },
};

function readExported(core: Core, merchantId: string, input: ListQuery) {
  const list = readNewestFirst(core, core.clock.now(), ORDER, (tables) =>
    tables
      .selectFrom('payment_references')
      .where(isListed(merchantId, input))
      .innerJoin('payments', 'payments.id', 'payment_references.paymentId')
      .select(['payment_references.createdAt', 'payment_references.expiresAt', 'registeredAt', 'payments.id'])
      .select(['entity', 'payment_references.reference', 'type', 'contract'])
      .select([
        'payment_references.status as referenceStatus',
        ...MONEY_COLUMNS.map((name) => `payments.${name}` as const),
      ])
      .select(['currency', 'customerEmail'])
      .select(['description', 'customMetadata', 'payment_references.id as referenceId']),
  );
  return withPaymentColumns(core, list, ({ id }) => id);
}

const COLUMNS = [
  { kind: 'time', from: 'createdAt', pt: 'Criada em', en: 'Created at', fr: 'Créée le' },
  { kind: 'time', from: 'expiresAt', pt: 'Expira em', en: 'Expires at', fr: 'Expire le' },
  { kind: 'time', from: 'registeredAt', pt: 'Registada em', en: 'Registered at', fr: 'Enregistrée le' },
  { kind: 'code', from: 'id', pt: 'Id interno', en: 'Internal id', fr: 'Id interne' },
  { kind: 'code', from: 'entity', pt: 'Entidade', en: 'Entity', fr: 'Entité' },
  { kind: 'code', from: 'reference', pt: 'Referência', en: 'Reference', fr: 'Référence' },
  { kind: 'code', from: 'type', words: REFERENCE_TYPE_WORDS, pt: 'Tipo', en: 'Type', fr: 'Type' },
  {
    kind: 'code',
    from: 'status',
    words: PAYMENT_STATUS_WORDS,
    pt: 'Estado do pagamento',
    en: 'Payment status',
    fr: 'État du paiement',
  },
  {
    kind: 'code',
    from: 'referenceStatus',
    words: REFERENCE_STATUS_WORDS,
    pt: 'Estado da referência',
    en: 'Reference status',
    fr: 'État de la référence',
  },
  STANDING_COLUMN,
  ...PAYER_COLUMNS,
  { kind: 'text', from: 'customerEmail', pt: 'E-mail', en: 'E-mail', fr: 'E-mail' },
  { kind: 'money', from: 'amountMinor', currency: 'currency', pt: 'Montante', en: 'Amount', fr: 'Montant' },
  { kind: 'money', from: 'amountPaidMinor', currency: 'currency', pt: 'Pago', en: 'Paid', fr: 'Payé' },
  REFUNDED_COLUMN,
  ...FEE_COLUMNS,
  { kind: 'code', from: 'currency', pt: 'Moeda', en: 'Currency', fr: 'Devise' },
  { kind: 'text', from: 'description', pt: 'Descrição', en: 'Description', fr: 'Description' },
  CASHIER_COLUMN,
  { kind: 'code', from: 'contract', words: CONTRACT_WORDS, pt: 'Contrato', en: 'Contract', fr: 'Contrat' },
  METADATA_COLUMN,
] as const satisfies CsvColumn<string>[];

function declareRead(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/references/ppr/{pprReference}',
    operationId: 'readReference',
    summary: 'Read one payment reference',
    description: 'The newest one of yours with these digits.',
    params: byReference,
    answers: { 200: { description: 'The reference', schema: pprReference } },
    async run({ caller, params }) {
      const pair = await findOwnReference(core, caller.merchantId, params.pprReference);
      return { status: 200, body: viewReference(core, pair) };
    },
  });
}

/** Builds the API view. `status` is the payment's status, `referenceStatus` says whether payers can still pay it. */
export function viewReference(core: Pick<Core, 'keyring' | 'publicUrl'>, { payment, reference }: PaymentWithReference) {
  const clientToken = clientTokenOf(core.keyring, payment.id);
  return {
    // `internalId` comes before the merchant's texts, because replays search for it.
    internalId: payment.id,
    reference: reference.reference,
    entity: reference.entity,
    amount: toMajor(payment.amountMinor, payment.currency),
    currency: payment.currency,
    referenceType: reference.type,
    status: payment.status,
    referenceStatus: reference.status,
    amountPaid: toMajor(payment.amountPaidMinor, payment.currency),
    amountRefunded: toMajor(payment.refundedMinor, payment.currency),
    ...viewMoney(payment),
    flags: payment.flags,
    expiresAt: reference.expiresAt,
    createdAt: reference.createdAt,
    registeredAt: reference.registeredAt ?? null,
    payableUntil: payableUntil(reference),
    description: payment.description ?? null,
    ...payerOf(reference),
    contract: reference.contract,
    checkoutUrl: `${core.publicUrl}/checkout/${clientToken}`,
    clientToken,
    customMetadata: viewCustom(payment.customMetadata),
  };
}

function payableUntil({ status, railFault, withdrawnAt, expiresAt }: Reference): Date | null {
  const isClosed = status === 'Canceled' || status === 'Expired';
  return isClosed && railFault === NOT_WITHDRAWABLE && !withdrawnAt ? endOfDay(expiresAt) : null;
}

/** The reference in the responses of creation, lookup, list and cancellation. */
export const pprReference = z
  .object({
    internalId: z.uuid().describe('Of its payment'),
    reference: z.string(),
    entity: z.string(),
    amount: z.number().describe('0: the payer chooses'),
    currency: z.string(),
    referenceType: z.enum(REFERENCE_TYPES),
    status: z.enum(PAYMENT_STATUSES).describe('Of the payment'),
    referenceStatus: z.enum(REFERENCE_STATUSES).describe('Whether it can be paid: only Pending can'),
    amountPaid: z.number().describe('Sum of what was received'),
    amountRefunded: z.number().describe('What of it was given back'),
    ...moneyFields,
    flags: z.array(z.string()).describe('amount_mismatch, overpaid'),
    expiresAt: time,
    createdAt: time,
    registeredAt: time.nullable().describe('Since when the provider knows it; payable from then on'),
    payableUntil: time
      .nullable()
      .describe('Of one canceled or expired that its provider cannot withdraw: until when money may still come, late'),
    description: z.string().nullable(),
    customerEmail: z.string().nullable(),
    customerName: z.string().nullable(),
    customerTelephone: z.string().nullable(),
    documentNumber: z.string().nullable(),
    contract: z.enum(['current', 'legacy']).describe('legacy: payments bring no callback'),
    checkoutUrl: z.url(),
    clientToken: z.string(),
    customMetadata: z.looseObject({}).nullable(),
  })
  .meta({ id: 'PprReference' });

const history = z.object({
  message: z.string(),
  reference: z.string(),
  data: z.array(
    z.object({
      id: z.uuid(),
      type: z.string().describe('payment.* and reference.*'),
      status: z.string().nullable(),
      amount: z.number().nullable().describe('Of money received'),
      occurredAt: z.iso.datetime(),
      details: z.looseObject({}),
    }),
  ),
});

/** Lists every event of a reference and its payment. */
function declareHistory(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/references/ppr/{pprReference}/history',
    operationId: 'readReferenceHistory',
    summary: 'History of a payment reference, oldest first',
    description:
      'Every change of status of the reference and its payment, every payment, and what the provider took or refused.',
    params: byReference,
    answers: { 200: { description: 'Its events', schema: history } },
    async run({ caller, params }) {
      const { payment, reference } = await findOwnReference(core, caller.merchantId, params.pprReference);
      const data = await findHistory(core, payment);
      const count = data.length === 1 ? '1 event' : `${data.length} events`;
      const message = `Reference ${showReference(reference.reference)} of entity ${reference.entity}: ${count}.`;
      return { status: 200, body: { message, reference: reference.reference, data } };
    },
  });
}

/** Reads the events of a reference. An event about money has the amount and the details from the rail. */
async function findHistory(core: Core, { id }: Payment) {
  const [events, transactions] = await Promise.all([
    findEvents.all(core, { paymentId: id }),
    listTransactions.all(core, { paymentId: id }),
  ]);
  const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]));
  return events.map((event) => {
    const money = byId.get(String(event.details['transactionId']));
    return {
      id: event.id,
      type: event.type,
      status: event.status ?? null,
      amount: money ? toMajor(money.amountMinor, money.currency) : null,
      occurredAt: event.occurredAt,
      details: { ...event.details, ...(money && { paidAt: money.occurredAt, ...money.details }) },
    };
  });
}

const findEvents = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('events').selectAll().where('paymentId', '=', paymentId).orderBy('seq'),
);
