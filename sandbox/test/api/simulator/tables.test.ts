// The table types of the simulator and the demo shop match the tables that their SQL creates.
import { beforeAll, expect, test } from 'vitest';
import { SCHEMAS as SHOP } from '../../../shop/merchant-schema.ts';
import { prepared, SCHEMAS } from '../../../simulator/schema.ts';
import { startTestApp, type TestApp } from '../../../../test/support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const DESCRIBED = [...SCHEMAS, ...SHOP].map(({ meta }) => [meta.tableName, Object.entries(meta.properties)] as const);

const inSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test.each(DESCRIBED)(
  'the table %s has the columns of its TypeScript description, nullable as described',
  async (table, properties) => {
    const columns = await app.sql(
      `select column_name as name, is_nullable = 'YES' as "mayBeNull" from information_schema.columns
       where table_schema = 'simulator' and table_name = $1`,
      [table],
    );
    const described = properties.map(([name, { nullable }]) => ({
      name: inSnakeCase(name),
      mayBeNull: nullable === true,
    }));
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    expect(described.toSorted(byName)).toEqual((columns as typeof described).toSorted(byName));
  },
);

test('every table of the simulator has a TypeScript description', async () => {
  const tables = await app.sql(`select table_name from information_schema.tables where table_schema = 'simulator'`);
  expect(tables.map(({ table_name }) => table_name).sort()).toEqual(DESCRIBED.map(([table]) => table).sort());
});

test('a query of all columns names each with its schema, and the compiler refuses unknown columns', async () => {
  const listOrders = prepared((tables) => tables.selectFrom('purchases').selectAll().orderBy('id'));
  const client = await app.node.core.pool.connect();
  try {
    expect(await listOrders.all(client, {})).toEqual([]);
    const { rows } = await client.query(`select statement from pg_prepared_statements where statement ~ 'purchases'`);
    expect(rows).toHaveLength(1);
    expect(rows[0].statement).toMatch(
      /^select "purchases"\."id", .*"purchases"\."decide_at".* from "simulator"\."purchases"/,
    );
  } finally {
    client.release();
  }
  // @ts-expect-error no such column
  prepared((tables) => tables.selectFrom('purchases').selectAll().where('merchant_id', '=', 'M-1'));
});
