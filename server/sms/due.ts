// Messages on their way: handed to the rail once each, asked for where nobody knows, followed up; schedules at their minute.
import type { Core } from '../core.ts';
import { findRow } from '../database/rows.ts';
import { DAY_MS, nextAskAt } from '../due/schedule.ts';
import { reschedule, wakeDueWork, type Claim, type DueWork } from '../due/work.ts';
import type { SmsOutcome, SmsRail } from '../providers/provider.ts';
import { SmsMessage } from './entities.ts';
import { settleMessage } from './settle.ts';
import { nextFollowUp, noteFailed } from './states.ts';

/** The kinds of due work that SMS has. */
export function smsDueWork(core: Core, rail: SmsRail | null): DueWork[] {
  if (!rail) return [];
  // A claim may ask the rail, and then send.
  const leaseMs = 2 * core.config.SMS_TIMEOUT_S * 1000 + MARGIN_MS;
  const messages = { table: 'sms_messages', leaseMs } as const;
  return [
    { table: 'sms_batches', leaseMs: RELEASE_LEASE_MS, run: (claim) => releaseSchedule(core, claim) },
    { ...messages, only: SENDING, pick: NEXT_IN_TURN, run: (claim) => sendMessage(core, rail, claim) },
    { ...messages, only: FOLLOWING, run: (claim) => followMessage(core, rail, claim) },
  ];
}

const SENDING = { name: 'sms_sending', where: `status = 'Pending'` };
/** Apart: what is asked about old messages never delays a new one. */
const FOLLOWING = { name: 'sms_following', where: `status = 'Sent'` };

/** Messages were made due now. */
export function wakeSending(core: Pick<Core, 'pool'>): void {
  wakeDueWork(core, SENDING.name);
}

const MARGIN_MS = 5_000;
const RELEASE_LEASE_MS = 30_000;

/** What nobody could send for so long is news no more: its units go back. */
const STALE_MS = DAY_MS;

/**
 * One message of each merchant, then the second of each, and so on: a long sending delays nobody else's. Where there are more
 * merchants than places it is by lot: by age, the same long sendings would always come first.
 */
const NEXT_IN_TURN = `
  with recursive merchant(id) as (
    (select merchant_id from sms_messages where status = 'Pending' and due_at is not null order by merchant_id limit 1)
    union all
    select (select merchant_id from sms_messages where status = 'Pending' and due_at is not null
      and merchant_id > merchant.id order by merchant_id limit 1) from merchant where merchant.id is not null)
  select turn.id from (select id from merchant where id is not null) merchant cross join lateral (
    select id, row_number() over (order by merchant_id, due_at) as place from sms_messages
    -- Compared as rows: whatever the planner thinks, it is the turn's index that begins and ends there.
    where status = 'Pending' and due_at is not null and (merchant_id, due_at) >= (merchant.id, '-infinity') and (merchant_id, due_at) <= (merchant.id, $1::timestamptz)
    order by merchant_id, due_at limit $3) turn
  order by turn.place, random() limit $3`;

/** Its minute has come: all of its messages are due, unless it was cancelled first. */
async function releaseSchedule(core: Core, { id }: Claim): Promise<void> {
  await core.pool.query(
    `with released as (
       update sms_batches set status = 'Released', released_at = $2::timestamptz, due_at = null
       where id = $1::uuid and status = 'Scheduled' returning id)
     update sms_messages m set due_at = $2::timestamptz, listed_at = $2::timestamptz from released r where m.batch_id = r.id`,
    [id, core.clock.now()],
  );
  wakeSending(core);
}

type Moving = {
  id: string;
  phone: string;
  text: string;
  sender: string;
  /** When it was to be sent. */
  since: Date;
  isRefused: boolean;
};

/** Hands it in, once: who finds it claimed before asks the rail first what became of that. */
async function sendMessage(core: Core, rail: SmsRail, claim: Claim): Promise<void> {
  const message = await findPending(core, claim);
  if (!message) return;
  const { id: messageId, phone: to, sender, text, since } = message;
  let outcome: SmsOutcome = claim.dueCount === 1 ? NEVER_SEEN : await rail.query(messageId);
  if (outcome.result === 'not_found') {
    const reason = findObstacle(core, message);
    if (reason) return noteFailed(core, messageId, reason);
    outcome = await rail.send({ messageId, to, sender, text });
  }
  if (outcome.result !== 'unknown') return settleMessage(core, messageId, outcome);
  const now = core.clock.now();
  // Never given up while nobody knows whether the rail has it.
  await reschedule(core, 'sms_messages', claim, nextAskAt(since, now) ?? new Date(now.getTime() + DAY_MS));
}

/** Asks what became of a message that the rail took, and of which it told nothing. */
async function followMessage(core: Core, rail: SmsRail, claim: Claim): Promise<void> {
  const message = await findRow(core, SmsMessage, 'id = $1 and due_count = $2', [claim.id, claim.dueCount]);
  if (message?.status !== 'Sent') return;
  const outcome = await rail.query(message.id);
  if (outcome.result === 'delivered' || outcome.result === 'failed') return settleMessage(core, message.id, outcome);
  const now = core.clock.now();
  await reschedule(core, 'sms_messages', claim, nextFollowUp(message.sentAt ?? now, now, outcome.result === 'unknown'));
}

const NEVER_SEEN: SmsOutcome = { result: 'not_found', reason: null, occurredAt: null };

async function findPending({ pool }: Core, { id, dueCount }: Claim): Promise<Moving | null> {
  const { rows } = await pool.query<Omit<Moving, 'since'> & { since: string }>({
    name: 'sms_pending',
    text: `select m.id, m.phone, coalesce(m.content, b.content) as text, b.sender,
        coalesce(b.run_at, b.created_at) as since, o.phone is not null as "isRefused"
      from sms_messages m join sms_batches b on b.id = m.batch_id
        left join sms_opt_outs o on o.merchant_id = m.merchant_id and o.phone = m.phone
      where m.id = $1::uuid and m.due_count = $2 and m.status = 'Pending'`,
    values: [id, dueCount],
  });
  const [row] = rows;
  return row ? { ...row, since: new Date(row.since) } : null;
}

/** Why it must not be sent, now. */
function findObstacle({ clock }: Core, { isRefused, since }: Moving): string | null {
  if (isRefused) return 'opted_out';
  return clock.now().getTime() - since.getTime() > STALE_MS ? 'expired' : null;
}
