import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordEvent } from '../../../server/events/record.ts';
import { nightlyErasures } from '../../../server/privacy/retention.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { openReference, receive } from '../../support/deliveries.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { creepUntil } from '../../support/payments.ts';
import {
  RECEIVER_ENV,
  startReceiver,
  CONFIRMATION,
  type Receiver,
  type ReceiverAnswer,
} from '../../support/receiver.ts';
import { DAY_MS } from '../../../shared/durations.ts';

const STEP = 500;

let app: TestApp;
let merchant: Receiver;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  await untilCleaned(1);
});
beforeEach(async () => {
  merchant = await startReceiver();
  fixture = await openCallbackFixture(app, merchant.url);
  for (const table of ['delivery_attempts', 'deliveries', 'retention_marks']) await app.sql(`delete from ${table}`);
  return () => merchant.stop();
});

/** Waits until this many nodes have run the retention, which each node does once at its start. */
const untilCleaned = (nodes: number) =>
  until(() => app.clock.waits().filter(({ ms }) => ms === DAY_MS).length >= nodes, `${nodes} nodes having cleaned`);

/** Returns the retention of deliveries. Each call runs one step, and returns null after the last step. */
const ruleOf = (node: TestApp) => nightlyErasures(node.node.core).find(({ table }) => table === 'deliveries')!.run;

/** Runs all steps and returns the number of deleted rows of each step. */
async function runNight(node = app): Promise<number[]> {
  const steps: number[] = [];
  const run = ruleOf(node);
  for (let rows = await run(); rows !== null; rows = await run()) steps.push(rows);
  return steps;
}

type Row = { status?: string; ageDays?: number; dueAt?: Date | null; leasedUntil?: Date | null };

async function insert(count: number, { status = 'Delivered', ageDays = 401, dueAt = null, leasedUntil = null }: Row) {
  await app.sql(
    `with made as (
       insert into deliveries (id, merchant_id, kind, type, status, attempts, due_at, leased_until, created_at)
       select gen_random_uuid(), $1, 'webhook', 'payment.paid', $3, 2, $4, $5, $6
       from generate_series(1, $2) returning id)
     insert into delivery_attempts (delivery_id, number, started_at, outcome)
     select id, number, $6, 'status' from made cross join generate_series(1, 2) number`,
    [fixture.merchantId, count, status, dueAt, leasedUntil, daysAgo(ageDays)],
  );
}

const daysAgo = (days: number) => new Date(app.clock.now().getTime() - days * DAY_MS);

async function readLeft() {
  const rows = await app.sql('select status, count(*)::int as count from deliveries group by 1 order by 1');
  const [{ attempts }] = await app.sql('select count(*)::int as attempts from delivery_attempts');
  return { ...Object.fromEntries(rows.map(({ status, count }) => [status, count])), attempts };
}

async function deliverLongAgo() {
  const sold = await openReference(app, fixture);
  await receive(app, sold);
  await until(async () => (await fixture.deliveries())[0]?.status === 'Delivered', 'the callback being delivered');
  await app.sql('update deliveries set created_at = $1', [daysAgo(401)]);
  const [delivery] = await fixture.deliveries();
  return { ...sold, id: delivery.id as string, transactionId: delivery.transaction_id as string };
}

const replay = (id: string) => fixture.call(`/api/callbacks/${id}/replay`, { method: 'POST' });

