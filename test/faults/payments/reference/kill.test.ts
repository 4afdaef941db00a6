// kill -9 of the server around what the rail is told of a reference: after a restart the rail knows it, once, and nothing is lost.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until, type CallOptions, type Reply } from '../../../support/app.ts';
import { killChildren } from '../../../support/child.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { digits, PPR } from '../../../support/ppr.ts';
import { AFTER_LEASE_MS, AFTER_SWEEP_MS, startPprGateway, type PprGateway } from '../../../support/ppr-gateway.ts';
import type { HoldPoint } from '../../../support/proxy.ts';

let gateway: PprGateway;
beforeAll(async () => {
  gateway = await startPprGateway();
});
afterEach(async () => {
  gateway.rail.calls.holdAt(null);
  gateway.rail.calls.cut();
  await gateway.expectTruth();
});
afterAll(async () => {
  await killChildren();
});

type Asked = [path: string, options: CallOptions];

const creationOf = (body: object): Asked => [PPR, { body, headers: { 'idempotency-key': randomUUID() } }];
const cancelOf = (reference: string): Asked => [
  `${PPR}/${reference}/cancel`,
  { method: 'POST', headers: { 'idempotency-key': randomUUID() } },
];
const countWaits = (text: string) => countWaiting(gateway.databaseUrl, text);

/** Asks, and kills the server when what it tells the rail is at the point; that stays held. */
async function killWhileTelling(point: HoldPoint, asked: Asked): Promise<Reply> {
  const { calls } = gateway.rail;
  calls.holdAt(point);
  const reply = await gateway.merchant.call(...asked);
  await until(() => calls.held() === 1, 'the rail being called');
  await gateway.child().kill();
  calls.holdAt(null);
  return reply;
}

/** The same request again is answered as the first time. */
async function expectReplayed(asked: Asked, { status, text }: Reply): Promise<void> {
  const again = await gateway.merchant.call(...asked);
  expect({ status: again.status, text: again.text }).toEqual({ status, text });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
}

const untilKnown = (reference: string) =>
  until(async () => (await gateway.read(reference)).registeredAt, 'the rail knowing it', 30_000);
const tryToPay = async (reference: string) => {
  const { status, body } = await gateway.rail.pay({ entity: '00999', reference });
  return status === 201 ? '201' : body.code;
};

