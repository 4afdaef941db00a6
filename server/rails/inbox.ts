// The inbox stores rail notifications before it applies them, so that no message is lost if the node is killed.
//
// - Proven message: the inbox stores its body unchanged. Handlers apply each item to a payment, terminal or SMS.
// - Hint: an unproven message. The inbox stores only its ids, which make the node query the rail.
//
// A message ends with one of four outcomes (`inbox.outcome`):
// - `applied`: the node has recorded all items of the message.
// - `unmatched`: an item has no order of ours. The node retries, since the message may precede our commit.
// - `unknown_reference`: a payment has digits that were never ours.
// - `unreadable`: the connector found no item in the message.
// Every outcome of a proven message except `applied` needs manual review.
//
// The trade-off: each message costs one more write. In return the rail gets its answer before any handler runs.
// A bug in a handler delays a message but does not lose it.
import type { Insertable, Updateable } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, type Tables } from '../database/db.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import { nextQueryAt } from '../jobs/schedule.ts';
import type { NotificationItem } from '../providers/connector.ts';
import type { InboxMessage } from './entities.ts';
import { applyNotification, type NotificationHandlers, type NotificationOutcome } from './notification-handlers.ts';

/** Creates the function that applies a stored message through the connector of its rail account. */
export function createApply({ rails }: Pick<Core, 'rails'>, handlers: NotificationHandlers): Apply {
  return async ({ rail: id, body, isProven, attemptId, receivedAt }) => {
    const rail = await rails.find(id);
    // This node lacks the rail account's key or connector. A later try applies the message once the node has both.
    if (!rail) throw new Error(`rail account ${id} cannot be opened on this node`);
    const about = { kind: rail.kind, trust: 'proven' as const, attemptId: attemptId ?? null, receivedAt };
    const items = isProven ? rail.connector.read(body, about) : readHint(body);
    const results = await applyEach(items, (item) => applyNotification(handlers, id, item));
    // The item with the worst outcome decides whether the message is applied again.
    const outcome = OUTCOME_PRIORITY.find((one) => results.includes(one)) ?? 'unreadable';
    return { outcome, about: items.length === 1 ? subjectOf(items[0] as NotificationItem) : null };
  };
}

/** Applies every item of a message, even after the failure of one. @throws the first failure, at the end */
export async function applyEach<Item>(
  items: readonly Item[],
  apply: (item: Item) => Promise<NotificationOutcome>,
): Promise<NotificationOutcome[]> {
  const results: NotificationOutcome[] = [];
  const failures: unknown[] = [];
  for (const item of items) {
    await apply(item).then(
      (outcome) => results.push(outcome),
      (error: unknown) => failures.push(error),
    );
  }
  if (failures.length > 0) throw failures[0];
  return results;
}

/** Returns an item's attempt, transaction, terminal or SMS, for erasures. Null for a reply, which has only a phone. */
function subjectOf(item: NotificationItem): string | null {
  switch (item.about) {
    case 'order':
    case 'scan':
      return item.attemptId;
    case 'terminal':
      return item.posId;
    case 'reference':
      return item.payment.providerRef;
    case 'message':
      return item.messageId;
    default:
      return null;
  }
}

const OUTCOME_PRIORITY: NotificationOutcome[] = ['unmatched', 'unknown_reference', 'unreadable', 'applied'];

/** Reads a hint from the JSON that `keepHints` stored. */
const readHint = (body: string): NotificationItem[] => [JSON.parse(body) as NotificationItem];

/** Stores a message, and starts to apply it in the background. */
export async function receiveMessage(
  { core, apply }: { core: Core; apply: Apply },
  message: NewMessage,
): Promise<void> {
  const stored = await storeMessage(core, message);
  if (!stored) return;
  // The answer to the rail does not wait for the handlers. After a crash the inbox queue applies the message.
  const applied = applyMessage(core, apply, stored, message);
  core.inBackground(
    applied.catch((error: unknown) => core.log.error({ err: error }, 'could not update the inbox; will retry')),
  );
}

