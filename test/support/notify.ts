// The rail's own voice: notifications about pushes, signed as the rail signs them, saying whatever a test wants said.
import { randomUUID } from 'node:crypto';
import { signMessage } from '../../server/http/signature.ts';
import { until, type Reply, type TestApp } from './app.ts';
import { create, purchase } from './payments.ts';

/** An app whose environment has this key believes these notifications. */
export const NOTIFY_ENV = { GPO_KEY: 'a key for notifications of tests' };

export const NOTIFY_PATH = '/rails/gpo/notifications';

/** A number whose pushes wait for a person, who never comes. */
export const SOMEBODY = '923000001';

export type Verdict = {
  status: 'APPROVED' | 'DECLINED';
  reason?: string;
  transactionId?: string;
  amount?: string;
  currency?: string;
};

/** A refusal for a reason of docs/rail.md. */
export function declined(reason: string): Verdict {
  return { status: 'DECLINED', reason };
}

/** The whole amount, or what `changes` says, under a transaction id of its own. */
export function approved(changes: Partial<Verdict> = {}): Verdict {
  return { status: 'APPROVED', transactionId: randomUUID(), ...changes };
}

/** A notification's body; `id` is the notification's own. */
export function writeNotification(
  app: TestApp,
  attemptId: string,
  verdict: Verdict,
  id: string = randomUUID(),
  kind: 'purchase' | 'authorization' | 'capture' | 'void' = 'purchase',
): string {
  const terms = { amount: '1500.00', currency: 'AOA', terminalId: 'demo-pos', phone: `+244${SOMEBODY}` };
  const decidedAt = app.clock.now().toISOString();
  const order = { id: attemptId, ...terms, transactionNumber: '7', clearingPeriod: '20', ...verdict, decidedAt };
  return JSON.stringify({ id, type: kind, createdAt: decidedAt, [kind]: order });
}

export type SendOptions = {
  key?: string;
  signedAt?: Date;
  headers?: Record<string, string>;
  /** Sent in place of what was signed. */
  instead?: string;
};

/** Sends bytes to the gateway, signed now with the right key unless told otherwise. */
export function sendNotification(app: TestApp, body: string | Uint8Array, options: SendOptions = {}): Promise<Reply> {
  const { key = NOTIFY_ENV.GPO_KEY, signedAt = app.clock.now() } = options;
  const message = { method: 'POST', path: NOTIFY_PATH, body: Buffer.from(body) };
  const headers = { ...signMessage(key, message, signedAt), ...options.headers };
  return app.call(NOTIFY_PATH, { body: options.instead ?? body, token: null, headers });
}

/** Sends a verdict on an attempt and waits until it was applied; answers what came of it. */
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

/** What came of a stored notification, once it was applied. */
export function untilApplied(app: TestApp, notificationId: string): Promise<string> {
  return until(async () => {
    const [row] = await app.sql(`select outcome, applied_at from inbox where strpos(body, $1) > 0`, [notificationId]);
    return row?.applied_at && row.outcome;
  }, `notification ${notificationId} being applied`);
}

/** The pushes of a payment, the oldest first. */
export async function readAttempts(app: TestApp, paymentId: string): Promise<any[]> {
  return app.sql('select * from attempts where payment_id = $1 order by created_at, id', [paymentId]);
}

/** The newest push of a payment, once the rail has it. */
export function untilSent(app: TestApp, paymentId: string): Promise<any> {
  return until(async () => {
    const attempt = (await readAttempts(app, paymentId)).at(-1);
    return attempt?.status === 'Sent' && attempt;
  }, `the push of ${paymentId} being sent`);
}

/** A onetimepurchase of 1500.00 whose push waits at a phone. */
export async function createPushed(app: TestApp, changes: Record<string, unknown> = {}) {
  const payment = await create(app, purchase(SOMEBODY, changes));
  const attempt = await untilSent(app, payment.id);
  return { payment, attemptId: attempt.id as string };
}

/** The payment as the API shows it. */
export async function readPayment(app: TestApp, id: string): Promise<any> {
  return (await app.call(`/api/payments/${id}`)).json;
}

/** Event types of a payment, the oldest first; how its merchant was told is callbacks' own affair. */
export async function readEventTypes(app: TestApp, id: string): Promise<string[]> {
  const { json } = await app.call(`/api/payments/${id}/events`);
  return json.data.map((event: { type: string }) => event.type).filter((type: string) => !type.startsWith('callback.'));
}
