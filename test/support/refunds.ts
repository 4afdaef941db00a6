// Refunds of payments that were paid, and the comparison of all refunds with their transactions.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { CallOptions, Reply, TestApp } from './app.ts';
import { readRailBooks } from './lone-rail.ts';
import { deliver, sendNotification } from './notify.ts';
import { create, purchase, travelToStatus, travelUntil } from './payments.ts';

/** Two phone numbers whose pushes the simulator approves. */
const APPROVING = '900000000';
export const APPROVING_TOO = '900000006';

/** Creates a paid push of 1500.00, with `changes`. */
export async function createPaid(app: TestApp, changes: Record<string, unknown> = {}, phone = APPROVING): Promise<any> {
  const { id } = await create(app, purchase(phone, changes));
  return travelToStatus(app, id, 'Paid');
}

export function refund(app: TestApp, paymentId: string, body: object = {}, options: CallOptions = {}): Promise<Reply> {
  return app.call(`/api/payments/${paymentId}/refunds`, { body, ...options });
}

/** Creates a refund and expects 201. */
export async function createRefund(app: TestApp, paymentId: string, body: object = {}): Promise<any> {
  const reply = await refund(app, paymentId, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
}

export const byHand = (changes: object = {}) => ({ method: 'manual', proof: 'TRF 2026/118', ...changes });

export async function readRefund(app: TestApp, id: string): Promise<any> {
  return (await app.call(`/api/refunds/${id}`)).json;
}

/** Moves the test clock until the refund has this status. */
export function travelToRefund(app: TestApp, id: string, status: string): Promise<any> {
  const read = async () => {
    const found = await readRefund(app, id);
    return found.status === status ? found : null;
  };
  return travelUntil(app, read, `refund ${id} being ${status}`);
}

export async function readRefundEvents(app: TestApp, paymentId: string): Promise<any[]> {
  const { json } = await app.call(`/api/payments/${paymentId}/events`);
  return json.data.filter(({ type }: { type: string }) => type.startsWith('refund.'));
}

/** Expects that the refunded amount of every transaction and payment is the sum of its refunds. */
export async function expectRefundsAgree({ sql }: Pick<TestApp, 'sql'>): Promise<void> {
  const sum = (statuses: string) => `(select coalesce(sum(r.amount_minor), 0) from refunds r
    where r.transaction_id = t.id and r.status in (${statuses}))`;
  const wrong = await sql(`select t.id, t.amount_minor, t.refunded_minor, t.refunding_minor from transactions t
    where t.refunded_minor <> ${sum(`'Succeeded'`)} or t.refunding_minor <> ${sum(`'Pending', 'Processing'`)}`);
  expect(wrong).toEqual([]);
  const payments = await sql(`
    select p.id from payments p where p.payment_method <> 'authorization' and p.refunded_minor <>
      (select coalesce(sum(t.refunded_minor), 0) from transactions t
       where t.payment_id = p.id and t.currency = p.currency)`);
  expect(payments).toEqual([]);
}

export async function readRailRefunds(app: TestApp, reference: string): Promise<any[]> {
  const { refunds } = await readRailBooks(app);
  return refunds.filter((one: { reference: string }) => one.reference === reference);
}

/** Sends the rail's notification of a refund and returns its outcome in the inbox. */
export function notifyRefund(app: TestApp, refundId: string, changes: object = {}): Promise<string> {
  const [id, at] = [randomUUID(), app.clock.now().toISOString()];
  const terms = { status: 'APPROVED', transactionId: randomUUID(), amount: '1500.00', currency: 'AOA', decidedAt: at };
  const body = JSON.stringify({ id, type: 'refund', createdAt: at, refund: { id: refundId, ...terms, ...changes } });
  return deliver(app, sendNotification, body, id);
}
