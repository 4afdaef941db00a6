// Messages on their way: handed to the rail once each, asked for where nobody knows, followed up; schedules at their minute.
import type { Core } from '../core.ts';
import { isAny, prepared } from '../database/db.ts';
import { nextQueryAt } from '../jobs/schedule.ts';
import { dueQueue, preloadingQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import type { SmsCapabilities } from '../providers/connector.ts';
import type { SmsOutcome } from '../providers/message.ts';
import { applyMessageOutcome } from './receive.ts';
import { findRefusing } from './opt-outs/refusals.ts';
import { nextFollowUp, noteFailed, noteSent } from './states.ts';
import { DAY_MS } from '../../shared/durations.ts';

/** What of messages comes due. */
export function smsQueues(core: Core): DueQueue[] {
  // A claim may ask the rail, and then send.
  const leaseMs = 2 * core.config.SMS_TIMEOUT_S * 1000 + MARGIN_MS;
  const messages = { table: 'sms_messages', leaseMs } as const;
  // People wait for them: each goes at its moment, and so many at once as the rail takes without waiting for our books (bench).
  const prompt = { gatherMs: 5, atOnce: 32 };
  return [
    dueQueue(core, {
      table: 'sms_batches',
      leaseMs: RELEASE_LEASE_MS,
      ...prompt,
      run: (claim) => release(core, claim),
    }),
    preloadingQueue(
      core,
      {
        ...messages,
        only: SENDING,
        turns: 'merchant_id',
        ...prompt,
        run: (message: Pending, leave) => sendMessage(core, leave, message),
      },
      (claims) => readPending(core, claims),
    ),
    dueQueue(core, {
      ...messages,
      only: FOLLOWING,
      turns: 'merchant_id',
      run: (claim) => followMessage(core, claim),
    }),
  ];
}

const SENDING = { name: 'sms_sending', where: `status = 'Pending'` };
/** Apart: what is asked about old messages never delays a new one. */
const FOLLOWING = { name: 'sms_following', where: `status = 'Sent'` };

/** Messages were made due now. */
export function wakeSending({ jobs }: Pick<Core, 'jobs'>): void {
  jobs.wake(SENDING.name);
}

const MARGIN_MS = 5_000;
const RELEASE_LEASE_MS = 30_000;

/** What nobody could send for so long is news no more: its units go back. */
const STALE_MS = DAY_MS;

/** Its minute has come: all of its messages are due, unless it was cancelled first. */
async function release(core: Core, { id }: Claim): Promise<void> {
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

/** Hands the message to the rail once. After an earlier claim the rail is queried first. */
async function sendMessage(core: Core, leave: () => void, message: Pending): Promise<void> {
  const { id: messageId, dueCount } = message;
  const can = await core.rails.can(message.rail, 'sms');
  let outcome = dueCount === 1 ? NEVER_SEEN : await queryMessage(core, message, can);
  if (outcome.result === 'not_found') {
    const reason = findObstacle(core, message);
    if (reason) return noteFailed(core, messageId, reason);
    outcome = await handIn(core, message, can);
  }
  // The rail is free for the next one while it is being recorded.
  leave();
  const { railMessageId } = outcome;
  if (railMessageId) await keepRailId.run(core, { id: messageId, railMessageId });
  if (outcome.result === 'accepted') return noteSent(core, messageId);
  if (outcome.result !== 'unknown') return applyMessageOutcome(core, messageId, outcome);
  const now = core.clock.now();
  // Never given up while nobody knows whether the rail has it.
  await reschedule(core, 'sms_messages', message, nextQueryAt(message.since, now) ?? new Date(now.getTime() + DAY_MS));
}

async function handIn(core: Core, message: Pending, can: SmsCapabilities | null): Promise<SmsOutcome> {
  const { id: messageId, phone: to, sender, text } = message;
  // Who takes a repeated one for another is asked by its time what became of this call: known before it begins.
  if (can && !can.idempotent) await noteAsked.run(core, { id: messageId, at: core.clock.now() });
  return (await core.rails.sms(message.rail)).send({ messageId, to, sender, text });
}

/** What became of the call before. `not_found`: it may be handed in (again). */
async function queryMessage(core: Core, message: Pending, can: SmsCapabilities | null): Promise<SmsOutcome> {
  const { id: messageId, phone: to, text, since, railMessageId, railAskedAt } = message;
  // It died before its call.
  if (can && !can.idempotent && !railAskedAt) return NEVER_SEEN;
  const rail = await core.rails.sms(message.rail);
  const outcome = await rail.query({ messageId, railMessageId, to, text, sentAt: railAskedAt ?? since });
  const isNewlyNamed = outcome.railMessageId && !railMessageId;
  if (isNewlyNamed && (await findTwin.first(core, { ...outcome, id: messageId, rail: message.rail })))
    // The same words to the same phone: it is the other one that was found.
    return { ...outcome, result: 'unknown', reason: 'other_message', railMessageId: null };
  const isFresh = core.clock.now().getTime() - since.getTime() < DAY_MS;
  const isSafe = can?.idempotent && outcome.reason === 'rail_id_missing' && isFresh;
  // Only another call under its id can tell, for as long as the rail remembers ids.
  return isSafe ? NEVER_SEEN : outcome;
}

const keepRailId = prepared((tables, { id, railMessageId }: { id: string; railMessageId: string }) =>
  tables.updateTable('sms_messages').set({ railMessageId }).where('id', '=', id),
);

const noteAsked = prepared((tables, { id, at }: { id: string; at: Date }) =>
  tables.updateTable('sms_messages').set({ railAskedAt: at }).where('id', '=', id),
);

type TwinOf = { id: string; rail: string; railMessageId?: string | null };

/** Another message of the same account; other rails have the same ids. */
const findTwin = prepared((tables, { id, rail, railMessageId }: TwinOf) =>
  tables
    .selectFrom('sms_messages as m')
    .innerJoin('sms_batches as b', 'b.id', 'm.batchId')
    .select('m.id')
    .where('m.railMessageId', '=', railMessageId ?? '')
    .where('m.id', '<>', id)
    .where('b.rail', '=', rail),
);

/** Asks what became of a message that the rail took, and of which it told nothing. */
async function followMessage(core: Core, claim: Claim): Promise<void> {
  const message = await findSent.first(core, claim);
  if (!message) return;
  const { id: messageId, phone: to, text, sentAt, railMessageId } = message;
  const rail = await core.rails.sms(message.rail);
  const outcome = await rail.query({ messageId, railMessageId, to, text, sentAt });
  if (outcome.result === 'delivered' || outcome.result === 'failed')
    return applyMessageOutcome(core, message.id, outcome);
  const now = core.clock.now();
  await reschedule(core, 'sms_messages', claim, nextFollowUp(message.sentAt ?? now, now, outcome.result === 'unknown'));
}

const NEVER_SEEN: SmsOutcome = { result: 'not_found', reason: null, occurredAt: null };

const findSent = prepared((tables, { id, dueCount }: Claim) =>
  tables
    .selectFrom('sms_messages as m')
    .innerJoin('sms_batches as b', 'b.id', 'm.batchId')
    .select(['m.id', 'm.sentAt', 'm.phone', 'm.railMessageId', 'b.rail'])
    .select((eb) => eb.fn.coalesce('m.content', 'b.content').as('text'))
    .where('m.id', '=', id)
    .where('m.dueCount', '=', dueCount)
    .where('m.status', '=', 'Sent'),
);

/** What was claimed, as it is to be sent; what somebody took back meanwhile is left out. */
async function readPending(core: Core, claims: Claim[]): Promise<Pending[]> {
  const ids = claims.map(({ id }) => id);
  const counts = new Map(claims.map(({ id, dueCount }) => [id, dueCount]));
  const messages = await findPending.all(core, { ids });
  const isRefusing = await findRefusing(core, messages);
  return messages
    .filter(({ id, dueCount }) => counts.get(id) === dueCount)
    .map((message) => ({ ...message, isRefused: isRefusing(message) }));
}

const findPending = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('sms_messages as m')
    .innerJoin('sms_batches as b', 'b.id', 'm.batchId')
    .select((eb) => [
      'm.id',
      'm.merchantId',
      'm.dueCount',
      'm.phone',
      'm.railMessageId',
      'm.railAskedAt',
      'b.sender',
      'b.rail',
      eb.fn.coalesce('m.content', 'b.content').as('text'),
      // When it was to be sent.
      eb.fn.coalesce('b.runAt', 'b.createdAt').as('since'),
    ])
    .where('m.id', ...isAny(ids))
    .where('m.status', '=', 'Pending'),
);

type Pending = Awaited<ReturnType<typeof findPending.all>>[number] & { isRefused: boolean };

/** Why it must not be sent, now. */
function findObstacle({ clock }: Core, { isRefused, since }: Pending): string | null {
  if (isRefused) return 'opted_out';
  return clock.now().getTime() - since.getTime() > STALE_MS ? 'expired' : null;
}
