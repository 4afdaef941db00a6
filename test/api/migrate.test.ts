// Migrations beside nodes that work: a lock that is not to be had is asked for again, an index that broke off is built anew, and a release
// that the schema has left behind is told so.
import { Migration } from '@mikro-orm/migrations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConcurrentMigration } from '../../server/database/concurrent.ts';
import { watchFloor } from '../../server/database/floor.ts';
import { migrate, openMigrated } from '../../server/database/migrate.ts';
import { openDatabase, type Database } from '../../server/database/orm.ts';
import { entities } from '../../server/entities.ts';
import { startTestApp, until } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../support/database.ts';
import { countWaiting, holdLock } from '../support/locks.ts';

let fresh: FreshDatabase;
let database: Database;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase(fresh.url, { entities, poolMax: 2, isPatient: true });
});
afterAll(async () => {
  await database.orm.close(true);
  await fresh.drop();
});

/** Of a release to come. */
class Step extends Migration {
  override up(): void {
    this.addSql('alter table "payments" add "of_tomorrow" text null;');
  }
}
class Index extends ConcurrentMigration {
  override up(): void {
    this.addIndex('merchants_name', 'on "merchants" ("name")', { isUnique: true });
  }
}

class Another extends ConcurrentMigration {
  override up(): void {
    this.addIndex('merchants_entity', 'on "merchants" ("entity")');
  }
}

function run(
  name: string,
  migration: typeof Step | typeof Index | typeof Another,
  log: (message: string) => void = () => {},
) {
  database.orm.config.get('migrations').migrationsList = [{ name, class: migration }];
  return migrate(database, { only: [name], log, pauseMs: 10 });
}

test('a step that cannot have its table steps aside for who reads it, and comes again', async () => {
  const release = await holdLock(fresh.url, 'lock table payments in row exclusive mode');
  const said: string[] = [];
  const done = run('29990101_step', Step, (message) => said.push(message));
  // It has waited, and does not wait now: or nobody could read.
  await until(() => said.length > 0, 'the step stepping aside');
  await querySql(fresh.url, 'select from payments');
  await release();
  await done;
  expect(said).toEqual(['migration 29990101_step waits for who works on its tables']);
  expect(await querySql(fresh.url, 'select of_tomorrow from payments')).toEqual([]);
});

test('an index is built while others write, and anew where it broke off', async () => {
  const add = `insert into merchants (id, name, allowed_origins, return_origins, gpo_merchant_ids, gpo_pos_ids, created_at)
    values (gen_random_uuid(), 'twice', '{}', '{}', '{}', '{}', now())`;
  await querySql(fresh.url, add);
  await querySql(fresh.url, add);
  await expect(run('29990102_index', Index)).rejects.toThrow('could not create unique index');
  const isValid = `select indisvalid from pg_index where indexrelid = 'merchants_name'::regclass`;
  expect(await querySql(fresh.url, isValid)).toEqual([{ indisvalid: false }]);
  await querySql(fresh.url, `update merchants set name = id::text`);
  const done = run('29990102_index', Index);
  await querySql(fresh.url, add);
  await done;
  expect(await querySql(fresh.url, isValid)).toEqual([{ indisvalid: true }]);
  // The next step waits for a moment only again.
  expect((await database.pool.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '800ms' }]);
});

test('an index does not wait for a node that waits for its turn', async () => {
  const other = await openDatabase(fresh.url, { entities, poolMax: 2, isPatient: true });
  // Somebody writes: the index begins, and is not built before they end.
  const release = await holdLock(fresh.url, 'lock table merchants in row exclusive mode');
  const built = run('29990102_another', Another);
  await until(() => countWaiting(fresh.url, 'create index concurrently merchants_entity'), 'the index being begun');
  const turn = migrate(other, { only: [], pauseMs: 10 });
  const asked = `select from pg_stat_activity where datname = current_database() and query like '%advisory_lock%'`;
  await until(
    async () => (await querySql(fresh.url, `${asked} and pid <> pg_backend_pid()`)).length > 1,
    'both asking',
  );
  await release();
  await built;
  await turn;
  await other.orm.close(true);
});

test('a release that does not know the floor does not start, and a running one is told within a minute', async () => {
  const clock = testClock();
  const stopping = new AbortController();
  const told: string[] = [];
  const watch = watchFloor({ pool: database.pool, clock, stopping: stopping.signal }, ({ message }) =>
    told.push(message),
  );
  await until(() => clock.waits().length === 1, 'the first wait');
  await clock.pass(60_000);
  await until(() => clock.waits().length === 1, 'the second wait');
  expect(told).toEqual([]);
  await querySql(fresh.url, `update schema_floor set migration = '29990103_contract'`);
  await clock.pass(60_000);
  await watch;
  expect(told).toEqual([expect.stringMatching(/^This release .* is too old for its database.*29990103_contract/)]);
  await expect(startTestApp({ databaseUrl: fresh.url })).rejects.toThrow('is too old for its database');
});

test('a release beside which a newer one has changed the schema starts, and says so', async () => {
  await querySql(fresh.url, `update schema_floor set migration = '20261128_published_files'`);
  const said: string[] = [];
  const beside = await openMigrated(fresh.url, { entities, poolMax: 2 }, { log: (message) => said.push(message) });
  await beside.orm.close(true);
  expect(said).toEqual([expect.stringContaining('29990101_step')]);
});
