import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../../server/database/migrate.ts';
import { listMigrations } from '../../../server/database/migrations.ts';
import { openDatabase, type Database } from '../../../server/database/orm.ts';
import { entities } from '../../../server/entities.ts';
import { emptyDatabase, freshDatabase, querySql, type FreshDatabase } from '../../support/database.ts';

/** Returns the schema as PostgreSQL describes it. */
async function describeSchema(url: string): Promise<unknown[]> {
  return querySql(
    url,
    `select 'column' as kind, table_schema || '.' || table_name || '.' || column_name as name,
        concat_ws(' ', data_type, udt_name, character_maximum_length, datetime_precision, is_nullable,
          column_default) as about
       from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema')
     union all select 'index', schemaname || '.' || indexname, indexdef from pg_indexes
       where schemaname not in ('pg_catalog')
     union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) from pg_constraint
       where connamespace = 'public'::regnamespace
     union all select 'migration', name, executed_at::text from mikro_orm_migrations
     order by 1, 2`,
  );
}

const opened: Database[] = [];
const open = async (url: string): Promise<Database> => {
  const database = await openDatabase(url, { entities, poolMax: 2 });
  opened.push(database);
  return database;
};

let fresh: FreshDatabase;
let empty: FreshDatabase;

beforeAll(async () => {
  [fresh, empty] = [await freshDatabase(), await emptyDatabase()];
});
afterAll(async () => {
  for (const { orm } of opened) await orm.close(true);
  await fresh.drop();
  await empty.drop();
});

describe('a migrated database', () => {
  test('matches the entity classes', async () => {
    const { orm } = await open(fresh.url);
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
  });

  test('differs from the entity classes if a column is missing', async () => {
    const { orm, pool } = await open(fresh.url);
    await pool.query('alter table payments add column stray text');
    expect(await orm.schema.getUpdateSchemaSQL()).toContain('stray');
    await pool.query('alter table payments drop column stray');
    await pool.query('drop index payments_due');
    expect(await orm.schema.getUpdateSchemaSQL()).toContain('payments_due');
    await pool.query('create index "payments_due" on "payments" ("due_at") where due_at is not null');
    // This unique index prevents two open references with the same digits.
    await pool.query('drop index payment_references_live');
    expect(await orm.schema.getUpdateSchemaSQL()).toContain('payment_references_live');
    await pool.query(
      `create unique index "payment_references_live" on "payment_references" ("entity", "reference")
       where status = 'Pending'`,
    );
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
  });

  test('keeps its rows when the migrations run again', async () => {
    const database = await open(fresh.url);
    await database.pool.query(
      `insert into merchants (id, name, allowed_origins, return_origins, gpo_merchant_ids, gpo_pos_ids, created_at)
       values ($1, 'Loja', '{}', '{}', '{}', '{}', '2026-03-02T09:00:00Z')`,
      [randomUUID()],
    );
    const [before, rows] = [await describeSchema(fresh.url), await querySql(fresh.url, 'select * from merchants')];
    expect(before.length).toBeGreaterThan(50);
    await migrate(database);
    expect(await describeSchema(fresh.url)).toEqual(before);
    expect(await querySql(fresh.url, 'select * from merchants')).toEqual(rows);
  });

  test('is compared without the schema of the simulator', async () => {
    const { orm, pool } = await open(fresh.url);
    await pool.query('create schema if not exists simulator; create table simulator.some (id int)');
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
  });
});

describe('an empty database', () => {
  test('is migrated once when three nodes start concurrently', async () => {
    const nodes = await Promise.all([open(empty.url), open(empty.url), open(empty.url)]);
    await Promise.all(nodes.map((node) => migrate(node)));
    expect(await (nodes[0] as Database).orm.schema.getUpdateSchemaSQL()).toBe('');
    const names = await querySql(empty.url, 'select name from mikro_orm_migrations');
    expect(names.map(({ name }) => name)).toEqual(listMigrations());
  });
});
