// What a message can become, and the only place that writes it; what surely is not delivered gives its units back at once.
import type { Core } from '../core.ts';
import { updateRows } from '../database/rows.ts';
import { DAY_MS } from '../due/schedule.ts';
import { SmsMessage, type MessageStatus } from './entities.ts';

/** From where each status is reached. Delivered and failed are for good, whatever is told later. */
const SOURCES: Record<Exclude<MessageStatus, 'Pending'>, readonly MessageStatus[]> = {
  Sent: ['Pending'],
  Delivered: ['Pending', 'Sent'],
  Failed: ['Pending', 'Sent'],
};

const among = (to: keyof typeof SOURCES) => `status in (${SOURCES[to].map((from) => `'${from}'`).join(', ')})`;

/** When the rail is asked about a message that it took and of which it tells nothing, after it was sent; then no more. */
const FOLLOW_UPS_MS = [2, 15, 60, 6 * 60, 24 * 60, 72 * 60].map((minutes) => minutes * 60_000);

/** While the last question has no answer, it is asked again each day; a rail that never answers any is left alone then. */
const GIVE_UP_MS = 10 * DAY_MS;

/** The next time to ask; null when nothing more is to be expected. @param isUnanswered the rail said nothing just now */
export function nextFollowUp(sentAt: Date, now: Date, isUnanswered = false): Date | null {
  const ms = FOLLOW_UPS_MS.find((delayMs) => sentAt.getTime() + delayMs > now.getTime());
  if (ms !== undefined) return new Date(sentAt.getTime() + ms);
  const isOpen = isUnanswered && now.getTime() < sentAt.getTime() + GIVE_UP_MS;
  return isOpen ? new Date(now.getTime() + DAY_MS) : null;
}

/** The rail has it. */
export async function noteSent({ clock, ...db }: Core, id: string): Promise<void> {
  const now = clock.now();
  const set = { status: 'Sent', sentAt: now, listedAt: now, dueAt: nextFollowUp(now, now) } as const;
  await updateRows(db, SmsMessage, { set }, `id = $1 and ${among('Sent')}`, [id]);
}

/** It is on the phone. @param at by the rail's clock, which may be ahead of ours */
export async function noteDelivered({ pool, clock }: Core, id: string, at: Date | null): Promise<void> {
  const now = clock.now();
  await pool.query({
    name: 'sms_delivered',
    // By the rail's clock it may have arrived before it was sent by ours.
    text: `update sms_messages set status = 'Delivered', due_at = null,
        delivered_at = greatest($2::timestamptz, coalesce(sent_at, $3::timestamptz)), sent_at = coalesce(sent_at, $3::timestamptz), listed_at = coalesce(sent_at, $3::timestamptz)
      where id = $1::uuid and ${among('Delivered')}`,
    values: [id, at && at < now ? at : now, now],
  });
}

/** It never arrives: its units are the merchant's again, by the same statement. */
export async function noteFailed({ pool, clock }: Core, id: string, reason: string): Promise<void> {
  await pool.query({
    name: 'sms_failed',
    text: `with failed as (
        update sms_messages set status = 'Failed', failure = $2, due_at = null
        where id = $1::uuid and ${among('Failed')} returning merchant_id, batch_id, parts, phone),
      account as (
        update sms_accounts a set balance = a.balance + f.parts, updated_at = $3::timestamptz
        from failed f where a.merchant_id = f.merchant_id returning a.balance, f.*)
      insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, batch_id, created_at)
      select gen_random_uuid(), merchant_id, 'refund', parts, balance, case when $2 = 'opted_out' then 'SMS não enviado, por recusa, a ' else 'SMS não entregue a ' end
          || regexp_replace(substr(phone, 5), '(\\d{3})(?=\\d)', '\\1 ', 'g'), batch_id, $3::timestamptz
      from account`,
    values: [id, reason, clock.now()],
  });
}
