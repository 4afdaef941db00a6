// Ombala, and GoSMS by another address: a sending has no key, so one whose answer was lost is looked for before it may be repeated.
import { normalizePhone } from '../../../shared/phone.ts';
import { createAskWith, parseAnswer, readFields, readText, type Missed, type RailAnswer } from '../ask.ts';
import type { OpenAccount, Probe } from '../connector.ts';
import type { SmsOrder, SmsOutcome, SmsRail } from '../message.ts';
import { findList, isRefusal, makeUnknownSms, missProbe, readOddAnswer, readProbe } from '../sms-answer.ts';
import { listRecipients } from './lookup.ts';
import { judgeSightings, type Sought } from './sightings.ts';
import { stateOf } from './states.ts';

export type OmbalaAccount = OpenAccount<{ sender: string; baseUrl?: string | undefined }, { apiKey: string }>;

/** There is none for tests: whatever is sent is sent. */
const HOST = 'https://api.useombala.ao/v1';

function openOmbala({ settings, secrets, timeoutMs, clock, connections }: OmbalaAccount) {
  const authorize = () => ({ Authorization: `Token ${secrets.apiKey}` });
  return createAskWith({ url: settings.baseUrl ?? HOST, timeoutMs, clock, connections, authorize });
}

/** A client of one account. It keeps nothing. */
export function createOmbalaRail(account: OmbalaAccount): SmsRail {
  const ask = openOmbala(account);
  const { clock, timeoutMs } = account;
  const miss = (error: Missed) => makeUnknownSms(error.code);
  return {
    send(order) {
      const { to, sender: from, text: message } = order;
      const body = JSON.stringify({ message, from, to });
      const read = (answer: RailAnswer) => readSending(answer, order);
      return ask({ method: 'POST', path: '/messages', body, read, miss });
    },
    async query({ to, text, railMessageId, sentAt }) {
      // By its words alone it cannot be told from every other like it.
      if (!railMessageId && !sentAt) return makeUnknownSms('sent_at_missing');
      const sought: Sought = { to, text, railMessageId, sentAt };
      // The core's lease is made for one call's time: who asks longer may send after another has.
      const deadline = clock.now().getTime() + timeoutMs;
      let isWhole = true;
      for (const phone of writePhone(to)) {
        const listed = await listRecipients(ask, { phone, railMessageId, clock, deadline });
        if ('reason' in listed) return { ...listed, railMessageId };
        const outcome = judgeSightings(listed.entries, sought);
        if (outcome) return outcome;
        isWhole &&= listed.isWhole;
      }
      return conclude(sought, isWhole, clock.now());
    },
  };
}

/** However the rail files a number, it must not be missed: what is not found is sent again. */
function writePhone(e164: string): string[] {
  return [e164, e164.replace('+', ''), e164.replace('+244', '')];
}

/** How long a fresh message may be missing from the list: not published. */
const LISTING_DELAY_MS = 5 * 60_000;

/** It stands nowhere in the lists. */
function conclude({ railMessageId, sentAt }: Sought, isWhole: boolean, now: Date): SmsOutcome {
  if (railMessageId || !sentAt) return makeUnknownSms('not_listed', railMessageId);
  if (!isWhole) return makeUnknownSms('list_too_long');
  const isSettled = now.getTime() - sentAt.getTime() > LISTING_DELAY_MS;
  return isSettled
    ? { result: 'not_found', reason: null, railMessageId: null, occurredAt: null }
    : makeUnknownSms('not_listed');
}

function readSending(answer: RailAnswer, { to }: SmsOrder): SmsOutcome {
  const said = readFields(parseAnswer(answer.body));
  const isInForm = typeof said.errors === 'object' && said.errors !== null;
  if (isRefusal(answer, isInForm)) return readRefusal(answer.status, said.errors);
  if (answer.status !== 200 && answer.status !== 201) return readOddAnswer(answer);
  const railMessageId = readText(said.id);
  if (!railMessageId) return makeUnknownSms('unreadable');
  const recipients = findList(said.recipients) ?? [];
  const ours = recipients.find(({ phone_number }) => normalizePhone(readText(phone_number) ?? '') === to);
  if (recipients.length > 0 && !ours) return makeUnknownSms('other_message', railMessageId);
  // Whatever its word for it, a sending that has an id was taken.
  const state = stateOf(ours?.message_status) ?? { result: 'accepted', reason: null };
  return { ...state, railMessageId, occurredAt: null };
}

/** An object of errors has a code, a list of them has only messages for people, which nobody reads here. */
function readRefusal(status: number, errors: unknown): SmsOutcome {
  const code = readText(readFields(errors).code, 32) ?? '';
  const said = /^[\w.-]+$/.test(code) ? `rail_refused_${code.toLowerCase()}` : 'rail_refused';
  return { result: 'failed', reason: status === 402 ? 'no_credit' : said, occurredAt: null };
}

/** Asks for a page of what was sent. */
export function probeOmbala(account: OmbalaAccount): Promise<Probe> {
  const read = (answer: RailAnswer) => readProbe(answer);
  return openOmbala(account)({ method: 'GET', path: '/messages?page=0', maxBytes: 256 * 1024, read, miss: missProbe });
}
