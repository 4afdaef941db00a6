// An account's own list of payments, read on when it is due: who waits for news wakes it.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';

/** It is read from its beginning, once. */
export async function startFeed(db: Db, rail: string, at: Date): Promise<void> {
  await insertFeed.run(db, { id: uuid(), rail, dueAt: at });
}

const insertFeed = prepared((tables, { id, rail, dueAt }: { id: string; rail: string; dueAt: Date }) =>
  tables
    .insertInto('rail_feeds')
    .values({ id, rail, dueAt })
    .onConflict((conflict) => conflict.column('rail').doNothing()),
);

/** Somebody says that there is news: the account's list is read now. False where it has none. */
export async function wakeFeed(core: Core, rail: string): Promise<boolean> {
  const count = await setFeedDue.run(core, { rail, dueAt: core.clock.now() });
  core.jobs.wake('rail_feeds');
  return count > 0;
}

const setFeedDue = prepared((tables, { rail, dueAt }: { rail: string; dueAt: Date }) =>
  tables.updateTable('rail_feeds').set({ dueAt }).where('rail', '=', rail),
);
