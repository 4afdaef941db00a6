// Messages at the SMS rail: our words into the rail's, and back.
import type { SmsOrder, SmsOutcome } from '../provider.ts';
import { explainStatus, parseExact, readCode, readFields, readText, readTime, type Answer } from '../read.ts';

/** The body that sends a message: the same bytes for the same order. */
export function writeMessage({ messageId, sender, to, text }: SmsOrder): string {
  return JSON.stringify({ id: messageId, sender, to, text });
}

/** What an answer to a sending (`POST`) says of the message. */
export function readSending(answer: Answer, messageId: string): SmsOutcome {
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
export function readQuery(answer: Answer, messageId: string): SmsOutcome {
  if (answer.status === 200) return readAnswer(answer, messageId);
  const isUnseen = answer.status === 404 && readCode(answer) === 'UNKNOWN_MESSAGE';
  return isUnseen ? { result: 'not_found', reason: null, occurredAt: null } : makeUnknown(explainStatus(answer).reason);
}

function readAnswer({ body }: Answer, messageId: string): SmsOutcome {
  const message = readFields(parseExact(body));
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
export function makeUnknown(reason = 'rail_error'): SmsOutcome {
  return { result: 'unknown', reason, occurredAt: null };
}
