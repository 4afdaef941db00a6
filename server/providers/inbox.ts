// Stored first, applied second: what a rail tells us is kept word for word before anything is done with it (law 6).
import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import type { InboxMessage } from './entities.ts';

/** What came of a message; thrown errors leave it to be applied again. */
export type Outcome = 'applied' | 'unmatched' | 'unknown_reference' | 'unreadable';

/** Applies one stored message of a rail. */
export type Apply = (rail: string, body: string) => Promise<Outcome>;

/** How long a message may be under way before another run applies it (again). */
const LEASE_MS = 10_000;
/** A notification may overtake the commit of what it speaks of; after these tries it is left to a person. */
const UNMATCHED_RETRIES = 5;

/**
 * Stores a message; false when the rail had sent it before. The caller answers the rail, then applies.
 * `notificationId` is the rail's own, or a digest of the body where it has none.
 */
export async function storeMessage(
  core: Core,
  rail: string,
  notificationId: string,
  body: string,
): Promise<Claim | null> {
  const now = core.clock.now();
  const dueAt = new Date(now.getTime() + LEASE_MS);
  const stored = await insertMessage.first(core, { id: uuid(), rail, notificationId, body, receivedAt: now, dueAt });
  return stored && { id: stored.id, dueCount: 0 };
}

type NewMessage = Pick<InboxMessage, 'id' | 'rail' | 'notificationId' | 'body' | 'receivedAt'> & { dueAt: Date };

const insertMessage = prepared((tables, { id, rail, notificationId, body, receivedAt, dueAt }: NewMessage) =>
  tables
    .insertInto('inbox')
    .values({ id, rail, notificationId, body, receivedAt, dueAt })
    .onConflict((on) => on.columns(['rail', 'notificationId']).doNothing())
    .returning('id'),
);

/** Keeps what a rail's list holds and nobody can read, once: it may be money, and a person must look. */
export async function keepUnreadable(core: Core, rail: string, body: string): Promise<void> {
  const notificationId = createHash('sha256').update(body).digest('hex');
  const claim = await storeMessage(core, rail, notificationId, body);
  if (!claim) return;
  await finishMessage(core, { id: claim.id, rail }, 'unreadable');
}

/** Applies a stored message and notes what came of it. */
export async function applyMessage(core: Core, apply: Apply, claim: Claim): Promise<void> {
  const message = await findMessage.first(core, { id: claim.id });
  if (!message || message.appliedAt) return reschedule(core, 'inbox', claim, null);
  const outcome = await apply(message.rail, message.body);
  const now = core.clock.now();
  if (outcome === 'unmatched' && claim.dueCount < UNMATCHED_RETRIES) {
    return reschedule(core, 'inbox', claim, new Date(now.getTime() + LEASE_MS));
  }
  await finishMessage(core, message, outcome);
}

const findMessage = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('inbox').select(['id', 'rail', 'body', 'appliedAt']).where('id', '=', id),
);

async function finishMessage(
  core: Core,
  { id, rail }: Pick<InboxMessage, 'id' | 'rail'>,
  outcome: Outcome,
): Promise<void> {
  await markApplied.run(core, { id, outcome, appliedAt: core.clock.now() });
  if (outcome !== 'applied') core.log.warn({ inboxId: id, rail, outcome }, 'a rail’s message could not be applied');
}

const markApplied = prepared((tables, { id, outcome, appliedAt }: { id: string; outcome: Outcome; appliedAt: Date }) =>
  tables.updateTable('inbox').set({ appliedAt, outcome, dueAt: null }).where('id', '=', id),
);

/** Messages stored by a node that died before applying them. */
export function inboxQueue(core: Core, apply: Apply): DueQueue {
  return dueQueue(core, { table: 'inbox', leaseMs: LEASE_MS, run: (claim) => applyMessage(core, apply, claim) });
}
