// The SMS rail's own voice: reports and answers, signed as the rail signs them, saying whatever a test wants said.
import { randomUUID } from 'node:crypto';
import { signMessage } from '../../server/http/signature.ts';
import type { Reply, TestApp } from './app.ts';
import { untilApplied, type SendOptions } from './notify.ts';

export const SMS_NOTIFY_PATH = '/rails/sms/notifications';

/** The body of a report; `id` is the notification's own. */
export function writeReport(app: TestApp, messageId: string, change: object = {}, id: string = randomUUID()): string {
  const at = app.clock.now().toISOString();
  const message = { id: messageId, status: 'DELIVERED', reason: null, createdAt: at, decidedAt: at, ...change };
  return JSON.stringify({ id, type: 'message_status', createdAt: at, message });
}

/** The body of an answer: `PARAR`, unless told otherwise. */
export function writeAnswer(app: TestApp, reply: object, id: string = randomUUID()): string {
  const at = app.clock.now().toISOString();
  const full = { to: 'BALCAO', text: 'PARAR', messageId: null, receivedAt: at, ...reply };
  return JSON.stringify({ id, type: 'message_reply', createdAt: at, reply: full });
}

/** Sends bytes to the gateway, signed now with the SMS rail's key unless told otherwise. */
export function sendSmsNews(app: TestApp, body: string | Uint8Array, options: SendOptions = {}): Promise<Reply> {
  const { config, keyring } = app.node.core;
  const own = config.SMS_KEY ?? keyring.derive('rail:sms').toString('base64url');
  const { key = own, signedAt = app.clock.now() } = options;
  const message = { method: 'POST', path: SMS_NOTIFY_PATH, body: Buffer.from(body) };
  const headers = { ...signMessage(key, message, signedAt), ...options.headers };
  return app.call(SMS_NOTIFY_PATH, { body: options.instead ?? body, token: null, headers });
}

/** Sends news and answers what came of it, once it was applied. */
export async function tellSmsNews(app: TestApp, body: string): Promise<string> {
  const { status, text } = await sendSmsNews(app, body);
  if (status !== 200) throw new Error(`not taken: ${status} ${text}`);
  return untilApplied(app, JSON.parse(body).id);
}
