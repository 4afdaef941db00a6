import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { areFunctionsCurrent } from '../../../server/database/functions.ts';
import { openMigrated } from '../../../server/database/migrate.ts';
import { openDatabase, type Database } from '../../../server/database/orm.ts';
import { entities } from '../../../server/entities.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

let fresh: FreshDatabase;
let database: Database;
beforeEach(async () => {
  fresh = await freshDatabase();
  database = await openDatabase(fresh.url, { entities, poolMax: 2 });
});
afterEach(async () => {
  await database.orm.close(true);
  await fresh.drop();
});

const readText = async () =>
  (await database.pool.query(`select prosrc from pg_proc where proname = 'refuse_change'`)).rows[0].prosrc as string;

/** Replaces a database function, as a node of another release would leave it. */
const replaceText = () =>
  database.pool.query(
    `create or replace function refuse_change() returns trigger language plpgsql as $$ begin return null; end $$;
     comment on function refuse_change() is 'another text'`,
  );

const start = async () => (await openMigrated(fresh.url, { entities, poolMax: 2 })).orm.close(true);

describe('a starting node', () => {
  test('finds the functions of a migrated database up to date', async () => {
    expect(await areFunctionsCurrent(database.pool)).toBe(true);
  });

  test('creates a database function again if its text has changed', async () => {
    await replaceText();
    expect(await areFunctionsCurrent(database.pool)).toBe(false);
    await start();
    expect(await readText()).toContain('append-only');
    expect(await areFunctionsCurrent(database.pool)).toBe(true);
  });

  test('keeps the functions of a newer release', async () => {
    await replaceText();
    await database.pool.query(`insert into mikro_orm_migrations (name, executed_at) values ('29991231_newer', now())`);
    await start();
    expect(await readText()).not.toContain('append-only');
  });
});