type StoredMessage = Pick<InboxMessage, 'rail' | 'body' | 'isProven' | 'receivedAt'> & {
  attemptId?: string | null | undefined;
};

/** The outcome of a message, and the id of its subject (`inbox.about`) if it has exactly one item. */
type Applied = { outcome: NotificationOutcome; about: string | null };

export type Apply = (message: StoredMessage) => Promise<Applied>;

/** Lease of an unapplied message. After this time, another run claims the message. */
const LEASE_MS = 10_000;
/** Retries of an unmatched message, which may precede our commit. Afterwards the message needs manual review. */
const UNMATCHED_RETRIES = 5;

/** Stores a message, or returns null for a repeat. `notificationId` is the rail's id, or a digest of the body. */
async function storeMessage(core: Core, message: NewMessage): Promise<Claim | null> {
  const dueAt = new Date(core.clock.now().getTime() + LEASE_MS);
  const row = { id: uuid(), ...message, attemptId: message.attemptId ?? null, dueAt };
  return (await insertMessage.run(core, { row })) > 0 ? { id: row.id, dueCount: 0 } : null;
}

type NewMessage = StoredMessage & { notificationId: string };

/** Inserts a message, unless the rail repeats it. */
export const insertMessage = prepared((tables, { row }: { row: Insertable<Tables['inbox']> }) =>
  tables
    .insertInto('inbox')
    .values(row)
    .onConflict((conflict) => conflict.columns(['rail', 'notificationId']).doNothing()),
);

async function applyClaimed(core: Core, apply: Apply, claim: Claim): Promise<void> {
  const message = await findMessage.first(core, { id: claim.id });
  if (!message || message.appliedAt) return reschedule(core, 'inbox', claim, null);
  return applyMessage(core, apply, claim, message);
}

async function applyMessage(core: Core, apply: Apply, claim: Claim, message: StoredMessage): Promise<void> {
  const now = core.clock.now();
  const applied = await apply(message).catch((error: unknown) => {
    // The node retries an unapplied message for three days. Afterwards the message needs manual review.
    const againAt = nextQueryAt(message.receivedAt, now);
    core.log.error({ err: error, inboxId: claim.id, againAt }, 'could not apply rail notification');
    return againAt ?? { outcome: 'unmatched' as const, about: null };
  });
  if (applied instanceof Date) return reschedule(core, 'inbox', claim, applied);
  if (applied.outcome === 'unmatched' && claim.dueCount < UNMATCHED_RETRIES) {
    return reschedule(core, 'inbox', claim, new Date(now.getTime() + LEASE_MS));
  }
  await finishMessage(core, { ...message, id: claim.id }, applied);
}

const findMessage = prepared((tables, { id }: { id: string }) =>
  tables
    .selectFrom('inbox')
    .select(['id', 'rail', 'body', 'isProven', 'attemptId', 'receivedAt', 'appliedAt'])
    .where('id', '=', id),
);

async function finishMessage(
  core: Core,
  { id, rail, isProven }: Pick<InboxMessage, 'id' | 'rail' | 'isProven'>,
  { outcome, about }: Applied,
): Promise<void> {
  // Only applied messages store their subject, because erasures need no other.
  const set = { outcome, about: outcome === 'applied' ? about : null, appliedAt: core.clock.now(), dueAt: null };
  await changeMessage.run(core, { id, set });
  // Anyone can send hints, so unmatched hints are not logged.
  if (outcome !== 'applied' && isProven)
    core.log.warn({ inboxId: id, rail, outcome }, 'rail notification needs manual review');
}

const changeMessage = prepared((tables, { id, set }: { id: string; set: Updateable<Tables['inbox']> }) =>
  tables.updateTable('inbox').set(set).where('id', '=', id),
);

/** The queue of unapplied messages: failed tries, and messages of killed nodes. */
export function inboxQueue(core: Core, apply: Apply): DueQueue {
  const run = (claim: Claim) => applyClaimed(core, apply, claim);
  return dueQueue(core, { table: 'inbox', ...core.rails.watches.turns, leaseMs: LEASE_MS, run });
}
