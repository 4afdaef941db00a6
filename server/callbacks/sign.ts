// Signatures of event webhooks as the Standard Webhooks specification has them, so that its libraries verify ours.
import { createHmac, randomBytes } from 'node:crypto';

export type WebhookMessage = {
  /** The event's id: the same at every attempt. */
  id: string;
  /** Of this attempt: receivers refuse what is minutes away from their own clock. */
  timestamp: Date;
  /** Exactly as it is sent. */
  body: string;
  /** Each `whsec_…`: during a rotation the new one and the old one, and whoever has either believes the message. */
  secrets: readonly string[];
};

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** The three headers that go with a webhook; the signature has one `v1,…` for each secret. */
export function signWebhook({ id, timestamp, body, secrets }: WebhookMessage): Record<string, string> {
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

/** A new signing secret. */
export function makeSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}
