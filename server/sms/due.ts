// Jobs of SMS: release scheduled batches, send each message to the rail once, and query undelivered messages.
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

/**
 * Creates the queues of SMS jobs:
 * - `sms_batches`: at its minute, a scheduled batch makes its messages due.
 * - `sms_sending`: sends a pending message. After a crash or an unknown outcome it queries the rail first.
 * - `sms_following`: queries the rail about a sent message that has no delivery report.
 */
export function smsQueues(core: Core): DueQueue[] {
  // One run can make two calls to the rail: a query and a submission.
  const leaseMs = 2 * core.config.SMS_TIMEOUT_S * 1000 + MARGIN_MS;
  const messages = { table: 'sms_messages', leaseMs } as const;
  // Messages are urgent: a claim waits only 5 ms for more rows.
  const prompt = { gatherMs: 5 };
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
        run: (message: Pending, freeSlot) => sendMessage(core, freeSlot, message),
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
/** The queue of status queries is separate, so that queries about old messages never delay a new message. */
const FOLLOWING = { name: 'sms_following', where: `status = 'Sent'` };

/** Wakes the job engine after SMS became due. */
export function wakeSending({ jobs }: Pick<Core, 'jobs'>): void {
  jobs.wake(SENDING.name);
}

const MARGIN_MS = 5_000;
const RELEASE_LEASE_MS = 30_000;

/** Maximum age of an unsent message. Then it fails with `expired`, and the merchant gets its units back. */
const STALE_MS = DAY_MS;

/** Makes all messages of a scheduled batch due, unless the batch was canceled first. */
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

/** Sends an SMS to the rail once. From the second claim on, the node queries the rail first. */
async function sendMessage(core: Core, freeSlot: () => void, message: Pending): Promise<void> {
  const { id: messageId, dueCount } = message;
  const capabilities = await core.rails.can(message.rail, 'sms');
  let outcome = dueCount === 1 ? NEVER_SEEN : await queryMessage(core, message, capabilities);
  if (outcome.result === 'not_found') {
    const reason = findSkipReason(core, message);
    if (reason) return noteFailed(core, messageId, reason);
    outcome = await submitMessage(core, message, capabilities);
  }
  // The rail can take the next message while this node records the outcome.
  freeSlot();
  const { railMessageId } = outcome;
  if (railMessageId) await storeRailId.run(core, { id: messageId, railMessageId });
  if (outcome.result === 'accepted') return noteSent(core, messageId);
  if (outcome.result !== 'unknown') return applyMessageOutcome(core, messageId, outcome);
  const now = core.clock.now();
  // Polling does not end while the outcome is unknown: after the schedule's end it continues daily.
  await reschedule(core, 'sms_messages', message, nextQueryAt(message.since, now) ?? new Date(now.getTime() + DAY_MS));
}

async function submitMessage(core: Core, message: Pending, capabilities: SmsCapabilities | null): Promise<SmsOutcome> {
  const { id: messageId, phone: to, sender, text } = message;
  // A rail without idempotency is queried by the time of the call, so the node stores this time before the call.
  if (capabilities && !capabilities.idempotent)
    await storeSubmittedAt.run(core, { id: messageId, at: core.clock.now() });
  return (await core.rails.sms(message.rail)).send({ messageId, to, sender, text });
}

/** Queries the outcome of an earlier call. `not_found` means that the message can be sent (again). */
async function queryMessage(core: Core, message: Pending, capabilities: SmsCapabilities | null): Promise<SmsOutcome> {
  const { id: messageId, phone: to, text, since, railMessageId, railAskedAt } = message;
  // Without a stored time of a call, the earlier run ended before its call.
  if (capabilities && !capabilities.idempotent && !railAskedAt) return NEVER_SEEN;
  const rail = await core.rails.sms(message.rail);
  const outcome = await rail.query({ messageId, railMessageId, to, text, sentAt: railAskedAt ?? since });
  const isNewRailId = outcome.railMessageId && !railMessageId;
  if (isNewRailId && (await findSameRailId.first(core, { ...outcome, id: messageId, rail: message.rail })))
    // Another message already has this rail id, so the rail found one with the same text to the same phone.
    return { ...outcome, result: 'unknown', reason: 'other_message', railMessageId: null };
  const isFresh = core.clock.now().getTime() - since.getTime() < DAY_MS;
  const isSafe = capabilities?.idempotent && outcome.reason === 'rail_id_missing' && isFresh;
  // Without its own id the rail cannot be queried. Sending again is safe while the rail remembers our ids.
  return isSafe ? NEVER_SEEN : outcome;
}

const storeRailId = prepared((tables, { id, railMessageId }: { id: string; railMessageId: string }) =>
  tables.updateTable('sms_messages').set({ railMessageId }).where('id', '=', id),
);

const storeSubmittedAt = prepared((tables, { id, at }: { id: string; at: Date }) =>
  tables.updateTable('sms_messages').set({ railAskedAt: at }).where('id', '=', id),
);

type RailIdQuery = { id: string; rail: string; railMessageId?: string | null };

/** Finds another message of the same rail account with this rail id. Two rails can use the same ids. */
const findSameRailId = prepared((tables, { id, rail, railMessageId }: RailIdQuery) =>
  tables
    .selectFrom('sms_messages as m')
    .innerJoin('sms_batches as b', 'b.id', 'm.batchId')
    .select('m.id')
    .where('m.railMessageId', '=', railMessageId ?? '')
    .where('m.id', '<>', id)
    .where('b.rail', '=', rail),
);

/** Queries the rail about a message that the rail accepted and has not reported on. */
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

/**
 * Reads the claimed messages with their texts and senders.
 * The result omits messages that were finished or claimed again in the meantime.
 */
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
      // `since`: the planned time of sending.
      eb.fn.coalesce('b.runAt', 'b.createdAt').as('since'),
    ])
    .where('m.id', ...isAny(ids))
    .where('m.status', '=', 'Pending'),
);

type Pending = Awaited<ReturnType<typeof findPending.all>>[number] & { isRefused: boolean };

/** Returns why the message must not be sent any more. Null if it may be sent. */
function findSkipReason({ clock }: Core, { isRefused, since }: Pending): string | null {
  if (isRefused) return 'opted_out';
  return clock.now().getTime() - since.getTime() > STALE_MS ? 'expired' : null;
}
