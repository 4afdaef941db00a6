// Unreadable entries of a rail's list. They may be payments, so the inbox keeps them for manual review.
import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { isAny, prepared } from '../database/db.ts';
import { insertMessage } from './inbox.ts';

const MAX_STORED_CHARS = 4_096;

/** Stores new unreadable entries once each, up to the limit `room`. Returns the number beyond the limit. */
export async function keepUnreadable(
  core: Core,
  rail: string,
  entries: string[],
  room: { unreadable: number } = { unreadable: Infinity },
): Promise<number> {
  const byDigest = new Map(entries.map((entry) => [createHash('sha256').update(entry).digest('hex'), entry]));
  const known = new Set(await findStored(core, rail, [...byDigest.keys()]));
  const fresh = [...byDigest].filter(([digest]) => !known.has(digest));
  const taken = fresh.slice(0, room.unreadable);
  room.unreadable -= taken.length;
  for (const [notificationId, entry] of taken) {
    const [id, at] = [uuid(), core.clock.now()];
    const times = { receivedAt: at, appliedAt: at };
    const row = { id, rail, notificationId, body: entry.slice(0, MAX_STORED_CHARS), ...times, outcome: 'unreadable' };
    await insertMessage.run(core, { row });
    core.log.warn({ inboxId: id, rail, outcome: 'unreadable' }, 'unreadable entry in a rail’s list');
  }
  return fresh.length - taken.length;
}

export async function findStored(core: Core, rail: string, notificationIds: string[]): Promise<string[]> {
  if (notificationIds.length === 0) return [];
  return (await findIds.all(core, { rail, notificationIds })).map(({ notificationId }) => notificationId);
}

const findIds = prepared((tables, { rail, notificationIds }: { rail: string; notificationIds: string[] }) =>
  tables
    .selectFrom('inbox')
    .select('notificationId')
    .where('rail', '=', rail)
    .where('notificationId', ...isAny(notificationIds)),
);
