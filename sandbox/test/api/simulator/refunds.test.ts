// Refunds at both simulated rails (docs/rail.md). A refund is recorded once and never exceeds the payment.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Charge, RefundOrder } from '../../../../server/providers/provider.ts';
import { payAtRail, referenceOrder } from '../../../../test/support/references.ts';
import {
  eventually,
  REQUEST_FAULTS,
  CLIENT_TIMEOUT_MS,
  openSimulatorFixture,
  type SimulatorFixture,
} from '../../../../test/support/simulator-fixture.ts';

let fixture: SimulatorFixture;
beforeAll(async () => {
  fixture = await openSimulatorFixture();
});
afterEach(() => fixture.call('/faults', {}, 'DELETE'));

const RAILS = ['gpo', 'ppr'] as const;
type Rail = (typeof RAILS)[number];

const PHONE = '+244923456789';
const MONEY = { amountMinor: 150_000, currency: 'AOA' };
const BILL = { ...MONEY, gpoMerchantId: 'M-1', gpoPosId: 'POS-1', description: 'Café', notifyUrl: '' };

let serial = 0;
const bill = () => ({ ...BILL, attemptId: randomUUID(), reference: `PED-${++serial}` });

/** A received transaction, with the digits or reference that identify it in the rail's records. */
type Taken = Charge & { reference: string };

async function push(kind: 'purchase' | 'authorization') {
  const order = { ...bill(), kind, phone: PHONE, wallet: null };
  await fixture.gpo.send(order);
  expect((await fixture.call(`/pushes/${order.attemptId}/approve`, {})).status).toBe(200);
  return { ...order, providerRef: (await fixture.gpo.query(kind, order.attemptId)).providerRef! };
}

const charge = (kind: Charge['kind'], id: string, providerRef: string, reference: string): Taken => ({
  kind,
  id,
  railOrderId: null,
  providerRef,
  amountMinor: 150_000,
  reference,
});

const TAKE = {
  async purchase() {
    const { attemptId, providerRef, reference } = await push('purchase');
    return charge('purchase', attemptId, providerRef, reference);
  },
  async capture() {
    const { attemptId: authorizationId } = await push('authorization');
    const { gpoPosId: _, ...order } = { ...bill(), kind: 'capture' as const, authorizationId };
    const { providerRef } = await fixture.gpo.send({ ...order, gpoPosId: 'POS-1' });
    return charge('capture', order.attemptId, providerRef!, order.reference);
  },
  async qrcode() {
    const order = { ...bill(), type: 'DYNAMIC' as const, maxTransactions: 1 };
    const endDate = new Date(fixture.clock.now().getTime() + 86_400_000);
    const { content } = await fixture.gpo.createQrCode({ ...order, endDate });
    const { body } = await fixture.call('/scans', { content, phone: PHONE });
    return charge('qrcode', order.attemptId, body.transactionId, order.reference);
  },
  async reference() {
    const order = referenceOrder(fixture.clock);
    await fixture.ppr.register(order);
    await payAtRail(fixture.url, order);
    const { payments } = await fixture.ppr.query(order.referenceId);
    return charge('reference', order.referenceId, payments[0]!.providerRef, order.reference);
  },
};
const take = (rail: Rail) => TAKE[rail === 'gpo' ? 'purchase' : 'reference']();

function refundOf(taken: Taken, more: Partial<RefundOrder> = {}): RefundOrder {
  const gpoMerchantId = taken.kind === 'reference' ? '' : 'M-1';
  const [currency, description] = ['AOA', 'Devolução'];
  return {
    attemptId: randomUUID(),
    gpoMerchantId,
    charge: taken,
    amountMinor: 150_000,
    currency,
    description,
    notifyUrl: '',
    ...more,
  };
}

const ask = (rail: Rail, order: RefundOrder) =>
  fixture.refunds[rail].queryRefund({ ...order, railOrderId: null, sentAt: new Date(0) });
