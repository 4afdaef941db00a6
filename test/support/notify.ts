// Signed notifications of the simulated GPO and SMS rails with any content.
import { randomUUID } from 'node:crypto';
import { signMessage } from '../../server/http/signature.ts';
import { until, type Reply, type TestApp } from './app.ts';
import { create, purchase } from './payments.ts';

/** The key of notifications for an app with this environment. */
export const NOTIFY_ENV = { GPO_KEY: 'a key for notifications of tests' };

export const NOTIFY_PATH = '/rails/gpo/notifications';

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

/** Returns a notification's body. */
export function writeNotification(
  app: TestApp,
  attemptId: string,
  verdict: Verdict,
  id: string = randomUUID(),
  kind: 'purchase' | 'authorization' | 'capture' | 'void' = 'purchase',
): string {
  const terms = { amount: '1500.00', currency: 'AOA', terminalId: 'demo-pos', phone: `+244${PENDING_PHONE}` };
  const decidedAt = app.clock.now().toISOString();
  const order = { id: attemptId, ...terms, transactionNumber: '7', clearingPeriod: '20', ...verdict, decidedAt };
  return JSON.stringify({ id, type: kind, createdAt: decidedAt, [kind]: order });
}

export type SendOptions = {
  key?: string;
  signedAt?: Date;
  headers?: Record<string, string>;
  /** A body that is sent in place of the signed body. */
  instead?: string;
};

/** Sends a body to the GPO rail's path, signed now with the right key by default. */
export const sendNotification = (app: TestApp, body: string | Uint8Array, options: SendOptions = {}): Promise<Reply> =>
  sendSigned(app, NOTIFY_PATH, body, { key: NOTIFY_ENV.GPO_KEY, ...options });

function sendSigned(app: TestApp, path: string, body: string | Uint8Array, options: SendOptions & { key: string }) {
  const message = { method: 'POST', path, body: Buffer.from(body) };
  const headers = { ...signMessage(options.key, message, options.signedAt ?? app.clock.now()), ...options.headers };
  return app.call(path, { body: options.instead ?? body, token: null, headers });
}

/** Sends a notification of an outcome, waits until it is applied, and returns the inbox row's outcome. */
export async function notify(
  app: TestApp,
  attemptId: string,
  verdict: Verdict,
  kind: 'purchase' | 'authorization' = 'purchase',
): Promise<string> {
  const id = randomUUID();
  const reply = await sendNotification(app, writeNotification(app, attemptId, verdict, id, kind));
  if (reply.status !== 200) throw new Error(`not taken: ${reply.status} ${reply.text}`);
  return untilApplied(app, id);
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

export const SMS_NOTIFY_PATH = '/rails/sms/notifications';

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

export function sendSmsNotification(
  app: TestApp,
  body: string | Uint8Array,
  options: SendOptions = {},
): Promise<Reply> {
  const { config, keyring } = app.node.core;
  const key = config.SMS_KEY ?? keyring.derive('rail:sms').toString('base64url');
  return sendSigned(app, SMS_NOTIFY_PATH, body, { key, ...options });
}

/** Sends a notification, waits until it is applied, and returns the outcome. */
export async function notifySms(app: TestApp, body: string): Promise<string> {
  const { status, text } = await sendSmsNotification(app, body);
  if (status !== 200) throw new Error(`not accepted: ${status} ${text}`);
  return untilApplied(app, JSON.parse(body).id);
}
