// kill -9 of the server around the news of money: stored and not applied, being settled, settled and not answered; and at random.
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until, type CallOptions, type Reply } from '../../../support/app.ts';
import { killChildren } from '../../../support/child.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { PPR } from '../../../support/ppr.ts';
import { AFTER_LEASE_MS, AFTER_SWEEP_MS, startPprGateway, type PprGateway } from '../../../support/ppr-gateway.ts';

const KILLS = 3;
const MERCHANTS_AT_ONCE = 4;
const REQUESTS = 24;
/** Every third request is a bulk of so many. */
const BULK = 4;

let gateway: PprGateway;
beforeAll(async () => {
  gateway = await startPprGateway();
});
afterEach(() => gateway.expectTruth());
afterAll(async () => {
  await killChildren();
});

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
  until(
    async () => {
      const { referencePayments } = await gateway.rail.books(reference);
      return referencePayments.every(({ notified }) => notified === 1);
    },
    'the rail being answered',
    30_000,
  );
const countWaits = (text: string) => countWaiting(gateway.databaseUrl, text);
const inbox = () => gateway.sql(`select outcome from inbox where rail = 'ppr' and applied_at is null`);

test('news that was stored, answered and not applied is applied after the restart, though the rail cannot be asked', async () => {
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

test('money that was being settled is settled once', async () => {
  const made = await gateway.createPayable({ amount: 0, referenceType: 'Charging' });
  const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
  await pay(made, { amount: '700.00' });
  await until(async () => (await countWaits('insert into%events')) === 1, 'it being written');
  await gateway.child().kill();
  await release();
  await gateway.restart(AFTER_LEASE_MS);
  await until(async () => (await gateway.read(made.reference)).amountPaid === 700, 'the money', 30_000);
  expect(await readMoney(made.reference)).toEqual([{ minor: 70_000 }]);
});

test('news that was settled and whose answer was lost changes nothing when it is repeated', async () => {
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

test('money taken while nobody is there, told to nobody, is found in the rail’s list after the restart', async () => {
  const made = await gateway.createPayable();
  await gateway.child().kill();
  await pay(made, { fault: 'lost' });
  await gateway.restart(AFTER_SWEEP_MS);
  await until(async () => (await gateway.read(made.reference)).status === 'Paid', 'Paid', 30_000);
});

type Made = { path: string; request: CallOptions; created: Reply };

const readMade = ({ created: { json } }: Made): any[] => json.data ?? [json];

/** One request after the other from the shared list, each until it is acknowledged. */
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

/** Somebody stands at a machine with every reference, until it is taken; every fourth one's merchant cancels it meanwhile. */
async function payAll(made: Made[], isOver: () => boolean, canceled: Set<string>): Promise<void> {
  const done = new Set<string>();
  for (let nth = 0; !isOver() || done.size < made.flatMap(readMade).length; nth++) {
    const waiting = made.flatMap(readMade).filter(({ reference }) => !done.has(reference));
    const next = waiting[nth % Math.max(1, waiting.length)];
    if (!next) await until(() => isOver() || made.flatMap(readMade).length > done.size, 'another reference', 30_000);
    if (!next) continue;
    const { entity, reference } = next;
    if (nth % 4 === 0) {
      canceled.add(reference);
      void gateway.merchant.insist(`${PPR}/${reference}/cancel`, { method: 'POST' }).catch(() => {});
    }
    const { status, body } = await gateway.rail.pay({ entity, reference });
    if (status === 201 || body.code === 'REFERENCE_WITHDRAWN') done.add(reference);
    // Not yet, or never, when its merchant was first.
    else if (canceled.has(reference)) done.add(reference);
  }
}

/** Kills when some more has come by, wherever the rest of its work is then. */
async function killAtRandom(isDone: () => boolean): Promise<void> {
  const { calls, notifications } = gateway.rail;
  const watched = randomInt(2) ? calls.seen : notifications.seen;
  const enough = watched.length + randomInt(1, 8);
  await until(() => watched.length >= enough || isDone(), 'the next kill', 30_000);
  await gateway.child().kill();
  await gateway.restart(AFTER_LEASE_MS);
}

test(`${REQUESTS} creations and their payers survive ${KILLS} kills: each exists once, and what the rail took is recorded once`, async () => {
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
    expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: created.text });
  }
  const [{ count }] = await gateway.sql(
    `select count(*)::int as count from payments where created_at >= (
    select min(created_at) from payments where id = any($1))`,
    [ids],
  );
  expect(count).toBe(ids.length);
  const paid = await gateway.sql(`select from payments where id = any($1) and status = 'Paid'`, [ids]);
  expect(paid.length).toBeGreaterThan(0);
}, 120_000);
