// The refunds API: create, list, read, cancel and refresh a refund.
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Core } from '../../core.ts';
import { readNewestFirst } from '../../exports/batches.ts';
import { isAny, presentFilters, type Tables } from '../../database/db.ts';
import { actorOf } from '../../audit/record.ts';
import type { CsvColumn } from '../../exports/csv.ts';
import { viewPageWithNext } from '../../http/cursor.ts';
import { uuidText } from '../../http/fields.ts';
import { readPrefer } from '../../http/idempotency.ts';
import { Problem } from '../../http/problem.ts';
import { route, type Route } from '../../http/route.ts';
import { readPage } from '../../lists/page.ts';
import { REFUNDS } from '../../database/functions/counted-lists.ts';
import { REFUND_METHODS, REFUND_STATUSES } from '../../../shared/refund.ts';
import { FAILURE_WORDS, REFUND_METHOD_WORDS, REFUND_STATUS_WORDS } from '../../../shared/state-words.ts';
import { nameOf, PAYER_COLUMNS, withPaymentFields } from '../core/file-columns.ts';
import { submitAttempt } from '../core/submit.ts';
import { waitFor } from '../core/wait.ts';
import { requestRefund } from './create.ts';
import type { Refund } from './entities.ts';
import { cancelRefund, findOwn, syncRefund } from './follow.ts';
import { listRefundable, refundable } from './refundable.ts';
import { findPaymentIds } from './rows.ts';
import { checkRefund, refundQuery, refundRequest } from './schemas.ts';
import { isHeld } from './states.ts';
import { refundAnswer, viewRefund } from './view.ts';

const tag = 'Refunds';
const ofPayment = z.object({ internalPaymentId: uuidText.describe('`internalId` of the payment') });
const byId = z.object({ refundId: uuidText.describe('`id` of the refund') });
const reads = { tag, access: { kind: 'bearer', scope: 'payments:read' }, bucket: 'read' } as const;
const writes = { tag, access: { kind: 'bearer', scope: 'refunds:write' }, bucket: 'write' } as const;
const one = { description: 'The refund', schema: refundAnswer };

export function refundRoutes(core: Core): Route[] {
  return [
    declareRequest(core),
    declarePaymentList(core),
    declareRefundable(core),
    declareList(core),
    declareRead(core),
    declareCancel(core),
    declareSync(core),
  ];
}

function declareRequest(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: '/api/payments/{internalPaymentId}/refunds',
    operationId: 'createRefund',
    summary: 'Refund money',
    description:
      'The rail that took the money refunds it after this answer. `Prefer: wait=N` (at most 100 s) holds the answer ' +
      'until the outcome is known. `method: "manual"` records that you refunded the money yourself. A refund of an ' +
      'authorization refunds the money of its capture. Refunds never exceed the received money: a refund without an ' +
      'outcome reserves its amount.',
    params: ofPayment,
    body: refundRequest,
    checkBody: checkRefund,
    idempotent: true,
    prefers: 'wait=N holds the answer up to N seconds, at most 100',
    example: { amount: 500, reason: 'Devolvido um pano' },
    refusals: {
      400:
        'validation_failed, with every fault; transaction_required: there are several, name one; ' +
        'refund_whole_only: the account refunds whole transactions only',
      403:
        'insufficient_scope; cashier_limit: a cashier refunds at most the merchant’s `cashierRefundLimit` ' +
        'in a day',
      409: 'payment_not_paid, nothing_to_refund, refund_unsupported, refund_in_progress or idempotency_in_progress',
    },
    answers: { 201: { description: 'Recorded', schema: refundAnswer, headers: { Location: 'The refund' } } },
    async run({ caller, params, body, keyed, address, ctx }) {
      const { merchantId } = caller;
      const paymentId = params.internalPaymentId.toLowerCase();
      const input = { merchantId, paymentId, request: body, actor: actorOf(caller, address), keyed };
      const { answer, refund, order } = await requestRefund(core, input);
      const { waitS } = readPrefer(ctx);
      if (order) core.inBackground(submitAttempt(core, order));
      if (refund && (!order || waitS === 0)) return answer;
      // A repeat shows the refund in its current state.
      const refundId = refund?.id ?? (JSON.parse(String(answer.body)) as { id: string }).id;
      const look = async () => viewRefund(await findOwn(core, { merchantId, refundId }));
      const now = await look();
      const shown = { ...answer, body: now };
      if (waitS === 0 || !isHeld(now)) return shown;
      const isOver = (one: typeof now) => !isHeld(one);
      return waitFor(core, now.paymentId, { look, isOver, answer: shown, waitS, ctx });
    },
  });
}

