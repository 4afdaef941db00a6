// Shifts under concurrent requests on two nodes: one open shift, one close, and each movement in one place.
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { travelToStatus } from '../../support/payments.ts';
import { byHand, notifyRefund, readRefund, refund } from '../../support/refunds.ts';
import {
  addCashier,
  charge,
  chargePending,
  closeShift,
  expectShiftsAgree,
  openShift,
  readShift,
  setTakesCash,
  type Cashier,
} from '../../support/shifts.ts';
import { DEMO } from '../../../sandbox/seed.ts';

const { merchantId } = DEMO;

let app: TestApp;
let twin: TestApp;
let owner: Cashier;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
  twin = await app.startTwin();
  owner = await addCashier(app, merchantId, 'Owner');
  await app.call(`/api/merchants/${merchantId}`, { method: 'PUT', body: { cashierRefundLimit: 10_000_000 } });
});
afterEach(() => expectShiftsAgree(app, owner));

const nodeOf = (nth: number) => (nth % 2 ? twin : app);
const cashierOf = () => addCashier(app, merchantId);

describe('two persons', () => {
  test('close one shift once: the second gets 409 shift_closed', async () => {
    const [cashier, administrator] = [await cashierOf(), await addCashier(app, merchantId, 'Administrator')];
    const { id } = await openShift(cashier);
    const release = await holdLock(app.databaseUrl, `select from shifts where id = '${id}' for update`);
    const closing = [closeShift(cashier, id, {}, app), closeShift(administrator, id, {}, twin)];
    await until(async () => (await countWaiting(app.databaseUrl, '%from shifts%')) === 2, 'both waiting');
    await release();
    const replies = await Promise.all(closing);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [closed, refused] = replies.toSorted((one, other) => one.status - other.status);
    expect(refused!.json.code).toBe('shift_closed');
    expect(await readShift(cashier, id)).toEqual(closed!.json);
  });
});

describe('one cashier on two devices', () => {
  test('opens one shift by concurrent requests, of which one returns 201 and the others 200', async () => {
    const cashier = await cashierOf();
    const open = (nth: number) => cashier.call('/api/shifts', { body: {} }, nodeOf(nth));
    const replies = await Promise.all(Array.from({ length: 8 }, (_, nth) => open(nth)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1);
    expect(await app.sql('select from shifts where user_id = $1', [cashier.userId])).toHaveLength(1);
  });

  test('charges on both in the same shift', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const charges = [100, 250].map((minor, nth) => chargePending(app, cashier, minor, nodeOf(nth)));
    await Promise.all((await Promise.all(charges)).map(({ approve }, nth) => approve(nodeOf(nth + 1))));
    expect((await readShift(cashier, id)).taken).toMatchObject([{ method: 'push', count: 2, amount: 3.5 }]);
  });
});

describe('a close', () => {
  test('waits for money that is being recorded, and counts it', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const { payment, approve } = await chargePending(app, cashier, 1_234);
    // The trigger on transactions takes this lock after the transaction has locked the shift.
    const settlement = `hashtextextended('settlement ${merchantId} gpo 20 AOA', 0)`;
    const release = await holdLock(app.databaseUrl, `select pg_advisory_xact_lock(${settlement})`);
    const money = approve(twin);
    await until(async () => (await countWaiting(app.databaseUrl, '%insert into transactions%')) === 1, 'the money');
    const closing = closeShift(cashier, id);
    await until(async () => (await countWaiting(app.databaseUrl, '%from shifts%')) === 1, 'the close');
    await release();
    await money;
    expect((await closing).json).toMatchObject({ taken: [{ amount: 12.34 }], pending: { count: 0 } });
    expect(await readShift(cashier, id)).toEqual((await closing).json);
    expect(await countingShiftOf(payment.id)).toBe(id);
  });

  test('does not count money that waits for it', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const { payment, approve } = await chargePending(app, cashier, 1_234);
    // The close writes its audit entry last.
    const release = await holdLock(app.databaseUrl, 'lock table audit_entries in exclusive mode');
    const closing = closeShift(cashier, id);
    await until(async () => (await countWaiting(app.databaseUrl, '%audit_entries%')) === 1, 'the close');
    const money = approve(twin);
    await until(async () => (await countWaiting(app.databaseUrl, '%for share%')) === 1, 'the money');
    await release();
    await money;
    expect((await closing).json).toMatchObject({ taken: [], pending: { count: 1, amount: 12.34 } });
    expect(await readShift(cashier, id)).toEqual((await closing).json);
    expect(await countingShiftOf(payment.id)).toBeNull();
  });

  test('does not count a refund that waits for it on another node', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const { payment, approve } = await chargePending(app, cashier, 5_000);
    await approve();
    const release = await holdLock(app.databaseUrl, 'lock table audit_entries in exclusive mode');
    const closing = closeShift(cashier, id);
    await until(async () => (await countWaiting(app.databaseUrl, '%audit_entries%')) === 1, 'the close');
    const back = refund(twin, payment.id, byHand({ amount: 10 }), { token: await cashier.tokenFor(twin) });
    await until(async () => (await countWaiting(app.databaseUrl, '%audit_entries%')) === 2, 'the refund');
    await release();
    expect((await closing).json).toMatchObject({ refunded: [], totals: { taken: 50, refunded: 0, net: 50 } });
    const { json } = await back;
    expect(json).toMatchObject({ status: 'Succeeded', shiftId: id });
    const [row] = await app.sql('select counted_shift_id from refunds where id = $1', [json.id]);
    expect(row.counted_shift_id).toBeNull();
    expect(await readShift(cashier, id)).toEqual((await closing).json);
  });

  test('does not count a refund whose approval by the rail waits for it on another node', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const payment = await charge(cashier, '900000000');
    await travelToStatus(app, payment.id, 'Paid');
    // The rail keeps refunds of this amount pending for a day.
    const token = await cashier.tokenFor(app);
    const { json: sent } = await refund(app, payment.id, { amount: 900.03 }, { token });
    await until(async () => (await readRefund(app, sent.id)).status === 'Processing', 'its status being Processing');
    const release = await holdLock(app.databaseUrl, 'lock table audit_entries in exclusive mode');
    const closing = closeShift(cashier, id);
    await until(async () => (await countWaiting(app.databaseUrl, '%audit_entries%')) === 1, 'the close');
    const approval = notifyRefund(twin, sent.id, { amount: '900.03' });
    await until(async () => (await countWaiting(app.databaseUrl, '%for share%')) === 1, 'the refund');
    await release();
    expect(await approval).toBe('applied');
    expect((await closing).json).toMatchObject({ refunded: [], totals: { taken: 1_500, refunded: 0, net: 1_500 } });
    const [row] = await app.sql('select status, shift_id, counted_shift_id from refunds where id = $1', [sent.id]);
    expect(row).toEqual({ status: 'Succeeded', shift_id: id, counted_shift_id: null });
    expect(await readShift(cashier, id)).toEqual((await closing).json);
  });

  test('refuses cash that waits for it, and counts cash that was recorded before', async () => {
    await setTakesCash(app, merchantId, true);
    const cashier = await cashierOf();
    const { id } = await openShift(cashier, { openingCash: 10 });
    const cash = (nth: number) =>
      cashier.call(`/api/shifts/${id}/cash`, { body: { kind: 'sale', amount: 1 } }, nodeOf(nth));
    const sales = Array.from({ length: 8 }, (_, nth) => cash(nth));
    const closed = await closeShift(cashier, id, { countedCash: 10 }, twin);
    const recorded = (await Promise.all(sales)).filter(({ status }) => status === 201).length;
    const refused = (await Promise.all(sales)).filter(({ json }) => json.code === 'shift_closed').length;
    expect(recorded + refused).toBe(8);
    expect(closed.json.cash).toMatchObject({ sales: recorded, expected: 10 + recorded, difference: -recorded });
    await setTakesCash(app, merchantId, false);
  });
});

