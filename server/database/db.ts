// The database as features see it: MikroORM's entity manager for what people change one at a time, and its Kysely, typed by
// the entities, for lists, joins, locks and conditional changes: compiled once, prepared by the database.
import type { EntityManager, InferKyselyDB, MikroORM } from '@mikro-orm/postgresql';
import { CamelCasePlugin, Kysely, PostgresDialect, sql, type PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';
import { columnsOf, listColumns } from './columns.ts';
import { carryTrace } from '../metrics/span.ts';
import { queriesOf, run, TYPES, type Connection, type Prepared as PreparedOn } from './queries.ts';

/** The tables of some entities' schemas, by the names of their properties; each `entities.ts` adds its own to `Tables`. */
export type TablesOf<Schemas extends { name: string }> = InferKyselyDB<Schemas, { columnNamingStrategy: 'property' }>;

/** Every table of the house. */
// oxlint-disable-next-line typescript/no-empty-interface
export interface Tables {}

/** A merchant has new events, of a payment or not; and whether deliveries of them may be due, to webhooks or as callbacks. */
export type EventNews = { merchantId: string; paymentId?: string | null; toWebhooks: boolean; toCallback: boolean };

/** A feature of this node that acts on new events, once they are committed. */
export type EventListener = { hear(news: EventNews): void };
export type EventListeners = Set<EventListener>;

/** A database outside of transactions (its pool), or inside of one (its connection). */
export type Db = {
  orm: MikroORM;
  pool: Connection;
  listeners: EventListeners;
  /** Inside: what is to be done once all of it is committed, and only then. */
  afterCommit?: (work: () => void) => void;
};

/**
 * The entity manager on the same connection: inside of a transaction a part of it. It keeps no map of what it found, so that
 * a row is always as the database has it now; changes go by `insert`, `nativeUpdate` and `nativeDelete`.
 */
export function em(db: Db): EntityManager {
  if (!db.afterCommit) return db.orm.em.fork();
  let own = managers.get(db);
  if (!own) {
    own = db.orm.em.fork();
    own.setTransactionContext(kyselyOn(db.pool));
    managers.set(db, own);
  }
  return own;
}

const managers = new WeakMap<Db, EntityManager>();

/** A transaction for MikroORM on a connection that `inTransaction` begins and releases. */
function kyselyOn(client: Connection): Kysely<unknown> {
  const query = client.query.bind(client) as PostgresPoolClient['query'];
  const pool = { options: {}, connect: async () => ({ query, release() {} }), end: async () => {} };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** A query of the house ready to run, with its parameters. */
export type Prepared<P, R> = PreparedOn<P, R, Db>;

/** Queries of the gateway's tables: `prepared` for one shape, `query` for many shapes. */
export const { prepared, query } = queriesOf<Tables, Db>({
  tables: ({ orm }) => tablesOf(orm),
  connection: ({ pool }) => pool,
});

/** A statement by hand, of a `*.sql.ts` file, prepared under its name; it names its columns as its rows do. */
export async function runStatement<Row>(
  { pool }: Pick<Db, 'pool'>,
  { name, text }: { name: string; text: string },
  values: unknown[],
): Promise<Row[]> {
  const asked = { name, text, values, types: TYPES };
  return (await run<Row & object>(pool, asked, name)).rows;
}

/** `where('id', ...isAny(ids))`: among a list that is one parameter, whatever its length. */
export function isAny<T>(values: readonly T[]) {
  return ['=', sql<T>`any(${values})`] as const;
}

/** `eb.and(present({ status }))`: Kysely leaves out filters without a value. */
export function present<Filters extends object>(filters: Filters) {
  return filters as { [Name in keyof Filters]: Exclude<Filters[Name], undefined> };
}

/**
 * Ids, to look each of them up in a query that is asked many times: `selectFrom(eachId(ids))`, then lateral `limit 1`. Where the planner
 * sees how many there are, it makes a plan for just these, each time; of `isAny` planned once, while tables are small, it reads all.
 */
export function eachId(ids: readonly string[]) {
  return sql<{ id: string }>`unnest((select ${ids}::uuid[]))`.as<'each'>(sql`each(id)`);
}

/** Takes turns under a name: until the transaction `db` ends nobody else has it. */
export async function takeLock(db: Db, name: string): Promise<void> {
  await lockName.run(db, { name });
}

const lockName = prepared((tables, { name }: { name: string }) =>
  tables.selectNoFrom(sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`.as('lock')),
);

function tablesOf(orm: MikroORM): Kysely<Tables> {
  let tables = builders.get(orm);
  if (!tables) {
    tables = orm.em
      .fork()
      .getKysely<Tables>()
      .withPlugin(listColumns(columnsOf(orm)))
      .withPlugin(new CamelCasePlugin());
    builders.set(orm, tables);
  }
  return tables;
}

const builders = new WeakMap<MikroORM, Kysely<Tables>>();

export type BatchWriter<Row, Found> = (row: Row) => Promise<Found>;

type BatchOptions = {
  /** Statements under way at most; with fewer a row goes out with what comes at the same moment. */
  statements: number;
  rows: number;
};

/** @param run writes all the rows or none, and answers for each in their order */
export function createBatchWriter<Row, Found>(
  run: (rows: Row[]) => Promise<Found[]>,
  { statements, rows }: BatchOptions,
): BatchWriter<Row, Found> {
  type Waiting = {
    row: Row;
    carry: ReturnType<typeof carryTrace>;
    resolve(found: Found): void;
    reject(error: unknown): void;
  };
  const queue: Waiting[] = [];
  let underWay = 0;
  let isWaking = false;
  // Rows of other requests at this moment join the batch.
  const wake = (): void => {
    if (isWaking || underWay >= statements || queue.length === 0) return;
    isWaking = true;
    setImmediate(() => {
      isWaking = false;
      while (underWay < statements && queue.length > 0) void runNext();
    });
  };
  const runNext = async (): Promise<void> => {
    const batch = queue.splice(0, rows);
    underWay++;
    try {
      // In the trace of the first of them: one statement can be part of one trace.
      const found = await (batch[0] as Waiting).carry(() => run(batch.map(({ row }) => row)));
      batch.forEach(({ resolve }, nth) => resolve(found[nth] as Found));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay--;
    wake();
  };
  return (row) =>
    new Promise((resolve, reject) => {
      queue.push({ row, carry: carryTrace(), resolve, reject });
      wake();
    });
}

/** One writer for each pool, made at its first use. */
export function createPoolWriter<On extends { pool: Pool }, Row, Found>(
  run: (on: On, rows: Row[]) => Promise<Found[]>,
  options: BatchOptions,
): (on: On) => BatchWriter<Row, Found> {
  const writers = new WeakMap<Pool, BatchWriter<Row, Found>>();
  return (on) => {
    let writer = writers.get(on.pool);
    if (!writer) {
      writer = createBatchWriter((rows) => run(on, rows), options);
      writers.set(on.pool, writer);
    }
    return writer;
  };
}
