// Signed notifications of the simulated rails with any content.
import { randomUUID } from 'node:crypto';
import { signMessage } from '../../server/http/signature.ts';
import { nodeRailKeys, type NodeRailKeys } from '../../server/rails/node-rails.ts';
import type { OrderKind } from '../../server/providers/provider.ts';
import { until, type Reply, type TestApp } from './app.ts';
import { create, purchase } from './payments.ts';

/** The key of notifications for an app with this environment. */
export const NOTIFY_ENV = { GPO_KEY: 'a key for notifications of tests' };

export const NOTIFY_PATH = '/rails/gpo/notifications';
export const SMS_NOTIFY_PATH = '/rails/sms/notifications';

/** The phone number of a payer who does not react, so that pushes to it stay pending. */
export const PENDING_PHONE = '923000001';

export type Verdict = {
  status: 'APPROVED' | 'DECLINED';
  reason?: string;
  transactionId?: string;
  amount?: string;
  currency?: string;
};

export function declined(reason: string): Verdict {
  return { status: 'DECLINED', reason };
}

/** Returns a notification that approves the whole amount under a new transaction id, with `changes`. */
export function approved(changes: Partial<Verdict> = {}): Verdict {
  return { status: 'APPROVED', transactionId: randomUUID(), ...changes };
}

/** Returns a notification's body. That of a void has no money. */
export function writeNotification(
  app: TestApp,
  attemptId: string,
  verdict: Verdict,
  id: string = randomUUID(),
  kind: OrderKind = 'purchase',
): string {
  const money = { amount: '1500.00', currency: 'AOA', transactionNumber: '7', clearingPeriod: '20' };
  const terms = { ...money, terminalId: 'demo-pos', phone: `+244${PENDING_PHONE}` };
  const decidedAt = app.clock.now().toISOString();
  const order = { id: attemptId, ...(kind === 'void' ? {} : terms), ...verdict, decidedAt };
  return JSON.stringify({ id, type: kind, createdAt: decidedAt, [kind]: order });
}

export type SendOptions = {
  key?: string;
  signedAt?: Date;
  headers?: Record<string, string>;
  /** A body that is sent in place of the signed body. */
  instead?: string | Uint8Array;
};

/** Sends a body to a rail's path, signed now with the rail's key by default. */
export function sendSigned(
  app: TestApp,
  rail: keyof NodeRailKeys,
  body: string | Uint8Array,
  { key = nodeRailKeys(app.node.core)[rail], signedAt = app.clock.now(), headers, instead = body }: SendOptions = {},
): Promise<Reply> {
  const path = `/rails/${rail}/notifications`;
  const signed = signMessage(key, { method: 'POST', path, body: Buffer.from(body) }, signedAt);
  return app.call(path, { body: instead, token: null, headers: { ...signed, ...headers } });
}

export type Send = (app: TestApp, body: string | Uint8Array, options?: SendOptions) => Promise<Reply>;
export const sendNotification: Send = (app, body, options) => sendSigned(app, 'gpo', body, options);
export const sendSmsNotification: Send = (app, body, options) => sendSigned(app, 'sms', body, options);

/** Sends a notification with this id, waits until it is applied, and returns the inbox row's outcome. */
export async function deliver(app: TestApp, send: Send, body: string, id: string): Promise<string> {
  const { status, text } = await send(app, body);
  if (status !== 200) throw new Error(`not accepted: ${status} ${text}`);
  return untilApplied(app, id);
}

/** Sends a notification of an order's outcome and returns the inbox row's outcome. */
export function notify(app: TestApp, attemptId: string, verdict: Verdict, kind?: OrderKind): Promise<string> {
  const id = randomUUID();
  return deliver(app, sendNotification, writeNotification(app, attemptId, verdict, id, kind), id);
}

/** Waits until a stored notification is applied and returns the outcome. */
export function untilApplied(app: TestApp, notificationId: string): Promise<string> {
  return until(async () => {
    const [row] = await app.sql(`select outcome, applied_at from inbox where strpos(body, $1) > 0`, [notificationId]);
    return row?.applied_at && row.outcome;
  }, `notification ${notificationId} being applied`);
}

export async function readAttempts(app: TestApp, paymentId: string): Promise<any[]> {
  return app.sql('select * from attempts where payment_id = $1 order by created_at, id', [paymentId]);
}

/** Waits until the rail has the newest push of a payment. */
export function untilSent(app: TestApp, paymentId: string): Promise<any> {
  return until(async () => {
    const attempt = (await readAttempts(app, paymentId)).at(-1);
    return attempt?.status === 'Sent' && attempt;
  }, `the push of ${paymentId} being sent`);
}

/** Creates a onetimepurchase of 1500.00 whose push is pending. */
export async function createPushed(app: TestApp, changes: Record<string, unknown> = {}) {
  const payment = await create(app, purchase(PENDING_PHONE, changes));
  const attempt = await untilSent(app, payment.id);
  return { payment, attemptId: attempt.id as string };
}

export async function readPayment(app: Pick<TestApp, 'call'>, id: string): Promise<any> {
  return (await app.call(`/api/payments/${id}`)).json;
}

/** Returns the types of a payment's events without those of callbacks, oldest first. */
export async function readEventTypes(app: TestApp, id: string): Promise<string[]> {
  const { json } = await app.call(`/api/payments/${id}/events`);
  return json.data.map((event: { type: string }) => event.type).filter((type: string) => !type.startsWith('callback.'));
}

/** Returns the body of a report about a message. */
export function writeReport(app: TestApp, messageId: string, change: object = {}, id: string = randomUUID()): string {
  const at = app.clock.now().toISOString();
  const message = { id: messageId, status: 'DELIVERED', reason: null, createdAt: at, decidedAt: at, ...change };
  return JSON.stringify({ id, type: 'message_status', createdAt: at, message });
}

/** Returns the body of a reply, `PARAR` by default. */
export function writeAnswer(app: TestApp, reply: object, id: string = randomUUID()): string {
  const at = app.clock.now().toISOString();
  const full = { to: 'BALCAO', text: 'PARAR', messageId: null, receivedAt: at, ...reply };
  return JSON.stringify({ id, type: 'message_reply', createdAt: at, reply: full });
}

/** Sends a notification of the SMS rail and returns the inbox row's outcome. */
export const notifySms = (app: TestApp, body: string): Promise<string> =>
  deliver(app, sendSmsNotification, body, JSON.parse(body).id);
