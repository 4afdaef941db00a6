// Everything that Ombala lists as sent to one number, page by page, and whether that was really all of it.
import type { Clock } from '../../clock.ts';
import { parseAnswer, readFields, readText, type createAskWith, type Missed, type RailAnswer } from '../ask.ts';
import type { SmsOutcome } from '../message.ts';
import { findList, makeUnknownSms, readOddAnswer } from '../sms-answer.ts';

/** A recipient of a sending, as it is listed. */
export type RecipientEntry = Record<string, unknown>;

/** `isWhole`: nothing was sent to the number that is not among the entries. */
type RecipientList = { entries: RecipientEntry[]; isWhole: boolean };

type Lookup = {
  phone: string;
  /** Where the sending is known there, the search ends with it. */
  railMessageId: string | null;
  clock: Clock;
  /** In milliseconds of the clock: an outcome `timeout` after it. */
  deadline: number;
};

/** Entries to a page, as the rail cuts them. */
const PAGE_SIZE = 20;
const MAX_PAGES = 5;
/** A page of texts of ten parts each, written as escapes. */
const MAX_PAGE_BYTES = 512 * 1024;

/** The list, or an unknown outcome where one of its pages could not be read. */
export async function listRecipients(
  ask: ReturnType<typeof createAskWith>,
  { phone, railMessageId, clock, deadline }: Lookup,
): Promise<RecipientList | SmsOutcome> {
  const entries: RecipientEntry[] = [];
  for (let number = 0; number < MAX_PAGES; number++) {
    const timeoutMs = deadline - clock.now().getTime();
    if (timeoutMs <= 0) return makeUnknownSms('timeout');
    const path = `/messages/recipient?phone_number=${encodeURIComponent(phone)}${number > 0 ? `&page=${number}` : ''}`;
    const miss = (error: Missed) => makeUnknownSms(error.code);
    const page = await ask({ method: 'GET', path, timeoutMs, maxBytes: MAX_PAGE_BYTES, read: readPage, miss });
    if ('reason' in page) return page;
    const isTurned = page.number === null || page.number === number;
    entries.push(...page.entries);
    const isFound = railMessageId !== null && page.entries.some(({ parent_id }) => parent_id === railMessageId);
    if (!isTurned || isFound) return { entries, isWhole: false };
    if (page.last === null) return { entries, isWhole: page.entries.length < PAGE_SIZE };
    // Counted from 0, as pages are; were it from 1, one empty page more is asked for.
    if (number >= page.last) return { entries, isWhole: true };
  }
  return { entries, isWhole: false };
}

type RecipientPage = { entries: RecipientEntry[]; number: number | null; last: number | null };

function readPage(answer: RailAnswer): RecipientPage | SmsOutcome {
  if (answer.status !== 200) return readOddAnswer(answer);
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
