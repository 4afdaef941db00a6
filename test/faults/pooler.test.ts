// PgBouncer before the database: by session and by transaction a node works as ever and keeps its time-outs, or says what is missing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMigrated } from '../../server/database/migrate.ts';
import { TIMEOUTS } from '../../server/database/orm.ts';
import { entities } from '../../server/entities.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../support/database.ts';
import { create, purchase, travelToStatus, webframe } from '../support/payments.ts';
import { keepsPrepared, POOLER_VERSION, startPooler, type Pooler } from '../support/pooler.ts';
import { readScrape } from '../support/scrape.ts';

const CONNECT_QUERY = Object.entries(TIMEOUTS)
  .map(([name, ms]) => `set ${name} = ${ms}`)
  .join('; ');
const PREPARED = ['max_prepared_statements = 200'];

let migrated: FreshDatabase;
let empty: FreshDatabase;
beforeAll(async () => {
  [migrated, empty] = [await freshDatabase(), await freshDatabase()];
});
afterAll(() => Promise.all([migrated.drop(), empty.drop()]));

const refused = (url: string) => expect(openMigrated(url, { entities, poolMax: 2 })).rejects;
const forget = () =>
  querySql(empty.url, 'drop schema public cascade; drop schema if exists simulator cascade; create schema public');

async function expectWhole(app: TestApp): Promise<void> {
  const payment = await create(app, purchase('900000000'));
  await travelToStatus(app, payment.id, 'Paid');
  // COPY, beside all that is prepared.
  expect((await app.call('/api/payments.csv')).text).toContain(`;${payment.id};`);
  // On whichever connection: some that were there, some that are new.
  const settings = await Promise.all(
    Array.from({ length: 6 }, () =>
      app.sql(`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle, pg_sleep(0.02)`),
    ),
  );
  for (const [row] of settings) expect(row).toMatchObject({ statement: '10s', idle: '15s' });
  expect((await readScrape(app.url)).value('balcao_database_connections')).toBeGreaterThan(0);
}

describe.skipIf(!POOLER_VERSION)('by session', () => {
  test('it migrates, takes a payment and keeps its time-outs', async () => {
    const pooler = await startPooler(migrated.url, { mode: 'session' });
    await forget();
    const app = await startTestApp({ databaseUrl: pooler.urlOf(empty.url) });
    await expectWhole(app);
    await app.stop();
  });

  test('time-outs are kept too where it was told to ignore them', async () => {
    const names = Object.keys(TIMEOUTS).join();
    const pooler = await startPooler(migrated.url, {
      mode: 'session',
      lines: [`ignore_startup_parameters = ${names}`],
    });
    const { orm, pool, pooling } = await openMigrated(pooler.urlOf(migrated.url), { entities, poolMax: 2 });
    expect(pooling).toBe('session');
    expect((await pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '10s' }]);
    await orm.close(true);
  });
});

describe.skipIf(!POOLER_VERSION)('by transaction', () => {
  test('one that keeps no prepared statements is refused in a sentence', async () => {
    const lines = keepsPrepared ? ['max_prepared_statements = 0'] : [];
    const pooler = await startPooler(migrated.url, { mode: 'transaction', lines, connectQuery: CONNECT_QUERY });
    await refused(pooler.urlOf(migrated.url)).toThrow(
      /^DATABASE_URL: this pooler .* PgBouncer 1\.21 or newer with max_prepared_statements/,
    );
  });

  // Debian 12 has 1.18.
  describe.skipIf(!keepsPrepared)('from 1.21 on', () => {
    let pooler: Pooler;
    beforeAll(async () => {
      pooler = await startPooler(migrated.url, { mode: 'transaction', lines: PREPARED, connectQuery: CONNECT_QUERY });
    });

    test('it takes a payment and keeps its time-outs', async () => {
      const app = await startTestApp({ databaseUrl: pooler.urlOf(migrated.url) });
      await expectWhole(app);
      await app.stop();
    });

    test('it migrates past the pooler, and says so where it does not know the way', async () => {
      await forget();
      await refused(pooler.urlOf(empty.url)).toThrow(/^DATABASE_DIRECT_URL: /);
      const env = { DATABASE_DIRECT_URL: empty.url };
      const app = await startTestApp({ databaseUrl: pooler.urlOf(empty.url), env });
      await create(app, webframe());
      await app.stop();
    });

    test('without time-outs of its own it is refused', async () => {
      const bare = await startPooler(migrated.url, { mode: 'transaction', lines: PREPARED });
      await refused(bare.urlOf(migrated.url)).toThrow(`connect_query='${CONNECT_QUERY}'`);
    });
  });
});
