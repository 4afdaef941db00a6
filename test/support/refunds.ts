// Refunds as tests make them: of payments that were really paid, and the books that must agree.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { CallOptions, Reply, TestApp } from './app.ts';
import { sendNotification, untilApplied } from './notify.ts';
import { create, purchase, travelToStatus, travelUntil } from './payments.ts';

/** A number that approves by itself, and another. */
const APPROVING = '900000000';
export const APPROVING_TOO = '900000006';

/** A push that was paid, as the API shows it: 1 500,00 Kz unless changed. */
export async function createPaid(app: TestApp, changes: Record<string, unknown> = {}, phone = APPROVING): Promise<any> {
  const { id } = await create(app, purchase(phone, changes));
  return travelToStatus(app, id, 'Paid');
}

export function refund(app: TestApp, paymentId: string, body: object = {}, options: CallOptions = {}): Promise<Reply> {
  return app.call(`/api/payments/${paymentId}/refunds`, { body, ...options });
}

/** The same, which must be taken. */
export async function createRefund(app: TestApp, paymentId: string, body: object = {}): Promise<any> {
  const reply = await refund(app, paymentId, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
}

export const byHand = (changes: object = {}) => ({ method: 'manual', proof: 'TRF 2026/118', ...changes });

export async function readRefund(app: TestApp, id: string): Promise<any> {
  return (await app.call(`/api/refunds/${id}`)).json;
}

/** The refund, once it has the wanted status, while the test's clock runs on. */
export function travelToRefund(app: TestApp, id: string, status: string): Promise<any> {
  const look = async () => {
    const read = await readRefund(app, id);
    return read.status === status ? read : null;
  };
  return travelUntil(app, look, `refund ${id} being ${status}`);
}

/** What a payment tells of refunds, by the events of its history. */
export async function readRefundEvents(app: TestApp, paymentId: string): Promise<any[]> {
  const { json } = await app.call(`/api/payments/${paymentId}/events`);
  return json.data.filter(({ type }: { type: string }) => type.startsWith('refund.'));
}

/** Of every transaction: what is said to be given back, or on its way, is what its refunds say. */
export async function expectRefundsAgree({ sql }: Pick<TestApp, 'sql'>): Promise<void> {
  const wrong = await sql(`
    select t.id, t.amount_minor, t.refunded_minor, t.refunding_minor from transactions t
    where t.refunded_minor <> (select coalesce(sum(r.amount_minor), 0) from refunds r where r.transaction_id = t.id and r.status = 'Succeeded')
      or t.refunding_minor <> (select coalesce(sum(r.amount_minor), 0) from refunds r
        where r.transaction_id = t.id and r.status in ('Pending', 'Processing'))`);
  expect(wrong).toEqual([]);
  const payments = await sql(`
    select p.id from payments p where p.payment_method <> 'authorization' and p.refunded_minor <>
      (select coalesce(sum(t.refunded_minor), 0) from transactions t where t.payment_id = p.id and t.currency = p.currency)`);
  expect(payments).toEqual([]);
}

/** What the rail's own books say of a payment's refunds. */
export async function readRailRefunds(app: TestApp, reference: string): Promise<any[]> {
  const { json } = await app.call('/sandbox/rail/books');
  return json.refunds.filter((one: { reference: string }) => one.reference === reference);
}

/** Tells what became of a refund, as the rail does; answers what came of it. */
export async function notifyRefund(app: TestApp, refundId: string, changes: object = {}): Promise<string> {
  const [id, at] = [randomUUID(), app.clock.now().toISOString()];
  const told = { status: 'APPROVED', transactionId: randomUUID(), amount: '1500.00', currency: 'AOA', decidedAt: at };
  const body = JSON.stringify({ id, type: 'refund', createdAt: at, refund: { id: refundId, ...told, ...changes } });
  expect((await sendNotification(app, body)).status).toBe(200);
  return untilApplied(app, id);
}
