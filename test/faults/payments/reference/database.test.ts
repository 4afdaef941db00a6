import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type CallOptions, type Reply, type TestApp } from '../../../support/app.ts';
import { expectCash, startProxiedRail, travelToRest, type ProxiedRail } from '../../../support/cashbook.ts';
import { testClock } from '../../../support/clock.ts';
import { startOwnPostgres, type OwnPostgres } from '../../../support/own-postgres.ts';
import { travelUntil } from '../../../support/payments.ts';
import {
  createPayable,
  digits,
  moneyFor,
  PPR,
  readReference,
  reference,
  sendPprNotification,
  pprNotificationBody,
} from '../../../support/ppr.ts';
import { madeIdsOf } from '../../../support/repeats.ts';
import { MINUTE_MS } from '../../../../shared/durations.ts';

let postgres: OwnPostgres;
let rail: ProxiedRail;
let app: TestApp;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  const clock = testClock();
  rail = await startProxiedRail({ clock, gatewayUrl: () => app.url });
  app = await startTestApp({ clock, env: rail.env, databaseUrl: postgres.url });
});
afterEach(async () => {
  await travelToRest(app, rail);
  await expectCash(app.sql, await rail.books());
});
afterAll(async () => {
  await app?.stop();
  await rail?.stop();
  await postgres?.remove();
});

const untilReady = () => until(async () => (await app.call('/readyz')).status === 200, 'readiness');
const payable = (count: number, body: object = {}) =>
  Promise.all(Array.from({ length: count }, () => createPayable(app, { ...body })));

async function goAway(work: () => Promise<unknown>): Promise<void> {
  await postgres.stop();
  try {
    await work();
  } finally {
    await postgres.start();
    await untilReady();
  }
}

test('a request during an outage of the database returns 503 with Retry-After and writes nothing', async () => {
  const made = await createPayable(app);
  const before = await app.sql('select count(*)::int as count from payments');
  const asked: [string, CallOptions?][] = [
    [PPR, { body: reference() }],
    [PPR, { body: reference({ reference: digits() }), headers: { 'idempotency-key': randomUUID() } }],
    [`${PPR}/legacy`, { body: reference() }],
    [`${PPR}/bulk`, { body: { references: [reference(), reference()] } }],
    [PPR],
    [`${PPR}/${made.reference}`],
    [`${PPR}/${made.reference}/history`],
    [`${PPR}/${made.reference}/cancel`, { method: 'POST' }],
    [`/api/payments/${made.internalId}/sync`, { method: 'POST' }],
    [`/checkout/${made.clientToken}/session`],
  ];
  await goAway(async () => {
    for (const [path, options] of asked) {
      const reply = await app.call(path, options);
      expect(reply.json, path).toMatchObject({ status: 503, code: 'service_unavailable' });
      expect(Number(reply.headers.get('retry-after')), path).toBeGreaterThanOrEqual(1);
    }
    // The rail repeats a notification that the gateway did not acknowledge.
    expect((await sendPprNotification(app, pprNotificationBody(moneyFor(app, made)))).status).toBe(503);
  });
  expect(await app.sql('select count(*)::int as count from payments')).toEqual(before);
  expect(await readReference(app, made.reference)).toMatchObject({ referenceStatus: 'Pending', amountPaid: 0 });
});

