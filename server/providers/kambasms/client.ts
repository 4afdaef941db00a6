// The client of KambaSMS. One call sends one message, and an idempotency key is valid for a day.
// KambaSMS reports delivery states only in a list of the last 100 messages.
import { normalizePhone } from '../../../shared/phone.ts';
import { findUnsupported, type TextLimits } from '../../../shared/sms-text.ts';
import { createRailCall, parseAnswer, readFields, readText, type CallFailure, type RailAnswer } from '../rail-call.ts';
import type { OpenAccount, Probe } from '../connector.ts';
import type { SmsOrder, SmsOutcome, SmsQuery, SmsRail } from '../message.ts';
import {
  findList,
  isRefusal,
  isObjectOrList,
  makeFailedSms,
  makeUnknownSms,
  failedProbe,
  readUnexpectedAnswer,
  readProbe,
} from '../sms-answer.ts';

export type KambaAccount = OpenAccount<{ sender: string; baseUrl?: string | undefined }, { apiKey: string }>;

/** Limits of an SMS text. The gateway checks them, since KambaSMS does not document its own check. */
export const KAMBASMS_LIMITS = { maxChars: 160, links: false, emoji: false } as const satisfies TextLimits;

/** KambaSMS has the same host for tests. The API key decides whether a message is really sent. */
const HOST = 'https://api.kambasms.ao';

/** Size limit of KambaSMS's list: 100 messages with their texts and status histories. */
const MAX_LIST_BYTES = 512 * 1024;

function createKambaCall({ settings, secrets, timeoutMs, clock, connections }: KambaAccount) {
  const authorize = () => ({ 'x-api-key': secrets.apiKey });
  return createRailCall({ url: settings.baseUrl ?? HOST, timeoutMs, clock, connections, authorize });
}

/** Creates the SMS client of one KambaSMS account. */
export function createKambaRail(account: KambaAccount): SmsRail {
  const call = createKambaCall(account);
  const { environment } = account;
  return {
    async send(order) {
      if (findUnsupported(order.text, KAMBASMS_LIMITS)) return makeFailedSms('text_not_supported');
      const read = (answer: RailAnswer) => readSending(answer, order, environment);
      const onFailure = (error: CallFailure) => makeUnknownSms(error.code);
      const headers = { 'Idempotency-Key': order.messageId };
      return call({ method: 'POST', path: '/messages/send', headers, body: writeMessage(order), read, onFailure });
    },
    async query(message) {
      const { railMessageId } = message;
      // KambaSMS's list does not have our id, so the node needs KambaSMS's id of the message.
      if (!railMessageId) return makeUnknownSms('rail_id_missing');
      const onFailure = (error: CallFailure) => makeUnknownSms(error.code, railMessageId);
      const read = (answer: RailAnswer) => readListed(answer, { ...message, railMessageId }, environment);
      return call({ method: 'GET', path: '/messages?limit=100&page=1', maxBytes: MAX_LIST_BYTES, read, onFailure });
    },
  };
}

/** Writes the body of an SMS. The idempotency key requires that a repeat has the same bytes. */
function writeMessage({ to, text, sender }: SmsOrder): string {
  return JSON.stringify({ to, text, sender_id: sender });
}

type Environment = KambaAccount['environment'];

function readSending(answer: RailAnswer, { to }: SmsOrder, environment: Environment): SmsOutcome {
  const parsed = parseAnswer(answer.body);
  const message = readFields(parsed);
  const railMessageId = readText(message.message_id);
  // 202: KambaSMS accepted and charged the message but may not send it. The list or a repeat shows the result.
  if (answer.status === 202) return makeUnknownSms('taken_on', railMessageId);
  if (isRefusal(answer, isObjectOrList(parsed)))
    return makeFailedSms(answer.status === 402 ? 'no_credit' : 'rail_refused');
  if (answer.status !== 200 && answer.status !== 201) return readUnexpectedAnswer(answer);
  if (message.success !== true || !railMessageId) return makeUnknownSms('unreadable', railMessageId);
  const mismatch = findMismatch(message, to, environment);
  if (mismatch) return makeUnknownSms(mismatch, railMessageId);
  // A success with a failed status contradicts itself. The list of messages may resolve the contradiction.
  if (stateOf(message)?.result === 'failed') return makeUnknownSms('status_contradicts', railMessageId);
  return { result: 'accepted', reason: null, railMessageId, occurredAt: null };
}

type KnownMessage = SmsQuery & { railMessageId: string };

function readListed(answer: RailAnswer, { railMessageId, to }: KnownMessage, environment: Environment): SmsOutcome {
  if (answer.status !== 200) return { ...readUnexpectedAnswer(answer), railMessageId };
  const list = findList(parseAnswer(answer.body));
  if (!list) return makeUnknownSms('unreadable', railMessageId);
  const [message, ...others] = list.filter(({ message_id, id }) => [message_id, id].includes(railMessageId));
  // A missing message may be older than the last 100, or not listed yet, so its absence proves nothing.
  if (!message) return makeUnknownSms('not_listed', railMessageId);
  const doubt = others.length > 0 ? 'several' : findMismatch(message, to, environment);
  if (doubt) return makeUnknownSms(doubt, railMessageId);
  const state = stateOf(message);
  if (!state) return makeUnknownSms('status_unknown', railMessageId);
  return { ...state, railMessageId, occurredAt: null };
}

/** Returns why a listed message is not ours, or that KambaSMS only simulated it. Null if it matches. */
function findMismatch(message: Record<string, unknown>, to: string, environment: Environment): string | null {
  const phone = normalizePhone(readText(message.to) ?? '');
  if (phone && phone !== to) return 'other_message';
  const isPretended = message.simulated === true || message.environment === 'test';
  return isPretended && environment === 'live' ? 'simulated' : null;
}

type MessageState = Pick<SmsOutcome, 'result' | 'reason'>;

/** Usual SMS statuses, since KambaSMS does not document its own. Any other status leaves the message unknown. */
const STATES: ReadonlyMap<string, MessageState> = new Map<string, MessageState>([
  ['accepted', { result: 'accepted', reason: null }],
  ['queued', { result: 'accepted', reason: null }],
  ['pending', { result: 'accepted', reason: null }],
  ['processing', { result: 'accepted', reason: null }],
  ['submitted', { result: 'accepted', reason: null }],
  ['sent', { result: 'accepted', reason: null }],
  ['delivered', { result: 'delivered', reason: null }],
  ['failed', { result: 'failed', reason: 'undeliverable' }],
  ['undelivered', { result: 'failed', reason: 'undeliverable' }],
  ['rejected', { result: 'failed', reason: 'rejected' }],
  ['expired', { result: 'failed', reason: 'expired' }],
]);

function stateOf({ status }: Record<string, unknown>): MessageState | undefined {
  return STATES.get((readText(status) ?? '').toLowerCase());
}

/** Tests the credentials of a KambaSMS account: queries the remaining credits. */
export function probeKamba(account: KambaAccount): Promise<Probe> {
  const read = (answer: RailAnswer): Probe => {
    const isForTests = readFields(parseAnswer(answer.body)).environment === 'test';
    if (answer.status === 200 && isForTests && account.environment === 'live')
      return { result: 'wrong_secret', detail: 'This is a test key: KambaSMS sends no real messages with it.' };
    return readProbe(answer);
  };
  return createKambaCall(account)({ method: 'GET', path: '/credits/balance', read, onFailure: failedProbe });
}
