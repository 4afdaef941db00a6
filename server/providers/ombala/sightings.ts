// Which listed message is ours: by its id where that is known, else by number, text and time, and never when there is doubt.
import { normalizePhone } from '../../../shared/phone.ts';
import { readText, readTime } from '../ask.ts';
import type { SmsOutcome, SmsQuery } from '../message.ts';
import { makeUnknownSms } from '../sms-answer.ts';
import type { RecipientEntry } from './lookup.ts';
import { stateOf } from './states.ts';

/** A message that is looked for. */
export type Sought = Omit<SmsQuery, 'messageId'>;

/** How far the rail's clock may be behind ours. */
const SKEW_MS = 60_000;
/** Before that, up to here, it may still be ours: a clock that is off, or an hour that stands under the wrong zone. */
const DOUBT_MS = 2 * 60 * 60_000;

/** What the entries say of it; null: it is not among them. */
export function judgeSightings(entries: RecipientEntry[], sought: Sought): SmsOutcome | null {
  const { railMessageId } = sought;
  const sightings = entries.map((entry) => ({ entry, likeness: compare(entry, sought) }));
  const same = sightings.filter(({ likeness }) => likeness === 'same').map(({ entry }) => entry);
  // What is listed twice word for word is one; one message with two states is two.
  const distinct = new Map(same.map((entry) => [JSON.stringify(entry), entry]));
  if (distinct.size > 1) return makeUnknownSms('several', railMessageId);
  const [found] = distinct.values();
  if (found) return readEntry(found);
  const isDoubtful = sightings.some(({ likeness }) => likeness === 'perhaps');
  return isDoubtful ? makeUnknownSms('not_certain', railMessageId) : null;
}

function readEntry(entry: RecipientEntry): SmsOutcome {
  const railMessageId = readText(entry.parent_id);
  const state = stateOf(entry.message_status);
  if (!state) return makeUnknownSms('status_unknown', railMessageId);
  return { ...state, railMessageId, occurredAt: null };
}

function compare(entry: RecipientEntry, { to, text, railMessageId, sentAt }: Sought): 'same' | 'perhaps' | 'other' {
  const phone = normalizePhone(readText(entry.phone_number) ?? '');
  if (phone && phone !== to) return 'other';
  if (railMessageId) return entry.parent_id === railMessageId ? 'same' : 'other';
  if (!sentAt) return 'perhaps';
  const createdAt = readTime(entry.created_at);
  const aheadMs = createdAt && createdAt.getTime() - sentAt.getTime();
  if (aheadMs !== null && aheadMs < -DOUBT_MS) return 'other';
  const content = entry.content ?? entry.message;
  if (typeof content !== 'string') return 'perhaps';
  if (!isAlike(content, text)) return 'other';
  const isExact = content.normalize() === text.normalize();
  return isExact && aheadMs !== null && aheadMs >= -SKEW_MS ? 'same' : 'perhaps';
}

/** The rail may have replaced accents and signs, cut the text, or added a line of its own. */
function isAlike(content: string, text: string): boolean {
  return WITHOUT_ACCENTS.some((bare) => {
    const [theirs, ours] = [bare(content), bare(text)];
    return ours.startsWith(theirs) || theirs.startsWith(ours);
  });
}

/** `á` became `a`, or it became a sign such as `?`. */
const WITHOUT_ACCENTS = (['NFKD', 'NFC'] as const).map(
  (form) => (text: string) =>
    text
      .normalize(form)
      .replace(/[^A-Za-z0-9]/g, '')
      .toLowerCase(),
);
