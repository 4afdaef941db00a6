// Reads Ombala's list of messages to one phone number, page by page, and returns whether the list is complete.
import type { Clock } from '../../clock.ts';
import {
  parseAnswer,
  readFields,
  readText,
  type createRailCall,
  type CallFailure,
  type RailAnswer,
} from '../rail-call.ts';
import type { SmsOutcome } from '../message.ts';
import { findList, makeUnknownSms, readUnexpectedAnswer } from '../sms-answer.ts';

/** An entry of Ombala's list: one message to one recipient. */
export type RecipientEntry = Record<string, unknown>;

/** The listed messages to a phone number. `isWhole`: the list has every message to that number. */
type RecipientList = { entries: RecipientEntry[]; isWhole: boolean };

type Lookup = {
  phone: string;
  /** `railMessageId`: the search ends early when it finds this id. Null: the id is not known. */
  railMessageId: string | null;
  clock: Clock;
  /** `deadline`: when the search ends with the reason `timeout`, in milliseconds of `clock`. */
  deadline: number;
};

/** Ombala's number of entries on a page. */
const PAGE_SIZE = 20;
const MAX_PAGES = 5;
/** Size limit of a list's page. It is enough for a page of ten-part texts that are written as JSON escapes. */
const MAX_PAGE_BYTES = 512 * 1024;

/** Returns the messages to a phone number, or an unknown outcome if one page is unreadable. */
export async function listRecipients(
  call: ReturnType<typeof createRailCall>,
  { phone, railMessageId, clock, deadline }: Lookup,
): Promise<RecipientList | SmsOutcome> {
  const entries: RecipientEntry[] = [];
  for (let number = 0; number < MAX_PAGES; number++) {
    const timeoutMs = deadline - clock.now().getTime();
    if (timeoutMs <= 0) return makeUnknownSms('timeout');
    const path = `/messages/recipient?phone_number=${encodeURIComponent(phone)}${number > 0 ? `&page=${number}` : ''}`;
    const onFailure = (error: CallFailure) => makeUnknownSms(error.code);
    const page = await call({ method: 'GET', path, timeoutMs, maxBytes: MAX_PAGE_BYTES, read: readPage, onFailure });
    if ('reason' in page) return page;
    const isWantedPage = page.number === null || page.number === number;
    entries.push(...page.entries);
    const isFound = railMessageId !== null && page.entries.some(({ parent_id }) => parent_id === railMessageId);
    if (!isWantedPage || isFound) return { entries, isWhole: false };
    if (page.last === null) return { entries, isWhole: page.entries.length < PAGE_SIZE };
    // Ombala's pages count from 0. If `last_page` counts from 1, the search only reads one empty page more.
    if (number >= page.last) return { entries, isWhole: true };
  }
  return { entries, isWhole: false };
}

type RecipientPage = { entries: RecipientEntry[]; number: number | null; last: number | null };

function readPage(answer: RailAnswer): RecipientPage | SmsOutcome {
  if (answer.status !== 200) return readUnexpectedAnswer(answer);
  const body = parseAnswer(answer.body);
  const entries = findList(body);
  if (!entries) return makeUnknownSms('unreadable');
  const { page, last_page } = readFields(readFields(body).pagination);
  return { entries, number: readCount(page), last: readCount(last_page) };
}

function readCount(value: unknown): number | null {
  const text = readText(value) ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}