const refundsOf = async ({ reference }: Taken) => (await fixture.books(reference)).refunds;
const countTold = (id: string) => fixture.about(id).length;

/** The refunded amount in minor units. */
const sumOf = async (taken: Taken) =>
  (await refundsOf(taken))
    .filter(({ status }: { status: string }) => status === 'APPROVED')
    .reduce((sum: number, { amount }: { amount: string }) => sum + Math.round(Number(amount) * 100), 0);

describe.each(RAILS)('a refund at the %s rail', (rail) => {
  const body = ({ providerRef: transactionId }: Taken, more: object = {}) => ({
    id: randomUUID(),
    merchantId: rail === 'gpo' ? 'M-1' : null,
    transactionId,
    amount: '400.00',
    currency: 'AOA',
    description: null,
    ...more,
  });
  const post = (request: object) => fixture.sign(rail, 'POST', '/v1/refunds', request);

  test('is recorded once for concurrent requests, approved after a second, and part of the statement', async () => {
    const taken = await take(rail);
    const request = body(taken);
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(request)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), 202]);
    const at = fixture.clock.now();
    const terminalId = rail === 'gpo' ? 'POS-1' : null;
    const pending = {
      id: request.id,
      refundedTransactionId: taken.providerRef,
      status: 'PENDING',
      reason: null,
      transactionId: null,
      transactionNumber: null,
      clearingPeriod: null,
      terminalId,
      amount: '400.00',
      currency: 'AOA',
      createdAt: at.toISOString(),
      decidedAt: null,
    };
    for (const answer of answers) expect(answer.body).toEqual(pending);
    const other = rail === 'gpo' ? 'ppr' : 'gpo';
    expect(await fixture.sign(other, 'GET', `/v1/refunds/${request.id}`)).toMatchObject({ status: 404 });
    await fixture.clock.advance(1_000);
    const number = expect.stringMatching(/^\d+$/);
    const approved = {
      ...pending,
      status: 'APPROVED',
      transactionId: expect.stringMatching(/^\d{18}$/),
      transactionNumber: number,
      clearingPeriod: number,
      decidedAt: new Date(at.getTime() + 1_000).toISOString(),
    };
    const decided = await fixture.sign(rail, 'GET', `/v1/refunds/${request.id}`);
    expect(decided).toEqual({ status: 200, body: approved });
    expect(decided.body.transactionId).not.toBe(taken.providerRef);
    expect((await post(request)).body).toEqual(decided.body);
    await eventually(() => countTold(request.id)).toBe(1);
    expect(fixture.about(request.id)).toMatchObject([
      { rail, isSigned: true, json: { type: 'refund', refund: decided.body } },
    ]);
    expect(await refundsOf(taken)).toMatchObject([{ id: request.id, status: 'APPROVED', calls: 7, rail }]);
    expect((await fixture.books(taken.reference)).refundTotals).toEqual([
      { rail, currency: 'AOA', count: 1, amount: '400.00' },
    ]);
  });

  test('is refused with a used id or an unreadable body, without a record', async () => {
    const taken = await take(rail);
    const request = body(taken);
    await post(request);
    for (const change of [{ amount: '1.00' }, { transactionId: '1' }, { merchantId: 'M-2' }, { description: 'X' }])
      expect(await post({ ...request, ...change })).toMatchObject({ status: 409, body: { code: 'REFUND_CHANGED' } });
    for (const change of [{ id: 'x' }, { amount: '1' }, { amount: '0.00' }, { transactionId: 7 }, { currency: 'kz' }])
      expect(await post(body(taken, change))).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    const missing = await fixture.sign(rail, 'GET', `/v1/refunds/${randomUUID()}`);
    expect(missing).toMatchObject({ status: 404, body: { code: 'UNKNOWN_REFUND' } });
    expect((await fixture.sign(rail, 'POST', '/v1/refunds', request, {})).status).toBe(401);
    expect(await refundsOf(taken)).toMatchObject([{ id: request.id, amount: '400.00', calls: 5 }]);
  });

  test('is declined for zero, another currency, or more than the rest', async () => {
    const taken = await take(rail);
    const { refund } = fixture.refunds[rail];
    const refused = (railReason: string) => ({ failureCode: 'issuer_refused', details: { railReason } });
    const nothing = refundOf({ ...taken, providerRef: '1' });
    expect(await refund(nothing)).toMatchObject(refused('TRANSACTION_UNKNOWN'));
    const tooHigh = { result: 'declined', failureCode: 'limit_exceeded' };
    expect(await refund(refundOf(taken, { currency: 'USD' }))).toMatchObject(tooHigh);
    expect(await refund(refundOf(taken, { amountMinor: 150_001 }))).toMatchObject(tooHigh);
    expect(await refund(refundOf(taken, { amountMinor: 100_000 }))).toMatchObject({ result: 'pending' });
    // A pending refund reduces the refundable rest of the payment.
    expect(await refund(refundOf(taken, { amountMinor: 50_001 }))).toMatchObject(tooHigh);
    await fixture.clock.advance(1_000);
    expect(await refund(refundOf(taken, { amountMinor: 50_001 }))).toMatchObject(tooHigh);
    const rest = refundOf(taken, { amountMinor: 50_000 });
    expect(await refund(rest)).toMatchObject({ result: 'pending' });
    await fixture.clock.advance(1_000);
    expect(await ask(rail, rest)).toMatchObject({ result: 'approved', amountMinor: 50_000, currency: 'AOA' });
    expect(await refund(refundOf(taken, { amountMinor: 1 }))).toMatchObject(tooHigh);
    expect(await sumOf(taken)).toBe(150_000);
  });

  test('stays within the payment under concurrent requests', async () => {
    const taken = await take(rail);
    const orders = Array.from({ length: 12 }, () => refundOf(taken, { amountMinor: 40_000 }));
    const outcomes = await Promise.all(orders.map(fixture.refunds[rail].refund));
    expect(outcomes.filter(({ result }) => result === 'pending')).toHaveLength(3);
    await fixture.clock.advance(1_000);
    await Promise.all(orders.map((order) => ask(rail, order)));
    expect(await sumOf(taken)).toBe(120_000);
  });

  /** The amount of a refund selects its outcome, its delay and the number of notifications. */
  const AMOUNTS = [
    [90_001, 1_000, 'declined', 'issuer_refused', 1],
    [90_002, 1_000, 'declined', 'insufficient_funds', 1],
    [90_005, 10_000, 'approved', null, 1],
    [90_006, 1_000, 'approved', null, 3],
    [90_007, 1_000, 'approved', null, 0],
    [90_008, 0, 'declined', 'insufficient_funds', 1],
    [90_003, 86_400_000, 'approved', null, 1],
  ] as const;

  test.each(AMOUNTS)(
    'of %i cêntimos is after %i ms %s with %s, and sends %s notifications',
    async (amountMinor, afterMs, result, failureCode, times) => {
      const order = refundOf(await take(rail), { amountMinor });
      const said = await fixture.refunds[rail].refund(order);
      expect(said.result).toBe(afterMs === 0 ? result : 'pending');
      if (afterMs > 0) {
        fixture.clock.leap(afterMs - 1);
        expect(await ask(rail, order)).toMatchObject({ result: 'pending' });
        await fixture.clock.advance(1);
      }
      expect(await ask(rail, order)).toMatchObject({ result, failureCode });
      // A later notification has arrived, so all notifications of this refund have arrived too.
      const last = refundOf(await take(rail), { amountMinor: 90_008 });
      await fixture.refunds[rail].refund(last);
      await eventually(() => countTold(last.attemptId)).toBe(1);
      await eventually(() => countTold(order.attemptId)).toBe(times);
    },
  );

  test('of 900.04 returns 503 and is not recorded', async () => {
    const order = refundOf(await take(rail), { amountMinor: 90_004 });
    expect(await fixture.refunds[rail].refund(order)).toMatchObject({ details: { httpStatus: '503' } });
    expect(await ask(rail, order)).toMatchObject({ result: 'not_found' });
  });

  test.each(REQUEST_FAULTS)(
    'with the fault refund/%s gives the client %s, and is recorded and moves money: %s',
    async (kind, reason, isRecorded) => {
      const taken = await take(rail);
      const order = refundOf(taken);
      const whose = rail === 'gpo' ? { phone: PHONE } : { reference: taken.reference };
      await fixture.orderFault({ on: 'refund', kind, delayMs: 2 * CLIENT_TIMEOUT_MS, ...whose });
      const answer = fixture.refunds[rail].refund(order);
      if (reason === 'timeout') {
        await eventually(async () => (await refundsOf(taken)).length).toBe(1);
        await fixture.clock.advance(CLIENT_TIMEOUT_MS);
      } else await fixture.clock.advance(0);
      expect(await answer).toMatchObject({ result: 'unknown', details: { reason } });
      expect(await refundsOf(taken)).toHaveLength(isRecorded ? 1 : 0);
      await fixture.clock.advance(1_000);
      expect(await ask(rail, order)).toMatchObject({ result: isRecorded ? 'approved' : 'not_found' });
      await fixture.refunds[rail].refund(order);
      await fixture.clock.advance(1_000);
      expect(await ask(rail, order)).toMatchObject({ result: 'approved' });
      expect(await sumOf(taken)).toBe(150_000);
    },
  );

  test('has separate faults for its query and for its notification', async () => {
    const order = refundOf(await take(rail));
    await fixture.refunds[rail].refund(order);
    await fixture.orderFault({ on: 'refund_query', kind: 'garbage' });
    await fixture.orderFault({ on: 'refund_notification', kind: 'delay', delayMs: 60_000 });
    expect(await ask(rail, order)).toMatchObject({ result: 'unknown', details: { reason: 'unreadable' } });
    await fixture.clock.advance(1_000);
    expect(await ask(rail, order)).toMatchObject({ result: 'approved' });
    await fixture.clock.advance(59_999);
    expect(countTold(order.attemptId)).toBe(0);
    await fixture.clock.advance(1);
    await eventually(() => countTold(order.attemptId)).toBe(1);
  });
});

