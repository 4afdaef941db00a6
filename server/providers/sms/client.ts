// The SMS rail (docs/rail.md): a message is handed over and asked about, and it tells what became of it and what people answer.
import { z } from 'zod';
import { normalizePhone } from '../../../shared/phone.ts';
import {
  createAsk,
  explainStatus,
  parseAnswer,
  readCode,
  readFields,
  readText,
  readTime,
  type Missed,
  type RailAnswer,
  type RailOptions,
} from '../ask.ts';
import type { RailNews } from '../connector.ts';
import type { SmsOrder, SmsOutcome, SmsRail, SmsReply } from '../message.ts';

/** A client of one SMS rail. It keeps nothing: outcomes are for its caller to record. */
export function createSmsRail(options: RailOptions): SmsRail {
  const ask = createAsk(options);
  // Whether it was sent nobody can tell: its id may be sent again, and sends nothing twice.
  const miss = (error: Missed) => makeUnknown(error.code);
  return {
    send(order) {
      const read = (answer: RailAnswer) => readSending(answer, order.messageId);
      return ask({ method: 'POST', path: '/v1/messages', body: writeMessage(order), read, miss });
    },
    query({ messageId }) {
      const read = (answer: RailAnswer) => readQuery(answer, messageId);
      return ask({ method: 'GET', path: `/v1/messages/${encodeURIComponent(messageId)}`, read, miss });
    },
  };
}

/** The body that sends a message: the same bytes for the same order. */
export function writeMessage({ messageId, sender, to, text }: SmsOrder): string {
  return JSON.stringify({ id: messageId, sender, to, text });
}

/** What an answer to a sending (`POST`) says of the message. */
export function readSending(answer: RailAnswer, messageId: string): SmsOutcome {
  const { status } = answer;
  if (status === 200 || status === 202) return readAnswer(answer, messageId);
  const isAboutIt = status >= 400 && status < 500 && !NOT_ABOUT_IT.includes(status);
  return isAboutIt
    ? { result: 'failed', reason: 'rail_refused', occurredAt: null }
    : makeUnknown(explainStatus(answer).reason);
}

/** Not let in, too slow, too early, too often: the same order may be taken in a moment. And 409: the id was taken before. */
const NOT_ABOUT_IT = [401, 408, 409, 425, 429];

/** What an answer to a query (`GET`) says of it. */
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

/** The rail's words for a message; any other leaves it unknown. */
const RESULTS: ReadonlyMap<string, 'accepted' | 'delivered' | 'failed'> = new Map([
  ['QUEUED', 'accepted'],
  ['SENT', 'accepted'],
  ['DELIVERED', 'delivered'],
  ['UNDELIVERED', 'failed'],
  ['EXPIRED', 'failed'],
  ['REJECTED', 'failed'],
]);

/** Why a message failed, by its reason or its status; `undeliverable` by any other. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['INVALID_NUMBER', 'invalid_number'],
  ['NUMBER_NOT_ACTIVE', 'number_not_active'],
  ['SENDER_NOT_ALLOWED', 'sender_not_allowed'],
  ['BLOCKED', 'blocked'],
  ['EXPIRED', 'expired'],
]);

/** A message of the rail, in an answer or a notification. */
export function readMessage(message: Record<string, unknown>): SmsOutcome {
  const status = readText(message.status);
  if (!status) return makeUnknown('unreadable');
  const result = RESULTS.get(status);
  if (!result) return makeUnknown('status_unknown');
  if (result === 'accepted') return { result, reason: null, occurredAt: null };
  const occurredAt = readTime(message.decidedAt);
  if (result === 'delivered') return { result, reason: null, occurredAt };
  const said = REASONS.get(readText(message.reason) ?? '') ?? REASONS.get(status);
  return { result, reason: said ?? 'undeliverable', occurredAt };
}

/** An outcome of which only the reason for not knowing is known. */
function makeUnknown(reason = 'rail_error'): SmsOutcome {
  return { result: 'unknown', reason, occurredAt: null };
}

/** Far above ten parts; what is longer is cut, as its first word is what matters. */
const MAX_REPLY = 2_000;

/**
 * A notification's content, or null when it is not for us: another type, or nothing readable. Its signature is checked
 * elsewhere.
 */
export function readSmsNotification(rawBody: string): RailNews | null {
  const news = readFields(parseAnswer(rawBody));
  const notificationId = readText(news.id);
  if (!notificationId) return null;
  if (news.type === 'message_status') {
    const message = readFields(news.message);
    const messageId = readId(message.id);
    return messageId ? { notificationId, about: 'message', messageId, outcome: readMessage(message) } : null;
  }
  const reply = news.type === 'message_reply' ? readReply(readFields(news.reply)) : null;
  return reply && { notificationId, about: 'reply', reply };
}

function readReply({ from, to, text, messageId }: Record<string, unknown>): SmsReply | null {
  const sides = { from: readPhone(from), to: readText(to) };
  if (!sides.from || !sides.to || typeof text !== 'string') return null;
  // Into the database it goes: neither NUL nor half a character may stand in it.
  const shown = text.slice(0, MAX_REPLY).replaceAll('\0', '').toWellFormed();
  return { from: sides.from, to: sides.to, text: shown, messageId: readId(messageId) };
}

/** Messages have our ids, which are UUIDs: any other is another's. */
function readId(value: unknown): string | null {
  return z.uuid().safeParse(value).data ?? null;
}

/** However the rail writes an Angolan number, E.164 is what we know it by; of another country, as it is. */
function readPhone(value: unknown): string | null {
  const phone = readText(value);
  return phone && (normalizePhone(phone) ?? phone);
}
