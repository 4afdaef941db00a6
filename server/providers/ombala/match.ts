// Finds our message in Ombala's list: by Ombala's id if it is known, else by phone number, text and time.
// Without a certain match the message stays unknown, since a wrong match would lose or repeat the message.
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { normalizePhone } from '../../../shared/phone.ts';
import { readText, readTime } from '../rail-call.ts';
import type { SmsOutcome, SmsQuery } from '../message.ts';
import { makeUnknownSms } from '../sms-answer.ts';
import type { RecipientEntry } from './lookup.ts';
import { stateOf } from './states.ts';

/** The message that the search looks for in Ombala's list. */
export type SoughtMessage = Omit<SmsQuery, 'messageId'>;

/** How far Ombala's clock may be behind ours. An entry within this tolerance is a certain match. */
const CERTAIN_MATCH_MS = MINUTE_MS;
/** An entry older by at most this much is a possible match: its clock may be wrong, or its time in another zone. */
const POSSIBLE_MATCH_MS = 2 * HOUR_MS;

/** Returns the outcome of the list entry that matches the message. Null if no entry matches. */
export function matchEntries(entries: RecipientEntry[], sought: SoughtMessage): SmsOutcome | null {
  const { railMessageId } = sought;
  const compared = entries.map((entry) => ({ entry, likeness: compare(entry, sought) }));
  const same = compared.filter(({ likeness }) => likeness === 'same').map(({ entry }) => entry);
  // Identical entries of Ombala's list are one message. Entries that differ are several messages.
  const distinct = new Map(same.map((entry) => [JSON.stringify(entry), entry]));
  if (distinct.size > 1) return makeUnknownSms('several', railMessageId);
  const [found] = distinct.values();
  if (found) return readEntry(found);
  const isDoubtful = compared.some(({ likeness }) => likeness === 'perhaps');
  return isDoubtful ? makeUnknownSms('not_certain', railMessageId) : null;
}

function readEntry(entry: RecipientEntry): SmsOutcome {
  const railMessageId = readText(entry.parent_id);
  const state = stateOf(entry.message_status);
  if (!state) return makeUnknownSms('status_unknown', railMessageId);
  return { ...state, railMessageId, occurredAt: null };
}

function compare(
  entry: RecipientEntry,
  { to, text, railMessageId, sentAt }: SoughtMessage,
): 'same' | 'perhaps' | 'other' {
  const phone = normalizePhone(readText(entry.phone_number) ?? '');
  if (phone && phone !== to) return 'other';
  if (railMessageId) return entry.parent_id === railMessageId ? 'same' : 'other';
  if (!sentAt) return 'perhaps';
  const createdAt = readTime(entry.created_at);
  const aheadMs = createdAt && createdAt.getTime() - sentAt.getTime();
  if (aheadMs !== null && aheadMs < -POSSIBLE_MATCH_MS) return 'other';
  const content = entry.content ?? entry.message;
  if (typeof content !== 'string') return 'perhaps';
  if (!isSimilar(content, text)) return 'other';
  const isExact = content.normalize() === text.normalize();
  return isExact && aheadMs !== null && aheadMs >= -CERTAIN_MATCH_MS ? 'same' : 'perhaps';
}

/** True if two texts are similar: Ombala may replace accents and symbols, cut the text, or add a line. */
function isSimilar(content: string, text: string): boolean {
  return WITHOUT_ACCENTS.some((bare) => {
    const [listed, sent] = [bare(content), bare(text)];
    return sent.startsWith(listed) || listed.startsWith(sent);
  });
}

/** Two normal forms without accents: in Ombala's list an `á` may have become `a`, or a symbol such as `?`. */
const WITHOUT_ACCENTS = (['NFKD', 'NFC'] as const).map(
  (form) => (text: string) =>
    text
      .normalize(form)
      .replace(/[^A-Za-z0-9]/g, '')
      .toLowerCase(),
);
