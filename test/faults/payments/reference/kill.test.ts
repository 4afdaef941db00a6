import { randomUUID, randomInt } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until, type CallOptions, type Reply } from '../../../support/app.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { AFTER_LEASE_MS, AFTER_SWEEP_MS, startPprGateway, type PprGateway } from '../../../support/ppr-gateway.ts';
import { digits, PPR } from '../../../support/ppr.ts';
import type { HoldPoint } from '../../../support/proxy.ts';
import { madeIdsOf } from '../../../support/repeats.ts';

let gateway: PprGateway;
beforeAll(async () => {
  gateway = await startPprGateway();
});
afterEach(async () => {
  gateway.rail.calls.holdAt(null);
  gateway.rail.calls.cut();
  await gateway.expectTruth();
});

type Asked = [path: string, options: CallOptions];

const creationOf = (body: object): Asked => [PPR, { body, headers: { 'idempotency-key': randomUUID() } }];
const cancelOf = (reference: string): Asked => [
  `${PPR}/${reference}/cancel`,
  { method: 'POST', headers: { 'idempotency-key': randomUUID() } },
];
const countWaits = (text: string) => countWaiting(gateway.databaseUrl, text);

/** Sends the request and kills the gateway while the proxy holds its call to the rail at this point. */
async function killWhileTelling(point: HoldPoint, asked: Asked): Promise<Reply> {
  const { calls } = gateway.rail;
  calls.holdAt(point);
  const reply = await gateway.merchant.call(...asked);
  await until(() => calls.held() === 1, 'the rail being called');
  await gateway.child().kill();
  calls.holdAt(null);
  return reply;
}

/** Expects that a repeat of the request returns what the first response returned. */
async function expectReplayed(asked: Asked, first: Reply): Promise<void> {
  const again = await gateway.merchant.call(...asked);
  expect({ status: again.status, ids: madeIdsOf(again) }).toEqual({ status: first.status, ids: madeIdsOf(first) });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
}

const untilKnown = (reference: string) =>
  until(async () => (await gateway.read(reference)).registeredAt, 'the rail knowing it');
const tryToPay = async (reference: string) => {
  const { status, body } = await gateway.rail.pay({ entity: '00999', reference });
  return status === 201 ? '201' : body.code;
};

test.each([
  { point: 'request', title: 'that did not reach the rail', calls: 1 },
  { point: 'answer', title: 'that the rail did and the gateway did not record', calls: 2 },
] as const)('a registration and a withdrawal $title are completed after the restart', async ({ point, calls }) => {
  const payable = await gateway.createPayable();
  const [creation, cancel] = [creationOf({ amount: 1500 }), cancelOf(payable.reference)];
  gateway.rail.calls.holdAt(point);
  const made = await gateway.merchant.call(...creation);
  const canceled = await gateway.merchant.call(...cancel);
  expect(canceled).toMatchObject({ status: 200, json: { status: 'Canceled', referenceStatus: 'Canceled' } });
  await until(() => gateway.rail.calls.held() === 2, 'both calls of the rail');
  await gateway.child().kill();
  gateway.rail.calls.holdAt(null);
  gateway.rail.calls.cut();
  const { reference } = made.json;
  expect((await gateway.book(reference))?.status).toBe(point === 'answer' ? 'ACTIVE' : undefined);
  await gateway.restart(AFTER_LEASE_MS);
  await untilKnown(reference);
  expect((await gateway.rail.books(reference)).references).toMatchObject([{ status: 'ACTIVE', calls }]);
  expect(await gateway.readSteps(reference)).toEqual(['payment.created', 'reference.registered']);
  const isWithdrawn = async () => (await gateway.readSteps(payable.reference)).includes('reference.withdrawn');
  await until(isWithdrawn, 'the withdrawal');
  expect(await tryToPay(payable.reference)).toBe('REFERENCE_WITHDRAWN');
  await expectReplayed(creation, made);
  await expectReplayed(cancel, canceled);
});

