// A node is killed with kill -9 while it replaces a refused payment by a payment reference.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until, type Reply } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { expectOnePayable, replaceable } from '../../support/fallback.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { AFTER_LEASE_MS, startPprGateway, type PprGateway } from '../../support/ppr-gateway.ts';

/** A test number that refuses a push after one second. */
const REFUSER = '900000001';

let gateway: PprGateway;
/** One refused payment for each test, refused together because each refusal takes a second. */
let ready: Made[];
beforeAll(async () => {
  gateway = await startPprGateway();
  ready = await Promise.all(Array.from({ length: 4 }, createRefused));
});
afterEach(async () => {
  gateway.rail.calls.holdAt(null);
  gateway.rail.calls.cut();
  await gateway.expectTruth();
});
afterAll(async () => {
  await killChildren();
});

type Made = { id: string; clientToken: string };

const readPayment = async (id: string) => (await gateway.merchant.insist(`/api/payments/${id}`)).json;

async function createRefused(): Promise<Made> {
  const { json } = await gateway.merchant.insist('/api/payments', { body: replaceable() });
  const body = { phoneNumber: REFUSER };
  await gateway.merchant.insist(`/checkout/${json.clientToken}/pay`, { body, token: null });
  await until(async () => (await readPayment(json.id)).failure, 'the refusal');
  return json;
}

function takeRefused(): Made {
  const refused = ready.pop();
  if (!refused) throw new Error('more tests than payments');
  return refused;
}

const tap = ({ clientToken }: Made): Promise<Reply> =>
  gateway.merchant.call(`/checkout/${clientToken}/reference`, { method: 'POST', token: null });

/** Expects that a repeated tap after the restart leads to one payable payment. */
async function expectLedOn(first: Made, before?: Reply): Promise<void> {
  const again = await tap(first);
  expect(again.status).toBe(201);
  if (before) expect(again.json.clientToken).toBe(before.json.clientToken);
  const { reference } = again.json.session;
  await until(async () => (await gateway.read(reference)).registeredAt, 'the rail knowing it');
  const chains = await expectOnePayable(gateway);
  expect(chains.at(-1)).toMatchObject({ first: 'Canceled', second: 'Pending' });
  expect(await gateway.sql('select from payments where replaces_id = $1', [first.id])).toHaveLength(1);
  const { status } = await gateway.rail.pay({ entity: '00999', reference });
  expect(status).toBe(201);
  await until(async () => (await gateway.read(reference)).status === 'Paid', 'Paid');
}

describe('a switch to a reference that is killed before its commit', () => {
  test.each([
    ['while the refused payment is canceled', 'events', 'update "payments"'],
    ['while the new payment is inserted', 'payment_references', 'with creation as'],
  ])('%s changes nothing', async (_when, table, statement) => {
    const first = takeRefused();
    const release = await holdLock(gateway.databaseUrl, `lock table ${table} in exclusive mode`);
    const lost = tap(first).catch(() => 'broken');
    await until(async () => (await countWaiting(gateway.databaseUrl, statement)) === 1, 'it being written');
    await gateway.child().kill();
    expect(await lost).toBe('broken');
    await release();
    await gateway.restart(0);
    expect(await readPayment(first.id)).toMatchObject({ status: 'Pending', replacedBy: null });
    expect(await gateway.sql('select from payments where replaces_id = $1', [first.id])).toEqual([]);
    await expectLedOn(first);
  });
});

describe('a switch to a reference that is killed after its commit', () => {
  test.each(['request', 'answer'] as const)(
    'registers the reference after the restart (killed at the %s)',
    async (point) => {
      const first = takeRefused();
      gateway.rail.calls.holdAt(point);
      const tapped = await tap(first);
      expect(tapped.status).toBe(201);
      await until(() => gateway.rail.calls.held() === 1, 'the rail being called');
      await gateway.child().kill();
      gateway.rail.calls.holdAt(null);
      gateway.rail.calls.cut();
      await gateway.restart(AFTER_LEASE_MS);
      await expectLedOn(first, tapped);
    },
  );
});
