// KambaSMS: one message a call, safe to repeat for a day by its key; what became of it stands in a list of the last hundred.
import { normalizePhone } from '../../../shared/phone.ts';
import { findUncarried, type TextLimits } from '../../../shared/sms-text.ts';
import { createAskWith, parseAnswer, readFields, readText, type Missed, type RailAnswer } from '../ask.ts';
import type { OpenAccount, Probe } from '../connector.ts';
import type { SmsOrder, SmsOutcome, SmsQuery, SmsRail } from '../message.ts';
import {
  findList,
  isRefusal,
  isStructure,
  makeFailedSms,
  makeUnknownSms,
  missProbe,
  readOddAnswer,
  readProbe,
} from '../sms-answer.ts';

export type KambaAccount = OpenAccount<{ sender: string; baseUrl?: string | undefined }, { apiKey: string }>;

/** Checked on the side of whoever sends; whether the rail checks it too is not published. */
export const KAMBASMS_LIMITS = { maxChars: 160, links: false, emoji: false } as const satisfies TextLimits;

/** The same for tests: the key decides. */
const HOST = 'https://api.kambasms.ao';

/** A hundred messages with their texts and the stations of each. */
const MAX_LIST_BYTES = 512 * 1024;

function openKamba({ settings, secrets, timeoutMs, clock, connections }: KambaAccount) {
  const authorize = () => ({ 'x-api-key': secrets.apiKey });
  return createAskWith({ url: settings.baseUrl ?? HOST, timeoutMs, clock, connections, authorize });
}

/** A client of one account. It keeps nothing. */
export function createKambaRail(account: KambaAccount): SmsRail {
  const ask = openKamba(account);
  const { environment } = account;
  return {
    async send(order) {
      if (findUncarried(order.text, KAMBASMS_LIMITS)) return makeFailedSms('text_not_supported');
      const read = (answer: RailAnswer) => readSending(answer, order, environment);
      const miss = (error: Missed) => makeUnknownSms(error.code);
      const headers = { 'Idempotency-Key': order.messageId };
      return ask({ method: 'POST', path: '/messages/send', headers, body: writeMessage(order), read, miss });
    },
    async query(message) {
      const { railMessageId } = message;
      // Nothing in the list is known to carry our id.
      if (!railMessageId) return makeUnknownSms('rail_id_missing');
      const miss = (error: Missed) => makeUnknownSms(error.code, railMessageId);
      const read = (answer: RailAnswer) => readListed(answer, { ...message, railMessageId }, environment);
      return ask({ method: 'GET', path: '/messages?limit=100&page=1', maxBytes: MAX_LIST_BYTES, read, miss });
    },
  };
}

/** The body that sends a message: the same bytes for the same order, as its key demands. */
function writeMessage({ to, text, sender }: SmsOrder): string {
  return JSON.stringify({ to, text, sender_id: sender });
}

type Environment = KambaAccount['environment'];

function readSending(answer: RailAnswer, { to }: SmsOrder, environment: Environment): SmsOutcome {
  const said = parseAnswer(answer.body);
  const message = readFields(said);
  const railMessageId = readText(message.message_id);
  // Taken on and paid for, but not surely on its way: the list tells, or a repeat with the same key.
  if (answer.status === 202) return makeUnknownSms('taken_on', railMessageId);
  if (isRefusal(answer, isStructure(said))) return makeFailedSms(answer.status === 402 ? 'no_credit' : 'rail_refused');
  if (answer.status !== 200 && answer.status !== 201) return readOddAnswer(answer);
  if (message.success !== true || !railMessageId) return makeUnknownSms('unreadable', railMessageId);
  const doubt = findDoubt(message, to, environment);
  if (doubt) return makeUnknownSms(doubt, railMessageId);
  // A success whose own status says otherwise is not believed: the list may say it straight.
  if (stateOf(message)?.result === 'failed') return makeUnknownSms('status_contradicts', railMessageId);
  return { result: 'accepted', reason: null, railMessageId, occurredAt: null };
}

type KnownMessage = SmsQuery & { railMessageId: string };

function readListed(answer: RailAnswer, { railMessageId, to }: KnownMessage, environment: Environment): SmsOutcome {
  if (answer.status !== 200) return { ...readOddAnswer(answer), railMessageId };
  const list = findList(parseAnswer(answer.body));
  if (!list) return makeUnknownSms('unreadable', railMessageId);
  const [message, ...others] = list.filter(({ message_id, id }) => [message_id, id].includes(railMessageId));
  // Older than the last hundred, or not there yet: that it was never seen nobody says.
  if (!message) return makeUnknownSms('not_listed', railMessageId);
  const doubt = others.length > 0 ? 'several' : findDoubt(message, to, environment);
  if (doubt) return makeUnknownSms(doubt, railMessageId);
  const state = stateOf(message);
  if (!state) return makeUnknownSms('status_unknown', railMessageId);
  return { ...state, railMessageId, occurredAt: null };
}

/** Why what is said of a message cannot be about ours, or not about a real one. */
function findDoubt(message: Record<string, unknown>, to: string, environment: Environment): string | null {
  const phone = normalizePhone(readText(message.to) ?? '');
  if (phone && phone !== to) return 'other_message';
  const isPretended = message.simulated === true || message.environment === 'test';
  return isPretended && environment === 'live' ? 'simulated' : null;
}

type MessageState = Pick<SmsOutcome, 'result' | 'reason'>;

/** No list of them is published: these are the usual ones, and any other leaves the message unknown. */
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

/** Asks for the credits that are left. */
export function probeKamba(account: KambaAccount): Promise<Probe> {
  const read = (answer: RailAnswer): Probe => {
    const isForTests = readFields(parseAnswer(answer.body)).environment === 'test';
    if (answer.status === 200 && isForTests && account.environment === 'live')
      return { result: 'wrong_secret', detail: 'This is a key for tests: with it nothing is really sent.' };
    return readProbe(answer);
  };
  return openKamba(account)({ method: 'GET', path: '/credits/balance', read, miss: missProbe });
}
