// Messages on their way: handed to the rail once each, asked for where nobody knows, followed up; schedules at their minute.
import type { Core } from '../core.ts';
import { DAY_MS, nextAskAt } from '../due/schedule.ts';
import { reschedule, type Claim, type DueWork } from '../due/work.ts';
import type { SmsOutcome, SmsRail } from '../providers/provider.ts';
import type { MessageStatus } from './entities.ts';
import { settleMessage } from './settle.ts';
import { nextFollowUp, noteFailed } from './states.ts';

/** The kinds of due work that SMS has. */
export function smsDueWork(core: Core, rail: SmsRail | null): DueWork[] {
  if (!rail) return [];
  // A claim may ask the rail, and then send.
  const leaseMs = 2 * core.config.SMS_TIMEOUT_S * 1000 + MARGIN_MS;
  return [
    { table: 'sms_batches', leaseMs: RELEASE_LEASE_MS, run: (claim) => releaseSchedule(core, claim) },
    { table: 'sms_messages', leaseMs, pick: NEXT_IN_TURN, run: (claim) => moveMessage(core, rail, claim) },
  ];
}

const MARGIN_MS = 5_000;
const RELEASE_LEASE_MS = 30_000;

/** What nobody could send for so long is news no more: its units go back. */
const STALE_MS = DAY_MS;

/** One message of each merchant, then the second of each, and so on: a long sending delays nobody else's. */
const NEXT_IN_TURN = `
  with recursive merchant(id) as (
    (select merchant_id from sms_messages where due_at is not null order by merchant_id limit 1)
    union all
    select (select merchant_id from sms_messages where due_at is not null and merchant_id > merchant.id
      order by merchant_id limit 1) from merchant where merchant.id is not null)
  select turn.id from merchant cross join lateral (
    select id, due_at, row_number() over (order by due_at) as place from sms_messages
    where merchant_id = merchant.id and due_at <= $1::timestamptz order by due_at limit $3) turn
  order by turn.place, turn.due_at limit $3`;

/** Its minute has come: all of its messages are due, unless it was cancelled first. */
async function releaseSchedule(core: Core, { id }: Claim): Promise<void> {
  await core.pool.query(
    `with released as (
       update sms_batches set status = 'Released', released_at = $2::timestamptz, due_at = null
       where id = $1::uuid and status = 'Scheduled' returning id)
     update sms_messages m set due_at = $2::timestamptz, listed_at = $2::timestamptz from released r where m.batch_id = r.id`,
    [id, core.clock.now()],
  );
}

type Moving = {
  id: string;
  phone: string;
  text: string;
  sender: string;
  status: MessageStatus;
  /** When it was to be sent. */
  since: Date;
  sentAt: Date | null;
  isRefused: boolean;
};

async function moveMessage(core: Core, rail: SmsRail, claim: Claim): Promise<void> {
  const message = await findMoving(core, claim);
  if (!message) return reschedule(core, 'sms_messages', claim, null);
  const isFirst = message.status === 'Pending' && claim.dueCount === 1;
  let outcome: SmsOutcome = isFirst ? NEVER_SEEN : await rail.query(message.id);
  if (message.status === 'Pending' && outcome.result === 'not_found') {
    const reason = findObstacle(core, message);
    if (reason) return void (await noteFailed(core, message.id, reason));
    const { id: messageId, phone: to, sender, text } = message;
    outcome = await rail.send({ messageId, to, sender, text });
  }
  await settleMessage(core, message.id, outcome);
  const isSettled = outcome.result === 'accepted' ? message.status === 'Pending' : FINAL.has(outcome.result);
  if (!isSettled) await reschedule(core, 'sms_messages', claim, nextAt(core, message));
}

const FINAL: ReadonlySet<SmsOutcome['result']> = new Set(['delivered', 'failed']);

const NEVER_SEEN: SmsOutcome = { result: 'not_found', reason: null, occurredAt: null };

async function findMoving({ pool }: Core, { id, dueCount }: Claim): Promise<Moving | null> {
  const { rows } = await pool.query<Omit<Moving, 'since' | 'sentAt'> & { since: string; sentAt: string | null }>({
    name: 'sms_moving',
    text: `select m.id, m.phone, coalesce(m.content, b.content) as text, b.sender, m.status,
        coalesce(b.run_at, b.created_at) as since, m.sent_at as "sentAt", o.phone is not null as "isRefused"
      from sms_messages m join sms_batches b on b.id = m.batch_id
        left join sms_opt_outs o on o.merchant_id = m.merchant_id and o.phone = m.phone
      where m.id = $1::uuid and m.due_count = $2 and m.status in ('Pending', 'Sent')`,
    values: [id, dueCount],
  });
  const [row] = rows;
  return row ? { ...row, since: new Date(row.since), sentAt: row.sentAt === null ? null : new Date(row.sentAt) } : null;
}

/** Why it must not be sent, now. */
function findObstacle({ clock }: Core, { isRefused, since }: Moving): string | null {
  if (isRefused) return 'opted_out';
  return clock.now().getTime() - since.getTime() > STALE_MS ? 'expired' : null;
}

/** When the rail is asked again: never given up while nobody knows whether it has the message. */
function nextAt({ clock }: Core, { status, since, sentAt }: Moving): Date | null {
  const now = clock.now();
  if (status === 'Sent') return nextFollowUp(sentAt ?? now, now);
  return nextAskAt(since, now) ?? new Date(now.getTime() + DAY_MS);
}
