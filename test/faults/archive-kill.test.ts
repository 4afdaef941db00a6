// kill -9 of `balcao archive` at each of its steps: at no moment is an event lost or there twice for who asks for its payment, and running it
// again comes to the same end.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArchived } from '../../server/archive/read.ts';
import { readConfig } from '../../server/config.ts';
import { systemClock } from '../../server/clock.ts';
import { makeParts, monthOf, openMonths } from '../../server/database/months.ts';
import { MONTH_SIZE } from '../../server/database/months.sql.ts';
import { inTransaction, openDatabase, type Database } from '../../server/database/orm.ts';
import { entities } from '../../server/entities.ts';
import { TEST_ENV, until } from '../support/app.ts';
import { startCli, stopClis } from '../support/cli.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../support/database.ts';
import { foldLists } from '../../server/lists/fold.ts';
import { countWaiting, holdLock } from '../support/locks.ts';

const PAYMENTS = 1_500;
const MONTH = monthOf(new Date('2026-01-01'));
const dir = mkdtempSync(join(tmpdir(), 'balcao-archive-'));
const log = pino({ level: 'silent' });

let fresh: FreshDatabase;
let database: Database;
const sql = <T = any>(text: string, values: unknown[] = []) => querySql<T>(fresh.url, text, values);

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase(fresh.url, { entities, poolMax: 4 });
  await openMonths({ ...database, clock: systemClock, log });
  await inTransaction(database, (db) => makeParts(db, [MONTH]));
  await sql(
    `with paid as (insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision, created_at)
       select gen_random_uuid(), '00000000-0000-7000-8000-00000000000a', 'R-' || n, n, 'AOA', 'GPO', 'push', 'Paid', 2, '2026-01-05' from generate_series(1, $1::int) n
       returning id, merchant_id, amount_minor)
     insert into events (seq, id, merchant_id, payment_id, type, status, occurred_at, details)
     select $2::bigint + 2 * amount_minor + t.nth, gen_random_uuid(), merchant_id, id, t.type, t.status, '2026-01-05', '{"nib":"AO06"}'
     from paid cross join (values (0, 'payment.created', 'Pending'), (1, 'payment.paid', 'Paid')) t(nth, type, status)`,
    [PAYMENTS, MONTH * MONTH_SIZE],
  );
  await sql(
    `with told as (insert into deliveries (seq, id, merchant_id, kind, type, payment_id, status, created_at)
       select seq, gen_random_uuid(), merchant_id, 'webhook', type, payment_id, 'Delivered', occurred_at from events returning id)
     insert into delivery_attempts (delivery_id, number, started_at, outcome, answer) select id, 1, '2026-01-05', 'delivered', 'obrigado' from told`,
  );
  await foldLists(database);
});
afterAll(async () => {
  await stopClis();
  await database.orm.close(true);
  await fresh.drop();
  rmSync(dir, { recursive: true, force: true });
});

const start = () =>
  startCli(['archive', '--before', '2026-02'], { ...TEST_ENV, DATABASE_URL: fresh.url, ARCHIVE_DIR: dir });

/** What is found of some of the payments, in the months and in the archive. */
async function findEvents(): Promise<string[][]> {
  const payments = await sql('select id from payments order by amount_minor limit 5');
  const core = { ...database, config: readConfig({ ...TEST_ENV, ARCHIVE_DIR: dir }), log };
  return Promise.all(
    payments.map(async ({ id }) => [
      ...(await readArchived(core, id)).map(({ type }) => type),
      ...(await sql('select type from events where payment_id = $1 order by seq', [id])).map(({ type }) => type),
    ]),
  );
}

const PART = 'parts.events_2026_01';

/** What stops it there, and what waits then. */
const STEPS: [name: string, lock: string, waiting: string][] = [
  ['it is kept what is asked for later', 'lock table archived_events in share mode', 'insert into archived_events'],
  ['the month is detached', `lock table ${PART} in access share mode`, 'alter table events detach'],
  ['its file is written', 'lock table delivery_attempts in access exclusive mode', 'copy ('],
  ['the file is known to be whole', 'lock table archives in share mode', 'update archives set sha256'],
  ['attempts are deleted', 'lock table delivery_attempts in share mode', 'delete from delivery_attempts'],
  ['the month is dropped', `lock table ${PART} in access share mode`, 'drop table'],
];

test.each(STEPS)('as %s: nothing is lost, and nothing is there twice', async (_, lock, waiting) => {
  const before = await findEvents();
  expect(before).toEqual(Array(5).fill(['payment.created', 'payment.paid']));
  const release = await holdLock(fresh.url, lock);
  const run = start();
  await until(() => countWaiting(fresh.url, waiting), `${waiting} waiting`);
  await run.kill();
  await release();
  // What its backends had begun they end, or undo.
  const alive = `select from pg_stat_activity where datname = current_database() and (query like '%archive%' or query like '%parts.%')
    and state <> 'idle' and pid <> pg_backend_pid()`;
  await until(async () => (await sql(alive)).length === 0, 'its backends being gone');
  expect(await findEvents()).toEqual(before);
});

test('run again it comes to its end, with every row in the file', async () => {
  const { code, stdout, stderr } = await start().ended;
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`${2 * PAYMENTS} events, ${2 * PAYMENTS} deliveries`);
  expect(readdirSync(dir).toSorted()).toEqual(['2026_01.json', '2026_01.ndjson.gz']);
  expect(await sql('select from delivery_attempts limit 1')).toEqual([]);
  expect(await sql(`select from pg_class where relname like '%_2026_01'`)).toEqual([]);
  expect(await findEvents()).toEqual(Array(5).fill(['payment.created', 'payment.paid']));
  const { stdout: lines } = await startCli(['archive', 'read', join(dir, '2026_01.ndjson.gz')], TEST_ENV).ended;
  const rows = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.filter(({ attempts }) => attempts?.length === 1)).toHaveLength(2 * PAYMENTS);
  expect(lines).not.toMatch(/AO06|obrigado/);
});
