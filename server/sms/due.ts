// Messages on their way: handed to the rail once each, asked for where nobody knows, followed up; schedules at their minute.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { DAY_MS, nextAskAt } from '../due/schedule.ts';
import { reschedule, wakeDueWork, type Claim, type DueWork } from '../due/work.ts';
import type { SmsOutcome, SmsRail } from '../providers/provider.ts';
import { NEXT_IN_TURN } from './next-in-turn.sql.ts';
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

/** Its minute has come: all of its messages are due, unless it was cancelled first. */
async function releaseSchedule(core: Core, { id }: Claim): Promise<void> {
  await releaseBatch.run(core, { id, now: core.clock.now() });
  wakeSending(core);
}

const releaseBatch = prepared((tables, { id, now }: { id: string; now: Date }) =>
  tables
    .with('released', (on) =>
      on
        .updateTable('sms_batches')
        .set({ status: 'Released', releasedAt: now, dueAt: null })
        .where('id', '=', id)
        .where('status', '=', 'Scheduled')
        .returning('id'),
    )
    .updateTable('sms_messages as m')
    .from('released as r')
    .set({ dueAt: now, listedAt: now })
    .whereRef('m.batchId', '=', 'r.id'),
);

/** Hands it in, once: who finds it claimed before asks the rail first what became of that. */
async function sendMessage(core: Core, rail: SmsRail, claim: Claim): Promise<void> {
  const message = await findPending.first(core, claim);
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
  const message = await findSent.first(core, claim);
  if (!message) return;
  const outcome = await rail.query(message.id);
  if (outcome.result === 'delivered' || outcome.result === 'failed') return settleMessage(core, message.id, outcome);
  const now = core.clock.now();
  await reschedule(core, 'sms_messages', claim, nextFollowUp(message.sentAt ?? now, now, outcome.result === 'unknown'));
}

const NEVER_SEEN: SmsOutcome = { result: 'not_found', reason: null, occurredAt: null };

const findSent = prepared((tables, { id, dueCount }: Claim) =>
  tables
    .selectFrom('sms_messages')
    .select(['id', 'sentAt'])
    .where('id', '=', id)
    .where('dueCount', '=', dueCount)
    .where('status', '=', 'Sent'),
);

const findPending = prepared((tables, { id, dueCount }: Claim) =>
  tables
    .selectFrom('sms_messages as m')
    .innerJoin('sms_batches as b', 'b.id', 'm.batchId')
    .leftJoin('sms_opt_outs as o', (on) =>
      on.onRef('o.merchantId', '=', 'm.merchantId').onRef('o.phone', '=', 'm.phone'),
    )
    .select((eb) => [
      'm.id',
      'm.phone',
      'b.sender',
      eb.fn.coalesce('m.content', 'b.content').as('text'),
      // When it was to be sent.
      eb.fn.coalesce('b.runAt', 'b.createdAt').as('since'),
      eb('o.phone', 'is not', null).as('isRefused'),
    ])
    .where('m.id', '=', id)
    .where('m.dueCount', '=', dueCount)
    .where('m.status', '=', 'Pending'),
);

type Moving = NonNullable<Awaited<ReturnType<typeof findPending.first>>>;

/** Why it must not be sent, now. */
function findObstacle({ clock }: Core, { isRefused, since }: Moving): string | null {
  if (isRefused) return 'opted_out';
  return clock.now().getTime() - since.getTime() > STALE_MS ? 'expired' : null;
}