describe('a refund at the GPO rail', () => {
  test.each(['capture', 'qrcode'] as const)('returns the money of a %s', async (kind) => {
    const order = refundOf(await TAKE[kind](), { amountMinor: 100 });
    expect(await fixture.refunds.gpo.refund(order)).toMatchObject({ result: 'pending' });
    await fixture.clock.advance(1_000);
    expect(await ask('gpo', order)).toMatchObject({
      result: 'approved',
      amountMinor: 100,
      details: { terminalId: 'POS-1' },
    });
  });

  test('is refused for an authorization and for a transaction of another merchant or rail', async () => {
    const { attemptId, providerRef, reference } = await push('authorization');
    const [hold, purchase, reference_] = [
      charge('purchase', attemptId, providerRef, reference),
      await TAKE.purchase(),
      await TAKE.reference(),
    ];
    for (const order of [
      refundOf(hold),
      refundOf(purchase, { gpoMerchantId: 'M-2' }),
      refundOf(reference_, { gpoMerchantId: 'M-1' }),
    ])
      expect(await fixture.refunds.gpo.refund(order)).toMatchObject({ details: { railReason: 'TRANSACTION_UNKNOWN' } });
    expect(await fixture.refunds.ppr.refund(refundOf(purchase))).toMatchObject({ failureCode: 'issuer_refused' });
  });
});
