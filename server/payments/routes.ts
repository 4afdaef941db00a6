// The payments API (interface.md "Payments").
import { z } from 'zod';
import { isFinal } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { findRow, findRows } from '../database/rows.ts';
import { Event } from '../events/entities.ts';
import { readPrefer } from '../http/idempotency.ts';
import { pageOf, viewPage } from '../http/paging.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import type { GpoRail } from '../providers/provider.ts';
import { sendPush } from './charge.ts';
import { createPayment } from './create.ts';
import { Payment, Transaction } from './entities.ts';
import { checkCreation, creationRequest, listQuery } from './schemas.ts';
import { syncPayment } from './sync.ts';
import { listedPayment, paymentDetails, viewListed, viewPayment } from './view.ts';

const byId = z.object({ paymentId: z.string() });
const message = z.object({ message: z.string() });
const EXAMPLE = {
  amount: 1500,
  currency: 'AOA',
  paymentType: 'GPO',
  reference: 'PEDIDO-1',
  metadata: { paymentMethod: 'onetimepurchase', phoneNumber: '923 456 789', custom: { order: 1 } },
};

const history = z.object({
  data: z.array(
    z.object({
      id: z.uuid(),
      type: z.string(),
      status: z.string().nullable(),
      occurredAt: z.iso.datetime(),
      details: z.looseObject({}),
    }),
  ),
});

export function paymentRoutes(core: Core, rail: GpoRail): Route[] {
  return [
    declareCreation(core, rail),
    declareList(core),
    declareRead(core),
    declareHistory(core),
    declareSync(core, rail),
  ];
}

function declareCreation(core: Core, rail: GpoRail): Route {
  return route({
    method: 'POST',
    path: '/api/payments',
    operationId: 'createPayment',
    tag: 'Payments',
    summary: 'Create a payment',
    description:
      'Answers 201 as soon as the payment is committed; a push goes out after. `Prefer: wait=N` (RFC 7240, at most 100 s) holds the answer until the payment is no longer Processing.',
    access: { kind: 'bearer', scope: 'payments:write' },
    bucket: 'write',
    body: creationRequest,
    checkBody: checkCreation,
    idempotent: true,
    prefers: 'wait=N holds the answer up to N seconds, at most 100',
    example: EXAMPLE,
    refusals: { 409: 'reference_in_flight (with the first payment’s internalId) or idempotency_in_progress' },
    answers: { 201: { description: 'Created', schema: paymentDetails } },
    async run({ caller, body, keyed, ctx }) {
      const { answer, paymentId, push } = await createPayment(core, caller.merchantId, body, keyed);
      if (push) core.inBackground(sendPush(core, rail, push));
      const { waitS } = readPrefer(ctx);
      if (!push || !paymentId || waitS === 0) return answer;
      try {
        await waitWhileProcessing(core, paymentId, waitS * 1000, ctx.req.socket);
        const waited = await describePayment(core, caller.merchantId, paymentId);
        return { ...answer, body: waited, headers: { 'Preference-Applied': `wait=${waitS}` } };
      } catch (error) {
        // The payment exists and its push is out: whatever fails now, that is what the caller must hear.
        core.log.warn({ err: error }, 'could not wait for a payment');
        return answer;
      }
    },
  });
}

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
    answers: { 200: { description: 'A page', schema: viewPage.schema(listedPayment) } },
    async run({ caller, query }) {
      const { status, paymentType, reference, from, to } = query;
      const createdAt = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
      const where = {
        merchantId: caller.merchantId,
        ...(status && { status }),
        ...(paymentType && { paymentType }),
        ...(reference && { reference }),
        ...((from || to) && { createdAt }),
      };
      const options = { ...pageOf(query), orderBy: { createdAt: 'desc', id: 'desc' } } as const;
      const [payments, total] = await core.orm.em.fork().findAndCount(Payment, where, options);
      return { status: 200, body: viewPage(payments.map(viewListed), query, total) };
    },
  });
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
    answers: { 200: { description: 'The payment', schema: paymentDetails } },
    run: async ({ caller, params }) => ({
      status: 200,
      body: await describePayment(core, caller.merchantId, params.paymentId),
    }),
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
      const events = await core.orm.em.fork().find(Event, { paymentId: id }, { orderBy: { seq: 'asc' } });
      const data = events.map(({ id, type, status, occurredAt, details }) => ({
        id,
        type,
        status: status ?? null,
        occurredAt,
        details,
      }));
      return { status: 200, body: { data } };
    },
  });
}

function declareSync(core: Core, rail: GpoRail): Route {
  return route({
    method: 'POST',
    path: '/api/payments/{paymentId}/sync',
    operationId: 'syncPayment',
    tag: 'Payments',
    summary: 'Refresh a payment from its provider',
    description: 'With `Prefer: return=representation` the answer also carries `status`.',
    prefers: 'return=representation adds status',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    params: byId,
    answers: { 200: { description: 'Refreshed', schema: message.extend({ status: z.string().optional() }) } },
    async run({ caller, params, ctx }) {
      const { id } = await findOwn(core, caller.merchantId, params.paymentId);
      await syncPayment(core, rail, id);
      const { status } = await findOwn(core, caller.merchantId, id);
      const text = isFinal(status) ? `The payment is ${status}.` : `The payment is still ${status}.`;
      const extra = readPrefer(ctx).wantsRepresentation ? { status } : {};
      return { status: 200, body: { message: text, ...extra } };
    },
  });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws Problem not_found for what does not exist and for what is another merchant's alike */
async function findOwn(core: Core, merchantId: string, id: string): Promise<Payment> {
  const isOwn = 'id = $1 and merchant_id = $2';
  const payment = UUID.test(id) ? await findRow(core, Payment, isOwn, [id, merchantId]) : null;
  if (!payment) throw new Problem('not_found');
  return payment;
}

async function describePayment(core: Core, merchantId: string, id: string): Promise<object> {
  const payment = await findOwn(core, merchantId, id);
  // Nothing paid, nothing to read: the usual case of a payment that is being watched.
  const mayHaveMoney = payment.amountPaidMinor > 0 || payment.flags.length > 0;
  const inOrder = 'payment_id = $1 order by occurred_at, id';
  const transactions = mayHaveMoney ? await findRows(core, Transaction, inOrder, [id]) : [];
  return viewPayment(core, payment, transactions);
}

/** Ends when the payment is no longer Processing, after `timeoutMs`, or when the caller went away. */
async function waitWhileProcessing(
  core: Core,
  id: string,
  timeoutMs: number,
  socket: NodeJS.EventEmitter,
): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const signal = AbortSignal.any([ended.signal, core.stopping]);
  const look = async () => {
    const payment = await findRow(core, Payment, 'id = $1', [id]);
    if (payment?.status !== 'Processing') end();
  };
  // Subscribed before the first look, so that no change falls in between; errors end the wait, the read after tells.
  const unsubscribe = core.changes.subscribe(`payment:${id}`, () => void look().catch(end));
  socket.once('close', end);
  await look().catch(end);
  await core.clock.wait(timeoutMs, signal);
  unsubscribe();
  socket.off('close', end);
}