describe('the nightly retention of deliveries', () => {
  test('deletes only finished deliveries older than 400 days, with their attempts', async () => {
    await insert(2, { status: 'Delivered' });
    await insert(1, { status: 'Abandoned' });
    await insert(1, { status: 'Pending', dueAt: new Date('2999-01-01') });
    await insert(1, { status: 'Skipped', leasedUntil: new Date('2999-01-01') });
    await insert(1, { status: 'Skipped' });
    await insert(3, { status: 'Delivered', ageDays: 399 });
    await runNight();
    expect(await readLeft()).toEqual({ Delivered: 3, Pending: 1, Skipped: 1, attempts: 10 });
  });

  test('deletes a delivery that was not finished at an earlier run', async () => {
    await insert(1, { status: 'Pending', dueAt: new Date('2999-01-01') });
    await insert(1, {});
    await runNight();
    expect(await readLeft()).toEqual({ Pending: 1, attempts: 2 });
    await app.sql(`update deliveries set status = 'Abandoned', due_at = null`);
    await runNight();
    expect(await readLeft()).toEqual({ attempts: 0 });
  });

  test('deletes in small steps that are committed separately', async () => {
    await insert(2 * STEP + 7, {});
    await ruleOf(app)();
    expect(await readLeft()).toEqual({ Delivered: STEP + 7, attempts: 2 * (STEP + 7) });
    expect(await runNight()).toEqual([STEP, 7]);
    expect(await readLeft()).toEqual({ attempts: 0 });
  });

  test('deletes each delivery once on two nodes', async () => {
    await insert(3 * STEP, {});
    const twin = await app.startTwin();
    await untilCleaned(2);
    await Promise.all([runNight(), runNight(twin)]);
    await runNight();
    expect(await readLeft()).toEqual({ attempts: 0 });
  });
});

test('a newer delivery is attempted while a step of the retention is in an open transaction', async () => {
  await insert(1, {});
  merchant.answerWith({ status: 500 });
  await receive(app, await openReference(app, fixture));
  await until(async () => (await fixture.deliveries())[1]?.tries > 0, 'the first attempt');
  const release = await holdLock(app.databaseUrl, `select from delivery_attempts where outcome = 'status' for update`);
  const night = runNight();
  await until(() => countWaiting(app.databaseUrl, 'delete from'), 'the step waiting');
  // This takes less than the 10 s after which PostgreSQL cancels the waiting step.
  await creepUntil(app, () => merchant.requests.length > 1, 'the second attempt');
  await release();
  expect(await night).toEqual([1]);
});

describe('a delivery that is older than the retention period', () => {
  test('is kept while a replay of it waits for the commit', async () => {
    const { id } = await deliverLongAgo();
    merchant.answerWith({ status: 500 });
    // The replay has locked the delivery and waits for the lock of the endpoint.
    const release = await holdLock(app.databaseUrl, 'lock table endpoints in exclusive mode');
    const replayed = replay(id);
    await until(() => countWaiting(app.databaseUrl, 'update endpoints'), 'the replay waiting');
    await runNight();
    await release();
    expect((await replayed).status).toBe(202);
    await until(async () => (await fixture.deliveries())[0]?.tries > 0, 'the attempt being recorded');
    await runNight();
    expect(await fixture.deliveries()).toMatchObject([{ id, status: 'Pending' }]);
  });

  test('is kept while a node sends it again, and stores the result', async () => {
    const { id } = await deliverLongAgo();
    let answer = (_said: ReceiverAnswer) => {};
    merchant.answerWith(() => new Promise((resolve) => (answer = resolve)));
    merchant.requests.length = 0;
    await replay(id);
    await until(() => merchant.requests.length > 0, 'the attempt being under way');
    await runNight();
    answer(CONFIRMATION);
    await until(async () => (await fixture.deliveries())[0]?.status === 'Delivered', 'the attempt being recorded');
    await runNight();
    expect(await readLeft()).toEqual({ attempts: 0 });
  });

  test('causes no second callback if a later event names its transaction', async () => {
    const { internalId, transactionId } = await deliverLongAgo();
    await runNight();
    await recordEvent(app.node.core, {
      merchantId: fixture.merchantId,
      paymentId: internalId,
      type: 'refund.succeeded',
      status: 'Succeeded',
      occurredAt: app.clock.now(),
      details: { transactionId },
    });
    expect(await fixture.deliveries()).toEqual([]);
  });
});