describe('a committed reference', () => {
  test('is one reference at the rail if its first registration arrives after the second', async () => {
    const made = await killWhileTelling('request', creationOf({ amount: 1500 }));
    const { reference } = made.json;
    await gateway.restart(AFTER_LEASE_MS);
    await untilKnown(reference);
    gateway.rail.calls.release();
    await until(async () => (await gateway.book(reference))?.calls === 2, 'the first call arriving');
    expect((await gateway.rail.books(reference)).references).toMatchObject([{ status: 'ACTIVE', calls: 2 }]);
  });

  test('is recorded as registered after the restart if the kill interrupted that write', async () => {
    gateway.rail.calls.holdAt('answer');
    const { json } = await gateway.merchant.call(...creationOf({ amount: 1500 }));
    await until(() => gateway.rail.calls.held() === 1, 'the rail having it');
    const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
    gateway.rail.calls.holdAt(null);
    gateway.rail.calls.release();
    await until(async () => (await countWaits('insert into%events')) === 1, 'it being written');
    await gateway.child().kill();
    await release();
    await gateway.restart(AFTER_LEASE_MS);
    await untilKnown(json.reference);
    expect(await gateway.readSteps(json.reference)).toEqual(['payment.created', 'reference.registered']);
  });

  test('is refused by cash machines if it is canceled before its registration reaches the rail', async () => {
    const made = await killWhileTelling('request', creationOf({ amount: 1500 }));
    const { reference } = made.json;
    await gateway.restart(0);
    expect((await gateway.merchant.call(...cancelOf(reference))).status).toBe(200);
    await until(async () => (await gateway.readSteps(reference)).includes('reference.withdrawn'), 'the withdrawal');
    gateway.rail.calls.release();
    await until(async () => (await gateway.book(reference))?.calls === 1, 'the registration arriving');
    expect(await tryToPay(reference)).toBe('REFERENCE_WITHDRAWN');
    expect(await gateway.read(reference)).toMatchObject({ status: 'Canceled', registeredAt: null });
  });

  test('is Paid if a payer pays it before the gateway recorded its registration', async () => {
    gateway.rail.notifications.holdAt('request');
    const made = await killWhileTelling('answer', creationOf({ amount: 1500 }));
    gateway.rail.calls.cut();
    const { reference } = made.json;
    expect(await tryToPay(reference)).toBe('201');
    await until(() => gateway.rail.notifications.held() === 1, 'the notification');
    gateway.rail.notifications.holdAt(null);
    await gateway.restart(AFTER_LEASE_MS);
    gateway.rail.notifications.release();
    await until(async () => (await gateway.read(reference)).status === 'Paid', 'Paid');
    await gateway.expectTruth();
    expect(await tryToPay(reference)).toBe('REFERENCE_PAID');
  });
});

test('a repeat with the same key finds a creation that was committed before the kill without a response', async () => {
  const asked = creationOf({ amount: 1500, reference: digits() });
  const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
  const lost = gateway.merchant.call(...asked).catch(() => 'broken');
  await until(async () => (await countWaits('with creation as')) === 1, 'it being written');
  await gateway.child().kill();
  expect(await lost).toBe('broken');
  // PostgreSQL completes and commits this statement although its client is killed.
  await release();
  await gateway.restart(AFTER_LEASE_MS);
  const made = await gateway.merchant.call(...asked);
  expect(made.status).toBe(201);
  await untilKnown(made.json.reference);
  expect(await gateway.sql('select from payments where reference = $1', [made.json.reference])).toHaveLength(1);
});

test('a canceled reference becomes Paid and late if it is paid before the rail receives the withdrawal', async () => {
  const { reference } = await gateway.createPayable();
  await killWhileTelling('request', cancelOf(reference));
  gateway.rail.calls.cut();
  expect(await tryToPay(reference)).toBe('201');
  await gateway.restart(AFTER_SWEEP_MS);
  await until(async () => (await gateway.read(reference)).status === 'Paid', 'Paid');
  const { json } = await gateway.merchant.call(`/api/payments/${reference}`);
  expect(json).toMatchObject({ amountPaid: 1500, transactions: [{ late: true }] });
});

