// The client of Ombala, and of GoSMS at another URL. The API has no idempotency key.
// After a lost answer the client searches Ombala's list for the message, before the node may send it again.
import { normalizePhone } from '../../../shared/phone.ts';
import { createRailCall, parseAnswer, readFields, readText, type CallFailure, type RailAnswer } from '../rail-call.ts';
import type { OpenAccount, Probe } from '../connector.ts';
import type { SmsOrder, SmsOutcome, SmsRail } from '../message.ts';
import { findList, isRefusal, makeUnknownSms, failedProbe, readUnexpectedAnswer, readProbe } from '../sms-answer.ts';
import { listRecipients } from './lookup.ts';
import { matchEntries, type SoughtMessage } from './match.ts';
import { stateOf } from './states.ts';

export type OmbalaAccount = OpenAccount<{ sender: string; baseUrl?: string | undefined }, { apiKey: string }>;

/** Ombala's host. Ombala has no test environment: it really sends every message. */
const HOST = 'https://api.useombala.ao/v1';

function createOmbalaCall({ settings, secrets, timeoutMs, clock, connections }: OmbalaAccount) {
  const authorize = () => ({ Authorization: `Token ${secrets.apiKey}` });
  return createRailCall({ url: settings.baseUrl ?? HOST, timeoutMs, clock, connections, authorize });
}

/** Creates the SMS client of one Ombala account. */
export function createOmbalaRail(account: OmbalaAccount): SmsRail {
  const call = createOmbalaCall(account);
  const { clock, timeoutMs } = account;
  const onFailure = (error: CallFailure) => makeUnknownSms(error.code);
  return {
    send(order) {
      const { to, sender: from, text: message } = order;
      const body = JSON.stringify({ message, from, to });
      const read = (answer: RailAnswer) => readSending(answer, order);
      return call({ method: 'POST', path: '/messages', body, read, onFailure });
    },
    async query({ to, text, railMessageId, sentAt }) {
      // Without Ombala's id or a time of sending, earlier messages with the same text look the same.
      if (!railMessageId && !sentAt) return makeUnknownSms('sent_at_missing');
      const sought: SoughtMessage = { to, text, railMessageId, sentAt };
      // The job's lease lasts for one call. During a longer search another node could send the message again.
      const deadline = clock.now().getTime() + timeoutMs;
      let isWhole = true;
      for (const phone of phoneSpellings(to)) {
        const listed = await listRecipients(call, { phone, railMessageId, clock, deadline });
        if ('reason' in listed) return { ...listed, railMessageId };
        const outcome = matchEntries(listed.entries, sought);
        if (outcome) return outcome;
        isWhole &&= listed.isWhole;
      }
      return judgeAbsence(sought, isWhole, clock.now());
    },
  };
}

/** Returns all spellings of a phone number in Ombala's list. A missed entry would send the message twice. */
function phoneSpellings(e164: string): string[] {
  return [e164, e164.replace('+', ''), e164.replace('+244', '')];
}

/** The time that a new message may need to appear in Ombala's list. Ombala does not document it. */
const LISTING_DELAY_MS = 5 * 60_000;

/** Returns the outcome of a message that Ombala's lists do not have. */
function judgeAbsence({ railMessageId, sentAt }: SoughtMessage, isWhole: boolean, now: Date): SmsOutcome {
  if (railMessageId || !sentAt) return makeUnknownSms('not_listed', railMessageId);
  if (!isWhole) return makeUnknownSms('list_too_long');
  const isSettled = now.getTime() - sentAt.getTime() > LISTING_DELAY_MS;
  return isSettled
    ? { result: 'not_found', reason: null, railMessageId: null, occurredAt: null }
    : makeUnknownSms('not_listed');
}

function readSending(answer: RailAnswer, { to }: SmsOrder): SmsOutcome {
  const body = readFields(parseAnswer(answer.body));
  const isInForm = typeof body.errors === 'object' && body.errors !== null;
  if (isRefusal(answer, isInForm)) return readRefusal(answer.status, body.errors);
  if (answer.status !== 200 && answer.status !== 201) return readUnexpectedAnswer(answer);
  const railMessageId = readText(body.id);
  if (!railMessageId) return makeUnknownSms('unreadable');
  const recipients = findList(body.recipients) ?? [];
  const recipient = recipients.find(({ phone_number }) => normalizePhone(readText(phone_number) ?? '') === to);
  if (recipients.length > 0 && !recipient) return makeUnknownSms('other_message', railMessageId);
  // An answer with an id means that Ombala accepted the message, even with an unknown status.
  const state = stateOf(recipient?.message_status) ?? { result: 'accepted', reason: null };
  return { ...state, railMessageId, occurredAt: null };
}

/** Reads a refusal of Ombala. An error object has a code. An error array has only texts, which are ignored. */
function readRefusal(status: number, errors: unknown): SmsOutcome {
  const code = readText(readFields(errors).code, 32) ?? '';
  const body = /^[\w.-]+$/.test(code) ? `rail_refused_${code.toLowerCase()}` : 'rail_refused';
  return { result: 'failed', reason: status === 402 ? 'no_credit' : body, occurredAt: null };
}

/** Tests the credentials of an Ombala account: reads a page of sent messages. */
export function probeOmbala(account: OmbalaAccount): Promise<Probe> {
  const read = (answer: RailAnswer) => readProbe(answer);
  return createOmbalaCall(account)({
    method: 'GET',
    path: '/messages?page=0',
    maxBytes: 256 * 1024,
    read,
    onFailure: failedProbe,
  });
}
