// The database as features see it: MikroORM's entity manager for what people change one at a time, and its Kysely, typed by
// the entities, for lists, joins, locks and conditional changes: compiled once, prepared by the database.
import type { EntityManager, InferKyselyDB, MikroORM } from '@mikro-orm/postgresql';
import { CamelCasePlugin, Kysely, PostgresDialect, sql, type Compilable } from 'kysely';
import pg, { type Pool } from 'pg';
import { listColumns } from './columns.ts';

/** The tables of some entities' schemas, by the names of their properties; each `entities.ts` adds its own to `Tables`. */
export type TablesOf<Schemas extends { name: string }> = InferKyselyDB<Schemas, { columnNamingStrategy: 'property' }>;

/** Every table of the house. */
// oxlint-disable-next-line typescript/no-empty-interface
export interface Tables {}

/** A merchant has new events; `isAwaited`: deliveries of them may be due. */
export type EventNews = { merchantId: string; isAwaited: boolean };

/** They are told of the events that this node wrote once they are committed. */
export type EventListeners = Set<(news: EventNews) => void>;

/** A database outside of transactions (its pool), or inside of one (its connection). */
export type Db = {
  orm: MikroORM;
  pool: Pick<Pool, 'query'>;
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

/** MikroORM's kind of transaction, over a connection that somebody else begins and gives back. */
function kyselyOn(client: Pick<Pool, 'query'>): Kysely<unknown> {
  const connection = { query: client.query.bind(client), release() {} };
  const pool = { connect: async () => connection, end: async () => {} };
  return new Kysely({ dialect: new PostgresDialect({ pool: pool as unknown as Pool }) });
}

/** A query ready to run, with its parameters. */
export type Prepared<P, R> = {
  all(db: Db, params: P): Promise<R[]>;
  /** The first row, or null. */
  first(db: Db, params: P): Promise<R | null>;
  /** The row that is surely there. @throws Error where it is not */
  one(db: Db, params: P): Promise<R>;
  /** How many rows were read or changed. */
  run(db: Db, params: P): Promise<number>;
};

/**
 * `build` is called once, with placeholders instead of parameters, so it must not branch on them: a query of another
 * shape is another query. Only a parameter called `row` or `set` is seen as it is, a row of placeholders; there is a plan
 * for each set of columns it was given with.
 */
export function prepared<P extends object, R>(
  build: (tables: Kysely<Tables>, params: P) => Compilable<R>,
): Prepared<P, R> {
  const plans = new Map<string, Plan>();
  return verbs((db, params: P) => {
    const { row, set } = params as Partial<Record<string, object>>;
    const shape = `${row ? Object.keys(row).join() : ''};${set ? Object.keys(set).join() : ''}`;
    let plan = plans.get(shape);
    if (!plan) {
      const places = { ...(row && { row: placesOf(row, 'row') }), ...(set && { set: placesOf(set, 'set') }) };
      const asked = new Proxy(places, { get: (known, name: string) => Reflect.get(known, name) ?? new Place([name]) });
      plan = { ...compile(db.orm, (tables) => build(tables, asked as P)), name: `q${count++}` };
      plans.set(shape, plan);
    }
    return execute(
      db,
      plan,
      plan.values.map((value) => (value instanceof Place ? value.read(params) : value)),
    );
  });
}

/** A query of many shapes, such as a list with filters: built and planned anew at each call. */
export function query<R>(build: (tables: Kysely<Tables>) => Compilable<R>) {
  const { all, first, one, run } = verbs<object, R>((db) => {
    const plan = compile(db.orm, build);
    return execute(db, plan, plan.values);
  });
  return {
    all: (db: Db) => all(db, {}),
    first: (db: Db) => first(db, {}),
    one: (db: Db) => one(db, {}),
    run: (db: Db) => run(db, {}),
  };
}

/** A statement by hand, of a `*.sql.ts` file, prepared under its name; it names its columns as its rows do. */
export async function runStatement<Row>(
  { pool }: Pick<Db, 'pool'>,
  { name, text }: { name: string; text: string },
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row & object>({ name, text, values, types: TYPES })).rows;
}

/** `where('id', ...isAny(ids))`: among a list that is one parameter, whatever its length. */
export function isAny<T>(values: readonly T[]) {
  return ['=', sql<T>`any(${values})`] as const;
}

type Plan = { name?: string; text: string; values: readonly unknown[]; names?: string[] };

let count = 0;

function compile(orm: MikroORM, build: (tables: Kysely<Tables>) => Compilable<unknown>): Plan {
  let tables = builders.get(orm);
  if (!tables) {
    tables = orm.em.fork().getKysely<Tables>().withPlugin(listColumns(orm)).withPlugin(new CamelCasePlugin());
    builders.set(orm, tables);
  }
  const { sql, parameters } = build(tables).compile();
  return { text: sql, values: parameters };
}

const builders = new WeakMap<MikroORM, Kysely<Tables>>();

/** Where a parameter goes: `where('id', '=', place)` compiles to `id = $1`. */
class Place {
  readonly path: string[];
  constructor(path: string[]) {
    this.path = path;
  }
  read(params: object): unknown {
    return this.path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], params);
  }
}

function placesOf(row: object, name: string): object {
  return Object.fromEntries(Object.keys(row).map((column) => [column, new Place([name, column])]));
}

type Executed = { rows: object[]; rowCount: number };

/** Rows come as arrays and are named by us, which costs what pg's own naming does. */
async function execute(db: Db, plan: Plan, values: unknown[] | readonly unknown[]): Promise<Executed> {
  const { name, text } = plan;
  const asked = { ...(name && { name }), text, values: values as unknown[], types: TYPES, rowMode: 'array' as const };
  const { rows, fields, rowCount } = await db.pool.query<unknown[]>(asked);
  const names = (plan.names ??= fields.map((field) => camelCase(field.name)));
  return { rows: rows.map((row) => nameColumns(names, row)), rowCount: rowCount ?? 0 };
}

function nameColumns(names: string[], row: unknown[]): object {
  const named: Record<string, unknown> = {};
  for (let nth = 0; nth < names.length; nth++) named[names[nth] as string] = row[nth];
  return named;
}

function camelCase(column: string): string {
  return column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function verbs<P, R>(execute: (db: Db, params: P) => Promise<Executed>): Prepared<P, R> {
  const all = async (db: Db, params: P) => (await execute(db, params)).rows as R[];
  const first = async (db: Db, params: P) => (await all(db, params))[0] ?? null;
  return {
    all,
    first,
    async one(db, params) {
      const row = await first(db, params);
      if (row === null) throw new Error('a row that must be there is not');
      return row;
    },
    run: async (db, params) => (await execute(db, params)).rowCount,
  };
}

const BIGINT = 20;

/** As the entities have them: a moment is a Date, and no amount or sequence here is beyond a double. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