test('money paid during a database outage is recorded after the outage', async () => {
  const dynamic = await payable(6);
  const charging = await payable(2, { amount: 0, referenceType: 'Charging' });
  await goAway(async () => {
    for (const one of dynamic) expect((await rail.pay(one)).status).toBe(201);
    for (const one of [...charging, ...charging]) {
      expect((await rail.pay(one, { amount: '25.00' })).status).toBe(201);
      expect((await rail.pay(one, { amount: '75.00', fault: 'lost' })).status).toBe(201);
    }
    // Due jobs and the read of the rail's payment list fail several times.
    for (let nth = 0; nth < 13; nth++) await app.clock.advance(5_000);
  });
  await travelToRest(app, rail);
  for (const one of dynamic)
    expect(await readReference(app, one.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
  for (const one of charging)
    expect(await readReference(app, one.reference)).toMatchObject({ status: 'Paid', amountPaid: 200 });
});

test('a registration and a withdrawal at the rail during a database outage are recorded after it', async () => {
  const canceled = await createPayable(app);
  rail.calls.holdAt('answer');
  const own = digits();
  expect((await app.call(PPR, { body: reference({ reference: own }) })).status).toBe(201);
  expect((await app.call(`${PPR}/${canceled.reference}/cancel`, { method: 'POST' })).status).toBe(200);
  await until(() => rail.calls.held() === 2, 'the rail having done both');
  rail.calls.holdAt(null);
  await goAway(async () => {
    rail.calls.release();
    for (let nth = 0; nth < 5; nth++) await app.clock.advance(1_000);
  });
  await travelUntil(app, async () => (await readReference(app, own)).registeredAt, 'it being known');
  await travelToRest(app, rail);
  expect((await rail.pay(canceled)).body.code).toBe('REFERENCE_WITHDRAWN');
});

test('each acknowledged creation and each payment exists once after three database restarts under load', async () => {
  const tries: { options: CallOptions; path: string; reply: Reply }[] = [];
  let isOver = false;
  const create = async (): Promise<void> => {
    for (let nth = 0; !isOver; nth++) {
      const one = () => reference({ referenceType: nth % 2 ? 'Charging' : 'Dynamic' });
      const path = nth % 3 ? PPR : `${PPR}/bulk`;
      const body = nth % 3 ? one() : { references: [one(), one()] };
      const options = { body, headers: { 'idempotency-key': randomUUID() } };
      tries.push({ path, options, reply: await app.call(path, options) });
    }
  };
  const endMs = app.clock.now().getTime() + 20 * MINUTE_MS;
  const pay = async (): Promise<void> => {
    for (let nth = 0; !isOver; nth++) {
      // On a slow machine the access token would expire, and an outage may refuse the next one.
      await app.clock.advance(app.clock.now().getTime() < endMs ? 1_000 : 10);
      const made = tries
        .filter(({ reply }) => reply.status === 201)
        .flatMap(({ reply }) => reply.json.data ?? [reply.json]);
      const to = made.at(-1 - (nth % 7));
      if (to) await rail.pay(to);
    }
  };
  const load = Promise.all([create(), create(), create(), pay()]);
  const count = (status: number) => tries.filter(({ reply }) => reply.status === status).length;
  for (let stops = 0; stops < 3; stops++) {
    const [made, refused] = [count(201), count(503)];
    await until(() => count(201) > made + 10, 'creations going through');
    await postgres.stop();
    await until(() => count(503) > refused + 3, 'creations being refused');
    await postgres.start();
  }
  await untilReady();
  isOver = true;
  await load;
  const statuses = new Set(tries.map(({ reply }) => reply.status));
  expect([...statuses].toSorted()).toEqual([201, 503]);
  let items = 0;
  for (const { path, options, reply } of tries) {
    const again = await app.call(path, options);
    expect(again.status, again.text).toBe(201);
    if (reply.status === 201) expect(madeIdsOf(again)).toEqual(madeIdsOf(reply));
    items += again.json.data?.length ?? 1;
  }
  const keys = tries.map(({ options }) => options.headers?.['idempotency-key']);
  const stored = await app.sql('select from idempotency_keys where key = any($1)', [keys]);
  expect(stored).toHaveLength(tries.length);
  const [{ made }] = await app.sql(
    `select count(*)::int as made from payments where id in (
    select payment_id from idempotency_keys where key = any($1)
    union all
    select (i ->> 'internalId')::uuid from idempotency_keys k, json_array_elements(k.body::json -> 'data') i
    where k.key = any($1))`,
    [keys],
  );
  expect(made).toBe(items);
  const [{ all }] = await app.sql(
    `select count(*)::int as "all" from payments where created_at >= (select min(created_at) from idempotency_keys where key = any($1))`,
    [keys],
  );
  expect(all).toBe(items);
});
