import { beforeAll, describe, expect, test } from 'vitest';
import { watchFloor } from '../../../server/database/floor.ts';
import { migrate, openMigrated, type MigrateOptions } from '../../../server/database/migrate.ts';
import type { NamedMigration } from '../../../server/database/migrations.ts';
import { closeDatabase, openDatabase } from '../../../server/database/orm.ts';
import { entities } from '../../../server/entities.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { CONTRACTED, EXPANDED } from '../../support/later-release.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { purchase } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const sql = (text: string) => app.sql(text);

async function start(migrations: readonly NamedMigration[], options: MigrateOptions = {}): Promise<void> {
  await closeDatabase(
    await openMigrated(app.databaseUrl, { entities, poolMax: 2 }, { migrations, pauseMs: 10, ...options }),
  );
}

const addMerchant = () =>
  sql(`insert into merchants (id, name, allowed_origins, return_origins, gpo_merchant_ids, gpo_pos_ids, created_at)
    values (gen_random_uuid(), 'Loja', '{}', '{}', '{}', '{}', now())`);

async function expectSale(): Promise<void> {
  const { status } = await app.call('/api/payments', { body: purchase('900000000') });
  expect(status).toBe(201);
}

describe('a migration that expands the schema', () => {
  test('waits for a transaction that uses its table, and lets others read during the wait', async () => {
    const release = await holdLock(app.databaseUrl, 'lock table merchants in row exclusive mode');
    const messages: string[] = [];
    const started = start(EXPANDED.slice(0, -1), { log: (message) => messages.push(message) });
    // The migration logs this message between two tries, when it does not wait for the lock.
    await until(() => messages.length > 0, 'the step being repeated');
    await sql('select from merchants');
    await release();
    await started;
    expect(messages).toEqual(['migration 29990101_expand waits for a lock on its tables']);
  });

  test('builds an index again whose first build failed, while others write', async () => {
    await addMerchant();
    await addMerchant();
    await sql(`update merchants set payers_notice = 'twice'`);
    await expect(start(EXPANDED)).rejects.toThrow('could not create unique index');
    const isValid = `select indisvalid from pg_index where indexrelid = 'merchants_payers_notice'::regclass`;
    expect(await sql(isValid)).toEqual([{ indisvalid: false }]);
    await sql('update merchants set payers_notice = null');
    const release = await holdLock(app.databaseUrl, 'lock table merchants in row exclusive mode');
    const started = start(EXPANDED);
    await until(() => countWaiting(app.databaseUrl, 'index concurrently'), 'the index waiting');
    await addMerchant();
    await release();
    await started;
    expect(await sql(isValid)).toEqual([{ indisvalid: true }]);
  });

  test('lets nodes of the previous release work on and start', async () => {
    await expectSale();
    const messages: string[] = [];
    await closeDatabase(
      await openMigrated(app.databaseUrl, { entities, poolMax: 2 }, { log: (message) => messages.push(message) }),
    );
    expect(messages).toEqual([expect.stringContaining('29990101_expand')]);
  });

  test('builds its index while another node waits for the migration lock', async () => {
    await sql('drop index merchants_payers_notice');
    await sql(`delete from mikro_orm_migrations where name = '29990101_expand_index'`);
    const other = await openDatabase(app.databaseUrl, { entities, poolMax: 2, isPatient: true });
    const release = await holdLock(app.databaseUrl, 'lock table merchants in row exclusive mode');
    const built = start(EXPANDED);
    await until(() => countWaiting(app.databaseUrl, 'index concurrently'), 'the index waiting');
    const turn = migrate(other, { only: [], pauseMs: 10 });
    const polls = `select from pg_stat_activity where datname = current_database() and query like '%advisory_lock%'`;
    await until(async () => (await sql(`${polls} and pid <> pg_backend_pid()`)).length > 1, 'both polling');
    await release();
    await built;
    await turn;
    await closeDatabase(other);
  });
});

describe('a migration that contracts the schema', () => {
  test('stops the nodes of an older release within a minute, and they cannot start again', async () => {
    const clock = testClock();
    const stopping = new AbortController();
    const messages: string[] = [];
    const watch = watchFloor({ pool: app.node.core.pool, clock, stopping: stopping.signal }, ({ message }) =>
      messages.push(message),
    );
    await until(() => clock.waits().length === 1, 'the first wait');
    await clock.pass(60_000);
    await until(() => clock.waits().length === 1, 'the second wait');
    expect(messages).toEqual([]);
    await sql('update merchants set payers_notice = privacy_notice');
    await start(CONTRACTED);
    await clock.pass(60_000);
    await watch;
    const sentence = /^This release .* is too old for its database.*29990102_contract/;
    expect(messages).toEqual([expect.stringMatching(sentence)]);
    await expect(startTestApp({ databaseUrl: app.databaseUrl })).rejects.toThrow(sentence);
    await expect(start(EXPANDED)).rejects.toThrow(sentence);
  });

  test('runs no migration again at the next start', async () => {
    const ran = () => sql('select name, executed_at from mikro_orm_migrations order by id');
    const before = await ran();
    expect(before.map(({ name }) => name)).toEqual(CONTRACTED.map(({ name }) => name));
    await start(CONTRACTED);
    expect(await ran()).toEqual(before);
  });
});