function declarePaymentList(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: '/api/payments/{internalPaymentId}/refunds',
    operationId: 'listPaymentRefunds',
    summary: 'Refunds of a payment, newest first',
    description: 'Of an authorization those of its captures.',
    params: ofPayment,
    query: refundQuery,
    answers: { 200: { description: 'A page', schema: viewPageWithNext.schema(refundAnswer) } },
    async run({ caller, params, query: input }) {
      const id = params.internalPaymentId.toLowerCase();
      const ids = (await findPaymentIds.all(core, { id, merchantId: caller.merchantId })).map((payment) => payment.id);
      if (!ids.includes(id)) throw new Problem('not_found');
      return listRefunds(core, caller.merchantId, { ...input, ids });
    },
  });
}

function declareRefundable(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: '/api/payments/{internalPaymentId}/refundable',
    operationId: 'listRefundable',
    summary: 'Refundable money of a payment',
    description:
      'The refundable part of each transaction, and whether its account refunds it. Newest first, at most 100. ' +
      'An authorization lists the transactions of its captures.',
    params: ofPayment,
    answers: { 200: { description: 'Each transaction with a refundable part', schema: refundable } },
    run: async ({ caller: { merchantId }, params }) => ({
      status: 200,
      body: await listRefundable(core, { id: params.internalPaymentId.toLowerCase(), merchantId }),
    }),
  });
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: '/api/refunds',
    operationId: 'listRefunds',
    summary: 'List refunds, newest first',
    query: refundQuery,
    answers: { 200: { description: 'A page', schema: viewPageWithNext.schema(refundAnswer) } },
    csv: {
      name: { pt: 'devolucoes', en: 'refunds', fr: 'remboursements' },
      columns: COLUMNS,
      rows: ({ caller, query: input }) => readExported(core, caller.merchantId, input),
    },
    run: ({ caller, query: input }) => listRefunds(core, caller.merchantId, input),
  });
}

type Listed = z.output<typeof refundQuery> & { /** Lists only the refunds of these payments. */ ids?: string[] };

async function listRefunds(core: Core, merchantId: string, input: Listed) {
  const { status, method, reference, ids } = input;
  const { page, total } = await readPage<Refund>(core, {
    list: REFUNDS,
    merchantId,
    query: input,
    keys: { status, method },
    isSelective: [reference, ids].some((filter) => filter ?? false),
    rows: (tables, { from, to }) => listOwn(tables, merchantId, { ...input, from, to }),
    mergedKeys: { status: REFUND_STATUSES, method: REFUND_METHODS },
    order: ['createdAt', 'id'],
  });
  return { status: 200, body: viewPageWithNext({ ...page, rows: page.rows.map(viewRefund) }, input, total) };
}

function listOwn(tables: Kysely<Tables>, merchantId: string, { status, method, reference, from, to, ids }: Listed) {
  return tables
    .selectFrom('refunds')
    .where((eb) => eb.and(presentFilters({ merchantId, status, method, reference })))
    .where((eb) =>
      eb.and([
        ...(from ? [eb('createdAt', '>=', from)] : []),
        ...(to ? [eb('createdAt', '<', to)] : []),
        ...(ids ? [eb('paymentId', ...isAny(ids))] : []),
      ]),
    );
}

