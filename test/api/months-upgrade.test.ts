// A database from before events and deliveries were kept in months is brought up to date as it is: no row is written anew, none is lost,
// numbers and cursors go on, and what was told once is told once.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../server/database/migrate.ts';
import { listMigrations } from '../../server/database/migrations.ts';
import { monthOf, openMonths } from '../../server/database/months.ts';
import { MONTH_SIZE } from '../../server/database/months.sql.ts';
import { openDatabase, type Database } from '../../server/database/orm.ts';
import { entities } from '../../server/entities.ts';
import { readFeed } from '../../server/events/feed.ts';
import { emptyDatabase, querySql, type FreshDatabase } from '../support/database.ts';
import { startTestApp, until } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { countWaiting, holdLock } from '../support/locks.ts';

let old: FreshDatabase;
let database: Database;
beforeAll(async () => {
  old = await emptyDatabase();
  database = await openDatabase(old.url, { entities, poolMax: 2, isPatient: true });
  await migrate(database, { only: listMigrations().filter((name) => name < '20270201') });
});
afterAll(async () => {
  await database.orm.close(true);
  await old.drop();
});

const sql = <T = any>(text: string, values: unknown[] = []) => querySql<T>(old.url, text, values);
const MERCHANT = randomUUID();
const AT = new Date('2026-03-02T08:00:00Z');

/** Somebody pays a code: the money, and the event that has its callback and webhook told of, by the trigger as it was. */
async function pay(): Promise<string> {
  const [{ id }] = await sql(
    `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision, created_at)
     values (uuidv7(), $1, 'ENC', 100, 'AOA', 'GPO', 'qrcode', 'Paid', 1, $2) returning id`,
    [MERCHANT, AT],
  );
  const [{ money }] = await sql(
    `insert into transactions (id, merchant_id, payment_id, rail, provider_ref, amount_minor, currency, status, late, occurred_at, created_at, period, details)
     values (uuidv7(), $1, $2, 'gpo', gen_random_uuid()::text, 100, 'AOA', 'Accepted', false, $3, $3, 'p1', '{}') returning id as money`,
    [MERCHANT, id, AT],
  );
  await tell(id, money);
  return money;
}

const tell = (paymentId: string, money: string) =>
  sql(
    `insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
     values (gen_random_uuid(), $1, $2, 'payment.paid', 'Paid', $3, jsonb_build_object('transactionId', $4::text))`,
    [MERCHANT, paymentId, AT, money],
  );

const rowsOf = (table: string) => sql(`select to_jsonb(t) as row from ${table} t order by seq`);
const filesOf = (names: string[]) =>
  sql(`select pg_relation_filenode(name::regclass) as file from unnest($1::text[]) name`, [names]);

test('everything stays what and where it was, beside who reads and writes, and goes on', async () => {
  for (const kind of ['webhook', 'callback'])
    await sql(
      `insert into endpoints (id, merchant_id, kind, url, created_at, updated_at) values (gen_random_uuid(), $1, $2, 'https://loja.example', $3, $3)`,
      [MERCHANT, kind, AT],
    );
  const money = [];
  for (let nth = 0; nth < 20; nth++) money.push(await pay());
  const read = await readFeed(database, MERCHANT, 0, 10);
  const [events, deliveries, files] = [
    await rowsOf('events'),
    await rowsOf('deliveries'),
    await filesOf(['events', 'deliveries']),
  ];
  expect([events.length, deliveries.length]).toEqual([20, 40]);

  // Somebody writes while indexes are built, and pays beside it.
  const release = await holdLock(old.url, 'lock table events in row exclusive mode');
  const done = migrate(database, { pauseMs: 10 });
  await until(() => countWaiting(old.url, 'create index concurrently'), 'an index waiting');
  await release();
  await done;

  expect(await rowsOf('events')).toEqual(events);
  expect(await rowsOf('deliveries')).toEqual(deliveries);
  // Nothing was copied, and no index of a part was built while all were kept waiting.
  expect(await filesOf(['parts.events', 'parts.deliveries'])).toEqual(files);
  expect(
    await sql(
      `select from callback_deliveries c join deliveries d using (seq) where c.transaction_id = d.transaction_id`,
    ),
  ).toHaveLength(20);

  // What is told again is told once, and numbers and cursors go on.
  const [{ payment_id }] = await sql(`select payment_id from transactions where id = $1`, [money[0]]);
  await tell(payment_id, money[0]!);
  expect(await sql(`select from deliveries where kind = 'callback'`)).toHaveLength(20);
  expect((await sql('select max(seq)::int as seq from events'))[0].seq).toBe(21);
  const [first, second] = [
    await readFeed(database, MERCHANT, 0, 10),
    await readFeed(database, MERCHANT, read.at(-1)!.position, 500),
  ];
  expect(first).toEqual(read);
  expect([...first, ...second].map(({ seq }) => seq)).toEqual(Array.from({ length: 21 }, (_, nth) => nth + 1));
});

test('what comes in the same month stays beside it, for nodes of older releases; the next month is one of its own', async () => {
  const clock = testClock();
  const app = await startTestApp({ databaseUrl: old.url, clock });
  const newest = async () =>
    (
      await sql(
        `select seq, tableoid::regclass::text as part from events where type = 'payment.paid' order by seq desc limit 1`,
      )
    )[0];
  await pay();
  expect((await newest()).part).toBe('parts.events');
  clock.leap(31 * 86_400_000);
  await openMonths(app.node.core);
  await pay();
  const { seq, part } = await newest();
  expect([part, Math.floor(seq / MONTH_SIZE)]).toEqual(['parts.events_2026_04', monthOf(clock.now())]);
});
