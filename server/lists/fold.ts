// The job that counts lists ahead of being asked for: what is new in a list's source is added to its counts, exactly once, and never
// before everything that might still appear below it.
import { prepared, runStatement, type Db } from '../database/db.ts';
import { inTransaction, type Database } from '../database/orm.ts';
import type { Host } from '../jobs/engine.ts';
import { foldStatement, nextOf, numbersStatement, writersOf } from './lists.sql.ts';
import { SUMMED } from './table.ts';

const LOOK_MS = 1_000;
/** So little that is uncounted is read by whoever asks for a list, and waits for the tenth look: counts are changed rarely. */
const LITTLE = 200;
const EACH = 10;
/** Rows of the source in one transaction. */
const BATCH = 5_000;

const STATEMENTS = SUMMED.map((list) => ({ list, fold: foldStatement(list) }));
const NUMBERS = numbersStatement(SUMMED);

/** Until the node stops, counts what is new. Several nodes may do so at once. */
export async function countLists(host: Host & Database): Promise<void> {
  const marks = new Map<string, Mark>();
  for (let look = 0; !host.stopping.aborted; look++) {
    const options = { stopping: host.stopping, atLeast: look % EACH === 0 ? 1 : LITTLE };
    await foldLists(host, marks, options).catch((error: unknown) => {
      host.log.warn({ err: error }, 'could not count what is new in lists');
    });
    await host.clock.wait(LOOK_MS, host.stopping);
  }
}

/** A number of a source that was given, and who was writing then: until they are gone, smaller ones may still appear. */
export type Mark = { upto: number; writers: string[] };

type FoldOptions = {
  stopping?: AbortSignal;
  /** A source with fewer new numbers is left for later. */
  atLeast?: number;
};

/** Counts all that is certain. @param marks what a look found, by the source, for the next one */
export async function foldLists(
  database: Database,
  marks: Map<string, Mark>,
  { stopping, atLeast = 1 }: FoldOptions = {},
): Promise<void> {
  // Before it is asked who writes, so that whoever took one of these numbers is seen writing, or is done.
  for (const { source, last, upto } of await runStatement<Numbers>(database, NUMBERS, [])) {
    if (last - upto < atLeast) continue;
    const mark = marks.get(source) ?? { upto: last, writers: await findWriters(database, source) };
    marks.set(source, mark);
    if (mark.writers.length > 0) {
      const still = new Set(await findWriters(database, source));
      mark.writers = mark.writers.filter((id) => still.has(id));
      if (mark.writers.length > 0) continue;
    }
    for (const { list, fold } of STATEMENTS) {
      if (list.source !== source) continue;
      while (!stopping?.aborted && (await foldNext(database, { source, list: list.name, fold, upto: mark.upto })));
    }
    marks.delete(source);
  }
}

/** How far the numbers of a source were given, and counted by all its lists; -1: one of them was never counted. */
type Numbers = { source: string; last: number; upto: number };

async function findWriters(db: Pick<Db, 'pool'>, source: string): Promise<string[]> {
  return (await runStatement<{ id: string }>(db, writersOf(source), [])).map(({ id }) => id);
}

type Step = { source: string; list: string; fold: { name: string; text: string }; upto: number };

/** The next batch; false when there is none, or another node is at it. */
async function foldNext(database: Database, { source, list, fold, upto }: Step): Promise<boolean> {
  const known = await findFold.first(database, { list });
  if (!known) await beginFold.run(database, { list });
  if (known && known.upto >= upto) return false;
  return inTransaction(database, async (db) => {
    const held = await holdFold.first(db, { list });
    if (!held || held.upto >= upto) return false;
    // From the next row that there is: from one month to the next numbers leap.
    const [row] = await runStatement<{ seq: number | null }>(db, nextOf(source), [held.upto]);
    const next = Math.min(upto, (row?.seq ?? upto) + BATCH - 1);
    await runStatement(db, fold, [held.upto, next]);
    return next < upto;
  });
}

type OfList = { list: string };

const findFold = prepared((tables, { list }: OfList) =>
  tables.selectFrom('list_folds').select('upto').where('list', '=', list),
);

const holdFold = prepared((tables, { list }: OfList) =>
  tables.selectFrom('list_folds').select('upto').where('list', '=', list).forUpdate().skipLocked(),
);

const beginFold = prepared((tables, { list }: OfList) =>
  tables
    .insertInto('list_folds')
    .values({ list, upto: 0 })
    .onConflict((known) => known.column('list').doNothing()),
);
