import pg from 'pg';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { nightlyErasures } from '../../../server/privacy/retention.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { countWaiting } from '../../support/locks.ts';

const MANY = 1_201;
const LATER_MS = 400 * 24 * 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

beforeEach(async () => {
  const { merchantId } = await openCallbackFixture(app);
  await app.sql('delete from retention_marks');
  await app.sql('delete from sms_messages');
  await app.sql(
    `insert into sms_messages (id, merchant_id, batch_id, phone, content, parts, status, listed_at)
     select uuidv7(), $1, gen_random_uuid(), '+2449' || lpad(n::text, 8, '0'), 'Bom dia', 1, 'Delivered', now() - interval '1 hour'
     from generate_series(1, ${MANY}) n`,
    [merchantId],
  );
});

/** Runs the retention of SMS on a node whose clock shows this day. */
function stepsOf(node: TestApp): () => Promise<number | null> {
  const core = { ...node.node.core, clock: testClock(new Date(Date.now() + LATER_MS).toISOString()) };
  return nightlyErasures(core).find(({ table }) => table === 'sms_messages')!.run;
}

const left = async () =>
  (await app.sql<{ count: number }>(`select count(*)::int as count from sms_messages where phone <> 'erased'`))[0]!
    .count;

async function runAll(run: () => Promise<number | null>): Promise<number> {
  let rows = 0;
  for (let step = await run(); step !== null; step = await run()) rows += step;
  return rows;
}

test('two nodes that run the retention at the same time erase each row once', async () => {
  const twin = await app.startTwin();
  const rows = await Promise.all([runAll(stepsOf(app)), runAll(stepsOf(twin))]);
  const rest = await runAll(stepsOf(app));
  expect(rows[0]! + rows[1]! + rest).toBe(MANY);
  expect(await left()).toBe(0);
});

test('a retention step whose connection breaks leaves all its rows to the next step', async () => {
  const run = stepsOf(app);
  expect(await run()).toBe(500);
  const holder = new pg.Client({ connectionString: app.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query(`select from sms_messages where phone = '+244900000900' for update`);
  const dying = run();
  dying.catch(() => {});
  const isWaiting = async () => (await countWaiting(app.databaseUrl, 'from "sms_messages"')) > 0;
  await until(isWaiting, 'the step waiting for a row').finally(async () => {
    await app.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database()`,
    );
    await holder.query('rollback');
    await holder.end();
  });
  await expect(dying).rejects.toThrow();
  expect(await left()).toBe(MANY - 500);
  expect(await runAll(run)).toBe(MANY - 500);
  expect(await left()).toBe(0);
});