describe('a creation that was committed and answered', () => {
  test('and not told to the rail is told after the restart, once', async () => {
    const asked = creationOf({ amount: 1500 });
    const made = await killWhileTelling('request', asked);
    gateway.rail.calls.cut();
    const { reference } = made.json;
    expect(await gateway.book(reference)).toBeUndefined();
    await gateway.restart(AFTER_LEASE_MS);
    await untilKnown(reference);
    expect(await gateway.book(reference)).toMatchObject({ status: 'ACTIVE', calls: 1 });
    await expectReplayed(asked, made);
    expect(await gateway.readSteps(reference)).toEqual(['payment.created', 'reference.registered']);
  });

  test('and reaches the rail a second time after the restart has told it is one there', async () => {
    const made = await killWhileTelling('request', creationOf({ amount: 1500 }));
    const { reference } = made.json;
    await gateway.restart(AFTER_LEASE_MS);
    await untilKnown(reference);
    gateway.rail.calls.release();
    await until(async () => (await gateway.book(reference))?.calls === 2, 'the first call arriving');
    expect((await gateway.rail.books(reference)).references).toMatchObject([{ status: 'ACTIVE', calls: 2 }]);
  });

  test('and that the rail has, which nobody recorded, is recorded', async () => {
    const made = await killWhileTelling('answer', creationOf({ amount: 1500 }));
    gateway.rail.calls.cut();
    const { reference } = made.json;
    expect(await gateway.book(reference)).toMatchObject({ status: 'ACTIVE' });
    await gateway.restart(AFTER_LEASE_MS);
    await untilKnown(reference);
    expect((await gateway.rail.books(reference)).references).toMatchObject([{ status: 'ACTIVE', calls: 2 }]);
    expect(await gateway.readSteps(reference)).toEqual(['payment.created', 'reference.registered']);
  });

  test('whose registration could not be written is recorded after the restart', async () => {
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

  test('and is canceled before the rail gets it: whatever arrives later, its machines refuse it', async () => {
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

  test('and is paid at the rail before anybody recorded that it can be: Paid', async () => {
    gateway.rail.notifications.holdAt('request');
    const made = await killWhileTelling('answer', creationOf({ amount: 1500 }));
    gateway.rail.calls.cut();
    const { reference } = made.json;
    expect(await tryToPay(reference)).toBe('201');
    await until(() => gateway.rail.notifications.held() === 1, 'the news being on its way');
    gateway.rail.notifications.holdAt(null);
    await gateway.restart(AFTER_LEASE_MS);
    gateway.rail.notifications.release();
    await until(async () => (await gateway.read(reference)).status === 'Paid', 'Paid', 30_000);
    await gateway.expectTruth();
    expect(await tryToPay(reference)).toBe('REFERENCE_PAID');
  });
});

test('a creation whose answer never came is there when it is asked for again', async () => {
  const asked = creationOf({ amount: 1500, reference: digits() });
  const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
  const lost = gateway.merchant.call(...asked).catch(() => 'broken');
  await until(async () => (await countWaits('with creation as')) === 1, 'it being written');
  await gateway.child().kill();
  expect(await lost).toBe('broken');
  // Its statement is its own commit: the database goes on with it, although nobody waits for it any more.
  await release();
  await gateway.restart(AFTER_LEASE_MS);
  const made = await gateway.merchant.call(...asked);
  expect(made.status).toBe(201);
  await untilKnown(made.json.reference);
  expect(await gateway.sql('select from payments where reference = $1', [made.json.reference])).toHaveLength(1);
});

describe('a cancel that was answered', () => {
  test.each([
    { point: 'request', name: 'and not told to the rail' },
    { point: 'answer', name: 'and done by the rail, which nobody recorded' },
  ] as const)('$name: after the restart its machines refuse it, and it is withdrawn once', async ({ point }) => {
    const { reference } = await gateway.createPayable();
    const asked = cancelOf(reference);
    const canceled = await killWhileTelling(point, asked);
    gateway.rail.calls.cut();
    expect(canceled).toMatchObject({ status: 200, json: { status: 'Canceled', referenceStatus: 'Canceled' } });
    await gateway.restart(AFTER_LEASE_MS);
    await until(
      async () => (await gateway.readSteps(reference)).includes('reference.withdrawn'),
      'the withdrawal',
      30_000,
    );
    expect(await tryToPay(reference)).toBe('REFERENCE_WITHDRAWN');
    await expectReplayed(asked, canceled);
  });

  test('and is paid all the same before the rail learns it: Paid, late', async () => {
    const { reference } = await gateway.createPayable();
    await killWhileTelling('request', cancelOf(reference));
    gateway.rail.calls.cut();
    expect(await tryToPay(reference)).toBe('201');
    await gateway.restart(AFTER_SWEEP_MS);
    await until(async () => (await gateway.read(reference)).status === 'Paid', 'Paid', 30_000);
    const { json } = await gateway.merchant.call(`/api/payments/${reference}`);
    expect(json).toMatchObject({ amountPaid: 1500, transactions: [{ late: true }] });
  });
});

describe('a bulk', () => {
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

  test('that is being written is not there after the kill, and is made whole when it is asked for again', async () => {
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

  test('whose registrations the kill interrupts is registered to the last one', async () => {
    const { calls } = gateway.rail;
    const asked = bulkOf(Array.from({ length: 60 }, () => ({ amount: 10, reference: digits() })));
    const from = calls.seen.length;
    const made = await gateway.merchant.call(...asked);
    expect(made.status).toBe(201);
    await until(() => calls.seen.length - from >= 20, 'some being told');
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