describe('a bulk creation of references', () => {
  const bulkOf = (references: object[]): Asked => [
    `${PPR}/bulk`,
    { body: { references }, headers: { 'idempotency-key': randomUUID() } },
  ];
  const countMade = async (asked: Asked) =>
    (
      await gateway.sql('select from payments where reference = any($1)', [
        (asked[1].body as any).references.map(({ reference }: any) => reference),
      ])
    ).length;

  test('is written completely by a repeat if the kill ends its statement', async () => {
    const asked = bulkOf(Array.from({ length: 20 }, () => ({ amount: 10, reference: digits() })));
    const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
    const lost = gateway.merchant.call(...asked).catch(() => 'broken');
    await until(async () => (await countWaits('with creation as')) === 1, 'it being written');
    await gateway.child().kill();
    expect(await lost).toBe('broken');
    await release();
    await gateway.restart(AFTER_LEASE_MS);
    expect(await countMade(asked)).toBe(0);
    expect((await gateway.merchant.call(...asked)).status).toBe(201);
    await gateway.expectTruth();
    expect(await countMade(asked)).toBe(20);
  });

  test('is registered completely after the restart if the kill interrupts its registrations', async () => {
    const { calls } = gateway.rail;
    const asked = bulkOf(Array.from({ length: 60 }, () => ({ amount: 10, reference: digits() })));
    const from = calls.seen.length;
    const made = await gateway.merchant.call(...asked);
    expect(made.status).toBe(201);
    await until(() => calls.seen.length - from >= 20, 'some registrations');
    await gateway.child().kill();
    await gateway.restart(AFTER_LEASE_MS);
    await gateway.expectTruth();
    await expectReplayed(asked, made);
    const books = (await gateway.rail.books()).references;
    const own = made.json.data.map(({ reference }: any) => books.filter((book) => book.reference === reference));
    for (const [book, ...more] of own) {
      expect(more).toEqual([]);
      expect(book.status).toBe('ACTIVE');
    }
  });
});

const KILLS = 3;
const MERCHANTS_AT_ONCE = 4;
const REQUESTS = 24;
/** Every third request is a bulk creation of this size. */
const BULK = 4;

const pay = async (to: any, paying: object = {}) => {
  const { status, body } = await gateway.rail.pay({ entity: '00999', reference: to.reference }, paying);
  expect(status, JSON.stringify(body)).toBe(201);
};
const readMoney = (reference: string) =>
  gateway.sql(
    `select t.amount_minor::int as minor from transactions t join payments p on p.id = t.payment_id where reference = $1`,
    [reference],
  );
const untilNotified = (reference: string) =>
  until(async () => {
    const { referencePayments } = await gateway.rail.books(reference);
    return referencePayments.every(({ notified }) => notified === 1);
  }, 'the rail being answered');
const inbox = () => gateway.sql(`select outcome from inbox where rail = 'ppr' and applied_at is null`);

test('a stored rail notification is applied after the restart, although the rail is unreachable', async () => {
  const made = await gateway.createPayable();
  const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
  await pay(made);
  await untilNotified(made.reference);
  expect(await inbox()).toEqual([{ outcome: null }]);
  await gateway.child().kill();
  await release();
  await gateway.rail.calls.stop();
  await gateway.restart(AFTER_LEASE_MS);
  await until(async () => (await gateway.read(made.reference)).status === 'Paid', 'Paid');
  await gateway.rail.calls.start();
});

test('money is recorded once if the kill interrupts its recording', async () => {
  const made = await gateway.createPayable({ amount: 0, referenceType: 'Charging' });
  const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
  await pay(made, { amount: '700.00' });
  await until(async () => (await countWaits('insert into%events')) === 1, 'it being written');
  await gateway.child().kill();
  await release();
  await gateway.restart(AFTER_LEASE_MS);
  await until(async () => (await gateway.read(made.reference)).amountPaid === 700, 'the money');
  expect(await readMoney(made.reference)).toEqual([{ minor: 70_000 }]);
});

test('a rail notification that was applied without a response changes nothing when the rail repeats it', async () => {
  const { notifications } = gateway.rail;
  const made = await gateway.createPayable({ amount: 0, referenceType: 'Charging' });
  notifications.holdAt('answer');
  await pay(made, { amount: '700.00' });
  await until(() => notifications.held() === 1, 'the answer being held');
  await until(async () => (await gateway.read(made.reference)).amountPaid === 700, 'the money');
  await gateway.child().kill();
  notifications.holdAt(null);
  notifications.cut();
  const revision = 'select revision from payments where reference = $1';
  const before = await gateway.sql(revision, [made.reference]);
  await gateway.restart(AFTER_LEASE_MS);
  await untilNotified(made.reference);
  expect((await gateway.rail.books(made.reference)).referencePayments).toMatchObject([{ notifications: 2 }]);
  expect(await gateway.sql(revision, [made.reference])).toEqual(before);
  expect(await readMoney(made.reference)).toEqual([{ minor: 70_000 }]);
});

