import { afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../support/app.ts';
import { AFTER_LEASE_MS, startGateway, type Gateway } from '../../../support/gateway.ts';
import { holdLock } from '../../../support/locks.ts';
import { purchase } from '../../../support/payments.ts';
import { madeIdsOf } from '../../../support/repeats.ts';
import { byHand, expectRefundsAgree } from '../../../support/refunds.ts';

let gateway: Gateway;
/** One payment for each test. The simulated payers approve all of them at the same time. */
let ready: Paid[];
beforeAll(async () => {
  gateway = await startGateway();
  ready = await Promise.all(Array.from({ length: 7 }, createPaid));
});
afterEach(async () => {
  gateway.rail.calls.holdAt(null);
  gateway.rail.calls.cut();
  await expectRefundsAgree(gateway);
});

type Paid = { id: string; reference: string };

async function createPaid(): Promise<Paid> {
  const { json } = await gateway.merchant.insist('/api/payments', { body: purchase('900000000') });
  await until(async () => (await readPayment(json)).status === 'Paid', 'Paid');
  return json;
}

function takePaid(): Paid {
  const paid = ready.pop();
  if (!paid) throw new Error('more tests than payments');
  return paid;
}

const readPayment = async ({ id }: Paid) => (await gateway.merchant.insist(`/api/payments/${id}`)).json;
const refundsOf = async ({ id }: Paid) => (await gateway.merchant.insist(`/api/payments/${id}/refunds`)).json.data;
const railOf = async ({ reference }: Paid) => (await gateway.rail.allBooks(reference)).refunds;
const ask = ({ id }: Paid, body: object = {}, key = crypto.randomUUID()) =>
  gateway.merchant.call(`/api/payments/${id}/refunds`, { body, headers: { 'Idempotency-Key': key } });

/** Expects that the refund succeeded once, in the gateway and at the rail. */
async function expectOnce(paid: Paid, amount = 1500): Promise<void> {
  await until(async () => (await refundsOf(paid))[0]?.status === 'Succeeded', 'the refund');
  expect(await refundsOf(paid)).toMatchObject([{ amount, status: 'Succeeded', late: false }]);
  expect(await railOf(paid)).toMatchObject([{ status: 'APPROVED', amount: amount.toFixed(2) }]);
  expect(await readPayment(paid)).toMatchObject({ status: 'Paid', amountRefunded: amount });
}

test.each(['request', 'answer'] as const)(
  'a refund is made once if the kill loses the %s of its rail call',
  async (point) => {
    const paid = takePaid();
    gateway.rail.calls.holdAt(point);
    expect((await ask(paid)).status).toBe(201);
    await until(() => gateway.rail.calls.held() === 1, 'the call of the rail');
    await gateway.child().kill();
    gateway.rail.calls.holdAt(null);
    gateway.rail.calls.cut();
    await gateway.restart(AFTER_LEASE_MS);
    await expectOnce(paid);
  },
);

test('a refund is made once if its first request reaches the rail after the repeated request', async () => {
  const paid = takePaid();
  gateway.rail.calls.holdAt('request');
  await ask(paid, { amount: 300 });
  await until(() => gateway.rail.calls.held() === 1, 'the call of the rail');
  await gateway.child().kill();
  gateway.rail.calls.holdAt(null);
  await gateway.restart(AFTER_LEASE_MS);
  await until(async () => (await railOf(paid)).length === 1, 'the repeated refund');
  gateway.rail.calls.release();
  await expectOnce(paid, 300);
});

test('a refund that the rail decides while the node is down is found after the restart', async () => {
  const paid = takePaid();
  await ask(paid);
  await until(async () => (await refundsOf(paid))[0].status !== 'Pending', 'its status being Processing');
  await gateway.child().kill();
  await gateway.restart(AFTER_LEASE_MS);
  await expectOnce(paid);
});

test.each([
  ['through the rail', {}],
  ['by hand', byHand()],
])(
  'a refund %s that is killed before its commit leaves nothing, and a repeat with its key makes the refund',
  async (_name, body) => {
    const paid = takePaid();
    const key = crypto.randomUUID();
    const release = await holdLock(gateway.databaseUrl, `select from payments where id = '${paid.id}' for update`);
    const lost = ask(paid, body, key).catch(() => 'broken');
    await until(async () => (await waiting()) > 0, 'the request waiting for the payment');
    await gateway.child().kill();
    await release();
    expect(await lost).toBe('broken');
    await gateway.restart(0);
    expect(await refundsOf(paid)).toEqual([]);
    const [first, again] = [await ask(paid, body, key), await ask(paid, body, key)];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(madeIdsOf(again)).toEqual(madeIdsOf(first));
    await until(async () => (await refundsOf(paid))[0].status === 'Succeeded', 'the refund');
    expect(await refundsOf(paid)).toHaveLength(1);
  },
);

const waiting = async () =>
  (await gateway.sql(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
    .length;

test('a refund outcome whose recording the kill interrupts is recorded and counted once', async () => {
  const paid = takePaid();
  gateway.rail.calls.holdAt('answer');
  await ask(paid);
  await until(() => gateway.rail.calls.held() === 1, 'the call of the rail');
  const release = await holdLock(gateway.databaseUrl, `select from payments where id = '${paid.id}' for update`);
  gateway.rail.calls.holdAt(null);
  gateway.rail.calls.release();
  await until(async () => (await waiting()) > 0, 'an outcome waiting for the payment');
  await gateway.child().kill();
  await release();
  await gateway.restart(AFTER_LEASE_MS);
  await expectOnce(paid);
});
