// Typed queries over some tables: compiled once and prepared by the database, or built anew at each call.
import {
  CamelCasePlugin,
  DummyDriver,
  Kysely,
  OperationNodeTransformer,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  ValueNode,
  type Compilable,
} from 'kysely';
import pg, { type Pool } from 'pg';
import { inInnerSpan } from '../metrics/span.ts';
import { errorOfWrite } from './away.ts';
import { listColumns, pluginOf, type Columns } from './columns.ts';

/** A pool, or one connection: inside of a transaction. */
export type Connection = Pick<Pool, 'query'>;

/** A query ready to run on a database `D`, with its parameters. */
export type Prepared<P, R, D> = {
  all(db: D, params: P): Promise<R[]>;
  /** The first row, or null. */
  first(db: D, params: P): Promise<R | null>;
  /** The row that is surely there. @throws Error where it is not */
  one(db: D, params: P): Promise<R>;
  /** How many rows were read or changed. */
  run(db: D, params: P): Promise<number>;
};

/** The same without parameters. */
export type Query<R, D> = {
  all(db: D): Promise<R[]>;
  first(db: D): Promise<R | null>;
  one(db: D): Promise<R>;
  run(db: D): Promise<number>;
};

/** The ways of asking for tables `T` on a database `D`. */
export type Queries<T, D> = {
  /**
   * `build` is called once, with placeholders instead of parameters, so it must not branch on them: a query of another
   * shape is another query. Only a parameter called `row` or `set` is seen as it is, a row of placeholders; there is a plan
   * for each set of columns it was given with.
   */
  prepared<P extends object, R>(build: (tables: Kysely<T>, params: P) => Compilable<R>): Prepared<P, R, D>;
  /** A query of many shapes, such as a list with filters: built and planned anew at each call. */
  query<R>(build: (tables: Kysely<T>) => Compilable<R>): Query<R, D>;
};

/** How queries are written for a database, and on which connection they run. */
export type Base<T, D> = { tables(db: D): Kysely<T>; connection(db: D): Connection };

export function queriesOf<T, D>(base: Base<T, D>): Queries<T, D> {
  return {
    prepared: (build) => prepareOn(base, build),
    query<R>(build: (tables: Kysely<T>) => Compilable<R>) {
      const { all, first, one, run } = verbs<D, object, R>((db) => {
        const plan = compile(base.tables(db), build);
        return execute(base.connection(db), plan, plan.values);
      });
      return {
        all: (db) => all(db, {}),
        first: (db) => first(db, {}),
        one: (db) => one(db, {}),
        run: (db) => run(db, {}),
      };
    },
  };
}

/** The same where a connection is all there is, and no ORM: for tables that are described by themselves. */
export function queriesOn<T>(tables: Kysely<T>): Queries<T, Connection> {
  return queriesOf({ tables: () => tables, connection: (connection) => connection });
}

/** Writes queries and runs none; with `columns`, `selectAll()` names them. Names in the database follow from those in `T`. */
export function writer<T>(columns: Columns = new Map()): Kysely<T> {
  return new Kysely<T>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [listColumns(columns), new CamelCasePlugin()],
  });
}

function prepareOn<T, D, P extends object, R>(
  base: Base<T, D>,
  build: (tables: Kysely<T>, params: P) => Compilable<R>,
): Prepared<P, R, D> {
  const plans = new Map<string, Plan>();
  return verbs((db, params) => {
    const { row, set } = params as Partial<Record<string, object>>;
    const shape = `${row ? Object.keys(row).join() : ''};${set ? Object.keys(set).join() : ''}`;
    let plan = plans.get(shape);
    if (!plan) {
      const places = { ...(row && { row: placesOf(row, 'row') }), ...(set && { set: placesOf(set, 'set') }) };
      const asked = new Proxy(places, {
        get: (known, name: string) => Reflect.get(known, name) ?? new Place([name]),
        // Nobody knows them all here: `...rest` would be empty.
        ownKeys: () => {
          throw new Error('the parameters of a prepared query are named one by one');
        },
      });
      const tables = base.tables(db).withPlugin(CONSTANTS);
      plan = { ...compile(tables, () => build(tables, asked as P)), name: `q${count++}` };
      plans.set(shape, plan);
    }
    return execute(
      base.connection(db),
      plan,
      plan.values.map((value) => (value instanceof Place ? value.read(params) : value)),
    );
  });
}

type Plan = { name?: string; text: string; values: readonly unknown[]; names?: string[] };

let count = 0;

function compile<T>(tables: Kysely<T>, build: (tables: Kysely<T>) => Compilable<unknown>): Plan {
  const { sql, parameters } = build(tables).compile();
  return { text: sql, values: parameters };
}

/**
 * What does not change from call to call is part of the statement: PostgreSQL, which plans it for any parameters in the
 * end, can then use what it knows of `status = 'Pending'` or of `limit 1`.
 */
class ConstantWriter extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    const isConstant = ['string', 'number', 'boolean'].includes(typeof node.value) || node.value === null;
    return isConstant ? ValueNode.createImmediate(node.value) : node;
  }
}

const CONSTANTS = pluginOf(new ConstantWriter());

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
async function execute(connection: Connection, plan: Plan, values: readonly unknown[]): Promise<Executed> {
  const { name, text } = plan;
  const asked = { ...(name && { name }), text, values: values as unknown[], types: TYPES, rowMode: 'array' as const };
  const { rows, fields, rowCount } = await run<unknown[]>(connection, asked);
  const names = (plan.names ??= fields.map((field) => camelCase(field.name)));
  return { rows: rows.map((row) => nameColumns(names, row)), rowCount: rowCount ?? 0 };
}

type Statement = pg.QueryConfig<unknown[]> & { rowMode?: 'array' };

/**
 * Runs one statement. On a pool a write commits at its end, so a lost answer is `AnswerLost`.
 * Inside a transaction only the commit can be lost (orm.ts).
 */
export async function run<Row extends pg.QueryResultRow | unknown[]>(
  connection: Connection,
  statement: Statement,
  spanName?: string,
): Promise<pg.QueryResult<Row & pg.QueryResultRow>> {
  const { text } = statement;
  try {
    return await inInnerSpan(spanOf(text, spanName), () => connection.query<Row & pg.QueryResultRow>(statement));
  } catch (error) {
    throw connection instanceof pg.Pool && WRITES.test(text) ? errorOfWrite(error) : error;
  }
}

const WRITES = /\b(insert into|update|delete from)\b/i;

/** Of a statement; what it is given are parameters, which its text has only the places of. */
export function spanOf(text: string, name?: string) {
  return () => ({
    name: name ?? (/^\W*(\w+)/.exec(text)?.[1] ?? 'query').toLowerCase(),
    kind: 'client' as const,
    values: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, LONGEST_TEXT) },
  });
}

const LONGEST_TEXT = 2_000;

function nameColumns(names: string[], row: unknown[]): object {
  const named: Record<string, unknown> = {};
  for (let nth = 0; nth < names.length; nth++) named[names[nth] as string] = row[nth];
  return named;
}

function camelCase(column: string): string {
  return column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function verbs<D, P, R>(execute: (db: D, params: P) => Promise<Executed>): Prepared<P, R, D> {
  const all = async (db: D, params: P) => (await execute(db, params)).rows as R[];
  const first = async (db: D, params: P) => (await all(db, params))[0] ?? null;
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
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
