// The client of an SMS rail of our own protocol (docs/rail.md): messages, delivery reports and replies.
import { z } from 'zod';
import { normalizePhone } from '../../../shared/phone.ts';
import {
  createSignedCall,
  explainStatus,
  parseAnswer,
  readCode,
  readFields,
  readText,
  readTime,
  type CallFailure,
  type RailAnswer,
  type RailOptions,
} from '../rail-call.ts';
import type { NotificationItem } from '../connector.ts';
import type { SmsOrder, SmsOutcome, SmsRail, SmsReply } from '../message.ts';

/** Creates a client of one SMS rail of our own protocol. The caller records the outcomes. */
export function createSmsRail(options: RailOptions): SmsRail {
  const call = createSignedCall(options);
  // The rail may have sent the message. A repeat with the same id is safe, since the rail sends each id once.
  const onFailure = (error: CallFailure) => makeUnknown(error.code);
  return {
    send(order) {
      const read = (answer: RailAnswer) => readSending(answer, order.messageId);
      return call({ method: 'POST', path: '/v1/messages', body: writeMessage(order), read, onFailure });
    },
    query({ messageId }) {
      const read = (answer: RailAnswer) => readQuery(answer, messageId);
      return call({ method: 'GET', path: `/v1/messages/${encodeURIComponent(messageId)}`, read, onFailure });
    },
  };
}

/** Writes the body of an SMS. The same order gives the same bytes, so that the rail recognizes a repeat. */
export function writeMessage({ messageId, sender, to, text }: SmsOrder): string {
  return JSON.stringify({ id: messageId, sender, to, text });
}

/** Reads the answer to an order to send an SMS (`POST`). */
export function readSending(answer: RailAnswer, messageId: string): SmsOutcome {
  const { status } = answer;
  if (status === 200 || status === 202) return readAnswer(answer, messageId);
  const isRefused = status >= 400 && status < 500 && !INCONCLUSIVE_STATUSES.includes(status);
  return isRefused
    ? { result: 'failed', reason: 'rail_refused', occurredAt: null }
    : makeUnknown(explainStatus(answer).reason);
}

/** HTTP statuses that do not refuse the SMS itself. 409: the rail has this id already. The others are temporary. */
const INCONCLUSIVE_STATUSES = [401, 408, 409, 425, 429];

/** Reads the answer to a status query of an SMS (`GET`). */
export function readQuery(answer: RailAnswer, messageId: string): SmsOutcome {
  if (answer.status === 200) return readAnswer(answer, messageId);
  const isUnseen = answer.status === 404 && readCode(answer) === 'UNKNOWN_MESSAGE';
  return isUnseen ? { result: 'not_found', reason: null, occurredAt: null } : makeUnknown(explainStatus(answer).reason);
}

function readAnswer({ body }: RailAnswer, messageId: string): SmsOutcome {
  const message = readFields(parseAnswer(body));
  const id = readText(message.id);
  if (!id) return makeUnknown('unreadable');
  return id === messageId ? readMessage(message) : makeUnknown('other_message');
}

/** The rail's statuses of an SMS. Any other status leaves the SMS unknown. */
const RESULTS: ReadonlyMap<string, 'accepted' | 'delivered' | 'failed'> = new Map([
  ['QUEUED', 'accepted'],
  ['SENT', 'accepted'],
  ['DELIVERED', 'delivered'],
  ['UNDELIVERED', 'failed'],
  ['EXPIRED', 'failed'],
  ['REJECTED', 'failed'],
]);

/** Translates the rail's reason or status of a failed SMS. Any other reason becomes `undeliverable`. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['INVALID_NUMBER', 'invalid_number'],
  ['NUMBER_NOT_ACTIVE', 'number_not_active'],
  ['SENDER_NOT_ALLOWED', 'sender_not_allowed'],
  ['BLOCKED', 'blocked'],
  ['EXPIRED', 'expired'],
]);

/** Reads an SMS from an answer or a rail notification. */
export function readMessage(message: Record<string, unknown>): SmsOutcome {
  const status = readText(message.status);
  if (!status) return makeUnknown('unreadable');
  const result = RESULTS.get(status);
  if (!result) return makeUnknown('status_unknown');
  if (result === 'accepted') return { result, reason: null, occurredAt: null };
  const occurredAt = readTime(message.decidedAt);
  if (result === 'delivered') return { result, reason: null, occurredAt };
  const reason = REASONS.get(readText(message.reason) ?? '') ?? REASONS.get(status);
  return { result, reason: reason ?? 'undeliverable', occurredAt };
}

/** Creates an unknown outcome of an SMS with its reason. */
function makeUnknown(reason = 'rail_error'): SmsOutcome {
  return { result: 'unknown', reason, occurredAt: null };
}

/** Maximum length of a stored reply, far above ten SMS parts. Opt-outs depend only on the reply's first word. */
const MAX_REPLY = 2_000;

/** Reads an SMS notification with a verified signature. Null for an unknown type or an unreadable body. */
export function readSmsNotification(rawBody: string): NotificationItem | null {
  const notification = readFields(parseAnswer(rawBody));
  const notificationId = readText(notification.id);
  if (!notificationId) return null;
  if (notification.type === 'message_status') {
    const message = readFields(notification.message);
    const messageId = readId(message.id);
    return messageId ? { notificationId, about: 'message', messageId, outcome: readMessage(message) } : null;
  }
  const reply = notification.type === 'message_reply' ? readReply(readFields(notification.reply)) : null;
  return reply && { notificationId, about: 'reply', reply };
}

function readReply({ from, to, text, messageId }: Record<string, unknown>): SmsReply | null {
  const sides = { from: readPhone(from), to: readText(to) };
  if (!sides.from || !sides.to || typeof text !== 'string') return null;
  // PostgreSQL accepts neither NUL nor half of a surrogate pair.
  const shown = text.slice(0, MAX_REPLY).replaceAll('\0', '').toWellFormed();
  return { from: sides.from, to: sides.to, text: shown, messageId: readId(messageId) };
}

/** Reads the id of one of our SMS, which is a UUID. Null for any other id. */
function readId(value: unknown): string | null {
  return z.uuid().safeParse(value).data ?? null;
}

/** Reads a phone number. Angolan numbers become E.164. Foreign numbers stay in the rail's format. */
function readPhone(value: unknown): string | null {
  const phone = readText(value);
  return phone && (normalizePhone(phone) ?? phone);
}
