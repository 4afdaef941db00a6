// Messages of rails, stored first and applied second (decisions §10, §15).
import type { Insertable, Updateable } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, type Tables } from '../database/db.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import { nextAskAt } from '../jobs/schedule.ts';
import type { RailNews } from '../providers/connector.ts';
import type { InboxMessage } from './entities.ts';
import { applyNotification, type NotificationHandlers, type NotificationOutcome } from './notification-handlers.ts';

/** Applies a stored message through the connector of the account that received it. */
export function createApply({ rails }: Pick<Core, 'rails'>, handlers: NotificationHandlers): Apply {
  return async ({ rail: id, body, isProven, attemptId, receivedAt }) => {
    const rail = await rails.find(id);
    // This node lacks the account's key or settings. The message is applied once they are back.
    if (!rail) throw new Error(`the rail account ${id} is not open here`);
    const about = { kind: rail.kind, trust: 'proven' as const, attemptId: attemptId ?? null, receivedAt };
    const items = isProven ? rail.connector.read(body, about) : readHint(body);
    const results = await applyEach(items, (item) => applyNotification(handlers, id, item));
    // The least settled item decides whether the message is applied again.
    const outcome = ORDER.find((one) => results.includes(one)) ?? 'unreadable';
    return { outcome, about: items.length === 1 ? subjectOf(items[0] as RailNews) : null };
  };
}

/**
 * Applies every item of a message, so that the failure of one does not hold up the others.
 * @throws the first failure, after all items were tried
 */
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

/** The id by which an erasure finds the message: of an attempt, a transaction, a terminal or an SMS. A reply has only a phone. */
function subjectOf(news: RailNews): string | null {
  switch (news.about) {
    case 'order':
    case 'scan':
      return news.attemptId;
    case 'terminal':
      return news.posId;
    case 'reference':
      return news.payment.providerRef;
    case 'message':
      return news.messageId;
    default:
      return null;
  }
}

const ORDER: NotificationOutcome[] = ['unmatched', 'unknown_reference', 'unreadable', 'applied'];

/** A hint as `keepHints` stores it. */
const readHint = (body: string): RailNews[] => [JSON.parse(body) as RailNews];

/** Stores a message, and applies it in the background. */
export async function receiveMessage(
  { core, apply }: { core: Core; apply: Apply },
  message: NewMessage,
): Promise<void> {
  const stored = await storeMessage(core, message);
  if (!stored) return;
  // Not awaited: the rail gets its answer. After a crash the inbox queue applies the message.
  const applied = applyMessage(core, apply, stored, message);
  core.inBackground(applied.catch((error: unknown) => core.log.error({ err: error }, 'could not apply')));
}

type KeptMessage = Pick<InboxMessage, 'rail' | 'body' | 'isProven' | 'receivedAt'> & {
  attemptId?: string | null | undefined;
};

/** The outcome of a stored message, and the id of its one subject (`inbox.about`). */
type Applied = { outcome: NotificationOutcome; about: string | null };

export type Apply = (message: KeptMessage) => Promise<Applied>;

/** After this time another run applies the message. */
const LEASE_MS = 10_000;
/** A notification may arrive before our commit. After these tries it is left to a person. */
const UNMATCHED_RETRIES = 5;

/** Stores a message; null for a repeat. `notificationId` is the rail's, or a digest of the body. */
async function storeMessage(core: Core, message: NewMessage): Promise<Claim | null> {
  const dueAt = new Date(core.clock.now().getTime() + LEASE_MS);
  const row = { id: uuid(), ...message, attemptId: message.attemptId ?? null, dueAt };
  return (await insertMessage.run(core, { row })) > 0 ? { id: row.id, dueCount: 0 } : null;
}

type NewMessage = KeptMessage & { notificationId: string };

/** Stores a message once: a rail may repeat it. */
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

async function applyMessage(core: Core, apply: Apply, claim: Claim, message: KeptMessage): Promise<void> {
  const now = core.clock.now();
  const applied = await apply(message).catch((error: unknown) => {
    // Tried for three days, then left to a person.
    const againAt = nextAskAt(message.receivedAt, now);
    core.log.error({ err: error, inboxId: claim.id, againAt }, 'applying a rail’s message failed');
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
  // An erasure needs the subject of recorded money and messages only.
  const set = { outcome, about: outcome === 'applied' ? about : null, appliedAt: core.clock.now(), dueAt: null };
  await changeMessage.run(core, { id, set });
  // Strangers can send hints, so unmatched hints are not logged.
  if (outcome !== 'applied' && isProven)
    core.log.warn({ inboxId: id, rail, outcome }, 'a rail’s message was left to a person');
}

const changeMessage = prepared((tables, { id, set }: { id: string; set: Updateable<Tables['inbox']> }) =>
  tables.updateTable('inbox').set(set).where('id', '=', id),
);

/** Messages stored by a node that died before applying them. */
export function inboxQueue(core: Core, apply: Apply): DueQueue {
  const run = (claim: Claim) => applyClaimed(core, apply, claim);
  return dueQueue(core, { table: 'inbox', ...core.rails.watches.turns, leaseMs: LEASE_MS, run });
}