async function countingShiftOf(paymentId: string): Promise<string | null> {
  const [row] = await app.sql('select shift_id from transactions where payment_id = $1', [paymentId]);
  return row.shift_id;
}

type Step = { kind: 'open' | 'close' | 'charge' | 'approve' | 'refund'; who: number; which: number; minor: number };

test('after random concurrent histories the sums equal the movements, and closed shifts never change', async () => {
  const step = fc.record<Step>({
    kind: fc.constantFrom('open', 'close', 'charge', 'charge', 'approve', 'approve', 'refund'),
    who: fc.nat(1),
    which: fc.nat(50),
    minor: fc.integer({ min: 100, max: 99_999 }),
  });
  const history = fc.array(fc.array(step, { minLength: 3, maxLength: 6 }), { minLength: 4, maxLength: 6 });
  const run = async (rounds: Step[][]) => {
    const cashiers = [await cashierOf(), await cashierOf()];
    const pending: Awaited<ReturnType<typeof chargePending>>[] = [];
    const paid: string[] = [];
    const closed = new Map<string, { cashier: Cashier; shift: unknown }>();
    const take = async ({ kind, who, which, minor }: Step, nth: number): Promise<void> => {
      const cashier = cashiers[who] as Cashier;
      const node = nodeOf(nth);
      if (kind === 'open') await cashier.call('/api/shifts', { body: {} }, node);
      if (kind === 'charge') pending.push(await chargePending(app, cashier, minor, node));
      if (kind === 'approve') {
        const [one] = pending.splice(which % Math.max(pending.length, 1), 1);
        await one?.approve(node);
        if (one) paid.push(one.payment.id);
      }
      const id = kind === 'refund' && paid[which % Math.max(paid.length, 1)];
      if (id) await refund(node, id, byHand({ amount: 0.5 }), { token: await cashier.tokenFor(node) });
      if (kind !== 'close') return;
      const { shift } = (await cashier.call('/api/shifts/current', {}, node)).json;
      const reply = shift && (await closeShift(cashier, shift.id, {}, node));
      if (reply?.status === 200) closed.set(shift.id, { cashier, shift: reply.json });
    };
    for (const steps of rounds) await Promise.all(steps.map(take));
    for (const { approve } of pending) await approve();
    await expectShiftsAgree(app, owner);
    for (const [id, { cashier, shift }] of closed) expect(await readShift(cashier, id)).toEqual(shift);
    for (const { call } of cashiers) {
      const { shift } = (await call('/api/shifts/current')).json;
      if (shift) await call(`/api/shifts/${shift.id}/close`, { body: {} });
    }
  };
  await fc.assert(fc.asyncProperty(history, run), { numRuns: 6, seed: 20_261_129 });
});

test('a charge succeeds while the shift of its cashier closes', async () => {
  const cashier = await cashierOf();
  const { id } = await openShift(cashier);
  const [payment, closed] = await Promise.all([charge(cashier, '900000000', {}, twin), closeShift(cashier, id)]);
  expect(closed.status).toBe(200);
  expect([id, null]).toContain(payment.shiftId);
});