function readExported(core: Core, merchantId: string, input: Listed) {
  const list = readNewestFirst(core, core.clock.now(), { at: 'createdAt', id: 'id' }, (tables) =>
    listOwn(tables, merchantId, input).select([
      ...OWN_COLUMNS.map(({ from }) => from),
      nameOf('requestedByKind', 'requestedById').as('refunder'),
    ]),
  );
  return withPaymentFields(core, list, ({ paymentId }) => paymentId);
}

const OWN_COLUMNS = [
  { kind: 'time', from: 'createdAt', pt: 'Criado em', en: 'Created at', fr: 'Créé le' },
  { kind: 'time', from: 'completedAt', pt: 'Concluído em', en: 'Completed at', fr: 'Terminé le' },
  { kind: 'code', from: 'id', pt: 'Id', en: 'Id', fr: 'Id' },
  { kind: 'code', from: 'paymentId', pt: 'Id do pagamento', en: 'Payment id', fr: 'Id du paiement' },
  { kind: 'code', from: 'status', words: REFUND_STATUS_WORDS, pt: 'Estado', en: 'Status', fr: 'État' },
  {
    kind: 'code',
    from: 'method',
    words: REFUND_METHOD_WORDS,
    pt: 'Como foi devolvido',
    en: 'Method',
    fr: 'Mode de remboursement',
  },
  { kind: 'money', from: 'amountMinor', currency: 'currency', pt: 'Montante', en: 'Amount', fr: 'Montant' },
  { kind: 'code', from: 'currency', pt: 'Moeda', en: 'Currency', fr: 'Devise' },
  { kind: 'text', from: 'reference', pt: 'Referência', en: 'Reference', fr: 'Référence' },
  { kind: 'text', from: 'reason', pt: 'Motivo', en: 'Reason', fr: 'Motif' },
  { kind: 'text', from: 'proof', pt: 'Comprovativo', en: 'Proof', fr: 'Justificatif' },
  { kind: 'day', from: 'refundedOn', pt: 'Devolvido em', en: 'Refunded on', fr: 'Remboursé le' },
  { kind: 'code', from: 'failureCode', words: FAILURE_WORDS, pt: 'Falha', en: 'Failure', fr: 'Échec' },
  { kind: 'flag', from: 'late', pt: 'Tardio', en: 'Late', fr: 'Tardif' },
] as const satisfies CsvColumn<string>[];

const COLUMNS = [
  ...OWN_COLUMNS,
  { kind: 'text', from: 'refunder', pt: 'Devolvido por', en: 'Refunded by', fr: 'Remboursé par' },
  ...PAYER_COLUMNS,
] as const satisfies CsvColumn<string>[];

function declareRead(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: '/api/refunds/{refundId}',
    operationId: 'readRefund',
    summary: 'Read one refund',
    params: byId,
    answers: { 200: one },
    run: async ({ caller: { merchantId }, params }) => ({
      status: 200,
      body: viewRefund(await findOwn(core, { merchantId, ...params })),
    }),
  });
}

function declareCancel(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: '/api/refunds/{refundId}/cancel',
    operationId: 'cancelRefund',
    summary: 'Withdraw a refund that the rail has not got yet',
    description:
      'While the rail cannot be reached a refund stays Pending and goes out by itself. Repeating it changes nothing.',
    params: byId,
    refusals: { 409: 'refund_not_cancelable: the rail has it, or may have it, or it is over' },
    answers: { 200: one },
    run: async ({ caller, params, address }) => ({
      status: 200,
      body: viewRefund(
        await cancelRefund(core, { merchantId: caller.merchantId, ...params }, actorOf(caller, address)),
      ),
    }),
  });
}

function declareSync(core: Core): Route {
  return route({
    ...reads,
    method: 'POST',
    path: '/api/refunds/{refundId}/sync',
    operationId: 'syncRefund',
    summary: 'Refresh a refund from its rail',
    params: byId,
    refusals: { 503: 'rail_unavailable: the rail did not answer the query' },
    answers: { 200: one },
    run: async ({ caller: { merchantId }, params }) => ({
      status: 200,
      body: viewRefund(await syncRefund(core, { merchantId, ...params })),
    }),
  });
}
