// The database interface of features. MikroORM's entity manager changes single rows.
// Kysely, typed by the entities, serves lists, joins, locks and conditional changes.
import type { EntityManager, InferKyselyDB, MikroORM } from '@mikro-orm/postgresql';
import { CamelCasePlugin, Kysely, PostgresDialect, sql, type PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';
import { columnsOf, listColumns } from './columns.ts';
import { captureTrace } from '../metrics/span.ts';
import { queriesOf, run, COLUMN_TYPES, type Connection, type Prepared as PreparedOn } from './queries.ts';

/** The tables of entity schemas, by their property names. Each `entities.ts` adds its own tables to `Tables`. */
export type TablesOf<Schemas extends { name: string }> = InferKyselyDB<Schemas, { columnNamingStrategy: 'property' }>;

/** The tables of all entities, for typed queries. */
// oxlint-disable-next-line typescript/no-empty-interface
export interface Tables {}

/** An announcement of new events of a merchant, and whether their deliveries may be due now. */
export type EventAnnouncement = {
  merchantId: string;
  paymentId?: string | null;
  toWebhooks: boolean;
  toCallback: boolean;
};

/** A part of this node that acts on committed events. */
export type EventListener = { onEvents(announcement: EventAnnouncement): void };
export type EventListeners = Set<EventListener>;

/** A database outside of transactions (its pool), or inside a transaction (its connection). */
export type Db = {
  orm: MikroORM;
  pool: Connection;
  listeners: EventListeners;
  /** Runs `work` after the transaction's commit. Exists only inside a transaction. */
  afterCommit?: (work: () => void) => void;
};

/** Returns an entity manager on the same connection. It caches no rows, so each read returns the current row. */
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

/** Creates Kysely on a connection whose transaction `inTransaction` begins and ends. */
function kyselyOn(client: Connection): Kysely<unknown> {
  const query = client.query.bind(client) as PostgresPoolClient['query'];
  const pool = { options: {}, connect: async () => ({ query, release() {} }), end: async () => {} };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** A prepared query of the gateway's tables, which runs with parameters. */
export type Prepared<P, R> = PreparedOn<P, R, Db>;

/** Builders of queries on the gateway's tables: `prepared` for one shape, `query` for many shapes. */
export const { prepared, query } = queriesOf<Tables, Db>({
  tables: ({ orm }) => tablesOf(orm),
  connection: ({ pool }) => pool,
});

/** Runs a statement of a `*.sql.ts` file, prepared under its name. Its columns have the names of `Row`. */
export async function runStatement<Row>(
  { pool }: Pick<Db, 'pool'>,
  { name, text }: { name: string; text: string },
  values: unknown[],
): Promise<Row[]> {
  return (await run<Row & object>(pool, { name, text, values, types: COLUMN_TYPES }, name)).rows;
}

/** A condition for a list of any length in one parameter: `where('id', ...isAny(ids))`. */
export function isAny<T>(values: readonly T[]) {
  return ['=', sql<T>`any(${values})`] as const;
}

/** Filters without absent values: `eb.and(presentFilters({ status }))`. */
export function presentFilters<Filters extends object>(filters: Filters) {
  return filters as { [Name in keyof Filters]: Exclude<Filters[Name], undefined> };
}

/**
 * Ids as a table for a prepared query: `selectFrom(unnestIds(ids))`, then a lateral join with `limit 1`.
 * A plan of `isAny`, made while tables were small, would later read whole tables.
 */
export function unnestIds(ids: readonly string[]) {
  return sql<{ id: string }>`unnest((select ${ids}::uuid[]))`.as<'each'>(sql`each(id)`);
}

/** Takes the advisory lock of this name, until the transaction `db` ends. */
export async function takeLock(db: Db, name: string): Promise<void> {
  await lockName.run(db, { name });
}

/** Takes the advisory lock of this name without waiting. False if another transaction holds it. */
export async function tryLock(db: Db, name: string): Promise<boolean> {
  return (await tryName.one(db, { name })).isHeld;
}

type Named = { name: string };
const keyOf = (name: string) => sql`hashtextextended(${name}, 0)`;

const lockName = prepared((tables, { name }: Named) =>
  tables.selectNoFrom(sql`pg_advisory_xact_lock(${keyOf(name)})`.as('lock')),
);

const tryName = prepared((tables, { name }: Named) =>
  tables.selectNoFrom(sql<boolean>`pg_try_advisory_xact_lock(${keyOf(name)})`.as('isHeld')),
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
  /** The most statements of the writer that run at the same time. */
  statements: number;
  rows: number;
};

/**
 * Creates a writer of rows in batches.
 * @param run writes the rows in one transaction, and returns one result per row in the same order
 */
export function createBatchWriter<Row, Found>(
  run: (rows: Row[]) => Promise<Found[]>,
  { statements, rows }: BatchOptions,
): BatchWriter<Row, Found> {
  type Waiting = {
    row: Row;
    carry: ReturnType<typeof captureTrace>;
    resolve(found: Found): void;
    reject(error: unknown): void;
  };
  const queue: Waiting[] = [];
  let underWay = 0;
  let isWaking = false;
  // Rows of other requests that arrive at this moment join the batch.
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
      // One statement can be part of only one trace, so it belongs to the trace of the batch's first row.
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
      queue.push({ row, carry: captureTrace(), resolve, reject });
      wake();
    });
}

/** Creates a batch writer for each pool at its first use. */
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