test('money without a notification during the outage is found in the payment list after the restart', async () => {
  const made = await gateway.createPayable();
  await gateway.child().kill();
  await pay(made, { fault: 'lost' });
  await gateway.restart(AFTER_SWEEP_MS);
  await until(async () => (await gateway.read(made.reference)).status === 'Paid', 'Paid');
});

type Made = { path: string; request: CallOptions; created: Reply };

const readMade = ({ created: { json } }: Made): any[] => json.data ?? [json];

/** Sends the requests of the shared list, each until a node acknowledges it. */
async function createAll(nths: Iterator<number>, made: Made[]): Promise<void> {
  for (let next = nths.next(); !next.done; next = nths.next()) {
    const one = { amount: 1500, referenceType: next.value % 2 ? 'Charging' : 'Dynamic' };
    const isBulk = next.value % 3 === 0;
    const body = isBulk ? { references: Array(BULK).fill(one) } : one;
    const path = isBulk ? `${PPR}/bulk` : PPR;
    const request = { body, headers: { 'idempotency-key': randomUUID() } };
    made.push({ path, request, created: await gateway.merchant.insist(path, request) });
  }
}

/** Pays every reference at a cash machine until the rail accepts it. The merchant cancels every fourth reference. */
async function payAll(made: Made[], isOver: () => boolean, canceled: Set<string>): Promise<void> {
  const done = new Set<string>();
  for (let nth = 0; !isOver() || done.size < made.flatMap(readMade).length; nth++) {
    const waiting = made.flatMap(readMade).filter(({ reference }) => !done.has(reference));
    const next = waiting[nth % Math.max(1, waiting.length)];
    if (!next) await until(() => isOver() || made.flatMap(readMade).length > done.size, 'another reference');
    if (!next) continue;
    const { entity, reference } = next;
    if (nth % 4 === 0) {
      canceled.add(reference);
      void gateway.merchant.insist(`${PPR}/${reference}/cancel`, { method: 'POST' }).catch(() => {});
    }
    const { status, body } = await gateway.rail.pay({ entity, reference });
    if (status === 201 || body.code === 'REFERENCE_WITHDRAWN') done.add(reference);
    // The merchant may have canceled the reference first.
    else if (canceled.has(reference)) done.add(reference);
  }
}

/** Kills the gateway after some more rail calls, at a random point of its other work. */
async function killAtRandom(isDone: () => boolean): Promise<void> {
  const { calls, notifications } = gateway.rail;
  const watched = randomInt(2) ? calls.seen : notifications.seen;
  const enough = watched.length + randomInt(1, 8);
  await until(() => watched.length >= enough || isDone(), 'the next kill');
  await gateway.child().kill();
  await gateway.restart(AFTER_LEASE_MS);
}

test(`${REQUESTS} references exist and are paid exactly once after ${KILLS} kills`, async () => {
  const made: Made[] = [];
  const canceled = new Set<string>();
  const nths = Array.from({ length: REQUESTS }, (_, nth) => nth).values();
  let isDone = false;
  const creating = Promise.all(Array.from({ length: MERCHANTS_AT_ONCE }, () => createAll(nths, made)));
  const paying = payAll(made, () => isDone, canceled);
  const killing = (async () => {
    for (let nth = 0; nth < KILLS; nth++) await killAtRandom(() => isDone);
  })();
  await creating;
  isDone = true;
  await killing;
  await paying;
  await gateway.child().kill();
  await gateway.restart(AFTER_SWEEP_MS);
  await gateway.expectTruth();

  expect(made.map(({ created }) => created.status)).toEqual(Array(REQUESTS).fill(201));
  const ids = made.flatMap(readMade).map(({ internalId }) => internalId);
  expect(new Set(ids).size).toBe((REQUESTS / 3) * (BULK + 2));
  for (const { path, request, created } of made) {
    const again = await gateway.merchant.call(path, request);
    expect({ status: again.status, ids: madeIdsOf(again) }).toEqual({ status: 201, ids: madeIdsOf(created) });
  }
  const [{ count }] = await gateway.sql(
    `select count(*)::int as count from payments where created_at >= (
    select min(created_at) from payments where id = any($1))`,
    [ids],
  );
  expect(count).toBe(ids.length);
  const paid = await gateway.sql(`select from payments where id = any($1) and status = 'Paid'`, [ids]);
  expect(paid.length).toBeGreaterThan(0);
});
