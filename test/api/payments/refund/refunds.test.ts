import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { NOTIFY_ENV, readAttempts, readPayment } from '../../../support/notify.ts';
import { create, orderFault, travelToStatus, travelUntil, webframe } from '../../../support/payments.ts';
import { createPayable, pay, readReference, travelToReceived } from '../../../support/ppr.ts';
import { createCode, scanCode } from '../../../support/qrcodes.ts';
import {
  APPROVING_TOO,
  createPaid,
  createRefund,
  expectRefundsAgree,
  notifyRefund,
  readRailRefunds,
  readRefund,
  readRefundEvents,
  refund,
  travelToRefund,
} from '../../../support/refunds.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});
afterEach(async () => expectRefundsAgree(app));

describe('a refund of a push', () => {
  test('is Pending, then Succeeded with the transaction numbers of the rail', async () => {
    const paid = await createPaid(app);
    const asked = await createRefund(app, paid.id, { amount: 400, reason: 'Uma chávena partida' });
    expect(asked).toMatchObject({ status: 'Pending', method: 'rail', amount: 400, completedAt: null });
    const done = await travelToRefund(app, asked.id, 'Succeeded');
    const [book] = await readRailRefunds(app, paid.reference);
    expect(book).toMatchObject({ id: asked.id, status: 'APPROVED', amount: '400.00' });
    expect(done).toMatchObject({ transactionNumber: book.transactionNumber, clearingPeriod: book.clearingPeriod });
    expect(done).toMatchObject({ late: false, failureCode: null, completedAt: expect.any(String) });
    expect(await readPayment(app, paid.id)).toMatchObject({
      status: 'Paid',
      amountRefunded: 400,
      refundStatus: 'partial',
    });
    expect((await readRefundEvents(app, paid.id)).map(({ type }) => type)).toEqual([
      'refund.created',
      'refund.processing',
      'refund.succeeded',
    ]);
  });

  test('of the whole amount makes a second one return 409', async () => {
    const paid = await createPaid(app);
    const { id } = await createRefund(app, paid.id);
    const again = await refund(app, paid.id);
    expect([again.status, again.json.code]).toEqual([409, 'nothing_to_refund']);
    await travelToRefund(app, id, 'Succeeded');
    expect(await readRailRefunds(app, paid.reference)).toHaveLength(1);
  });

  test('returns its outcome for Prefer: wait', async () => {
    const paid = await createPaid(app);
    const waiting = refund(app, paid.id, {}, { headers: { Prefer: 'wait=60' } });
    const ended = { isOver: false };
    void waiting.then(() => (ended.isOver = true));
    await travelUntil(app, () => ended.isOver, 'the answer');
    const { status, headers, json } = await waiting;
    expect([status, headers.get('preference-applied'), json.status]).toEqual([201, 'wait=60', 'Succeeded']);
  });
});

describe('a refund that the rail refuses', () => {
  test.each([
    [900.01, 'issuer_refused'],
    [900.08, 'insufficient_funds'],
  ])(
    'for the amount %s becomes Failed with the code %s, and its money can be refunded again',
    async (amount, failureCode) => {
      const paid = await createPaid(app);
      const { id } = await createRefund(app, paid.id, { amount });
      const failed = await travelToRefund(app, id, 'Failed');
      expect(failed).toMatchObject({ failureCode, completedAt: expect.any(String) });
      expect(await readPayment(app, paid.id)).toMatchObject({ amountRefunded: 0, refundStatus: 'none' });
      expect(await createRefund(app, paid.id)).toMatchObject({ amount: 1500 });
    },
  );

  test('and approves later becomes Succeeded and late', async () => {
    const paid = await createPaid(app);
    const { id } = await createRefund(app, paid.id, { amount: 900.01 });
    await travelToRefund(app, id, 'Failed');
    expect(await notifyRefund(app, id, { amount: '900.01' })).toBe('applied');
    expect(await readRefund(app, id)).toMatchObject({ status: 'Succeeded', late: true, failureCode: null });
    expect(await readPayment(app, paid.id)).toMatchObject({ amountRefunded: 900.01 });
    // A repeated notification with another id changes nothing.
    await notifyRefund(app, id, { amount: '900.01' });
    expect(await readPayment(app, paid.id)).toMatchObject({ amountRefunded: 900.01 });
  });

  test('and approves after another refund of the same money is recorded and raises refund.excess', async () => {
    const paid = await createPaid(app);
    const { id } = await createRefund(app, paid.id, { amount: 900.01 });
    await travelToRefund(app, id, 'Failed');
    await travelToRefund(app, (await createRefund(app, paid.id)).id, 'Succeeded');
    await notifyRefund(app, id, { amount: '900.01' });
    expect(await readPayment(app, paid.id)).toMatchObject({ amountRefunded: 2400.01, refundStatus: 'full' });
    expect((await readRefundEvents(app, paid.id)).at(-1)).toMatchObject({
      type: 'refund.excess',
      details: { refundId: id, amount: '900.01' },
    });
  });
});

describe('a refund whose request to the rail fails', () => {
  test.each(['reset_before', 'reset_after', 'garbage', 'unavailable'])(
    'with the fault %s is made once',
    async (kind) => {
      const paid = await createPaid(app);
      await orderFault(app, { on: 'refund', kind, phone: '+244900000000' });
      const { id } = await createRefund(app, paid.id);
      await travelToRefund(app, id, 'Succeeded');
      expect(await readRailRefunds(app, paid.reference)).toMatchObject([{ id, status: 'APPROVED', amount: '1500.00' }]);
    },
  );

  test('for days raises refund.stuck, and a sync sends the request again', async () => {
    const paid = await createPaid(app, {}, APPROVING_TOO);
    await orderFault(app, { on: 'refund', kind: 'unavailable', phone: APPROVING_TOO, times: 1_000 });
    const { id } = await createRefund(app, paid.id, { amount: 10 });
    await until(async () => (await readRefund(app, id)).status === 'Processing', 'the refund reaching the rail');
    app.clock.leap(4 * 24 * 3_600_000);
    const isTold = async () => (await readRefundEvents(app, paid.id)).some(({ type }) => type === 'refund.stuck');
    await travelUntil(app, isTold, 'a person being called');
    expect(await readRefund(app, id)).toMatchObject({ status: 'Processing' });
    expect((await refund(app, paid.id, { amount: 1490.01 })).json.code).toBe('refund_exceeds');
    await app.call('/sandbox/rail/faults', { method: 'DELETE' });
    await app.call(`/api/refunds/${id}/sync`, { method: 'POST' });
    await travelToRefund(app, id, 'Succeeded');
    expect(await readRailRefunds(app, paid.reference)).toHaveLength(1);
  });
});

describe('a refund of', () => {
  test('a QR code must name the scan to refund', async () => {
    const code = await createCode(app, { maxTransactions: 2 });
    for (let scans = 0; scans < 2; scans++) await scanCode(app, code.content);
    const paid = await travelToStatus(app, code.id, 'Paid');
    const unnamed = await refund(app, code.id);
    expect(unnamed.json.errors).toMatchObject([{ pointer: '/transactionId', code: 'transaction_required' }]);
    const [, second] = paid.transactions;
    const { id } = await createRefund(app, code.id, { transactionId: second.id });
    await travelToRefund(app, id, 'Succeeded');
    expect(await readPayment(app, code.id)).toMatchObject({ amountPaid: 3000, amountRefunded: 1500 });
    const other = await refund(app, code.id, { transactionId: second.id });
    expect(other.json.code).toBe('nothing_to_refund');
  });

  test('a payment reference is sent to the rail of the reference', async () => {
    const reference = await createPayable(app);
    await pay(app, reference);
    const { amount } = reference;
    await travelToReceived(app, reference.reference, amount);
    await orderFault(app, { on: 'refund_notification', kind: 'drop', reference: reference.reference });
    const given = await createRefund(app, reference.internalId, { amount: 100 });
    await until(async () => (await readRefund(app, given.id)).status === 'Processing', 'the refund reaching the rail');
    await app.clock.advance(1_100);
    // The sync of a payment queries its refunds too.
    const isLearned = async () => {
      await app.call(`/api/payments/${reference.internalId}/sync`, { method: 'POST' });
      return (await readRefund(app, given.id)).status === 'Succeeded';
    };
    await until(isLearned, 'the refund being learned of');
    expect(await readRailRefunds(app, reference.reference)).toMatchObject([{ id: given.id, rail: 'ppr' }]);
    const shown = await readReference(app, reference.reference);
    expect(shown).toMatchObject({ amountPaid: amount, amountRefunded: 100, refundStatus: 'partial' });
  });
});

describe('a sync of a refund', () => {
  test('records the outcome if the rail notification was lost', async () => {
    const paid = await createPaid(app);
    await orderFault(app, { on: 'refund_notification', kind: 'drop', phone: '+244900000000' });
    const { id } = await createRefund(app, paid.id);
    await until(
      async () => (await readAttempts(app, paid.id)).at(-1)?.status === 'Sent',
      'the refund reaching the rail',
    );
    await app.clock.advance(1_100);
    const isTaken = async () => (await readRailRefunds(app, paid.reference))[0]?.status === 'APPROVED';
    await until(isTaken, 'the rail having decided');
    const { status, json } = await app.call(`/api/refunds/${id}/sync`, { method: 'POST' });
    expect([status, json.status]).toEqual([200, 'Succeeded']);
  });

  test('returns 503 if the rail is unavailable, and changes nothing', async () => {
    const paid = await createPaid(app);
    const { id } = await createRefund(app, paid.id, { amount: 900.03 });
    await until(async () => (await readRefund(app, id)).status === 'Processing', 'the refund reaching the rail');
    await orderFault(app, { on: 'refund_query', kind: 'unavailable', phone: '+244900000000' });
    const { status, json } = await app.call(`/api/refunds/${id}/sync`, { method: 'POST' });
    expect([status, json.code]).toEqual([503, 'rail_unavailable']);
    expect(await readRefund(app, id)).toMatchObject({ status: 'Processing' });
  });
});

test('a refund of money whose rail account was removed returns 409 and names the manual refund', async () => {
  const { id } = await create(app, webframe());
  await app.sql(
    `insert into transactions (id, merchant_id, payment_id, rail, provider_ref, period, amount_minor, currency, status, late, occurred_at, created_at, details)
     values (gen_random_uuid(), $2, $1, 'gone', 'M-1', '2026-03-02', 150000, 'AOA', 'Accepted', false, now(), now(), '{}')`,
    [id, DEMO.merchantId],
  );
  const reply = await refund(app, id);
  expect([reply.status, reply.json.code]).toEqual([409, 'refund_unsupported']);
  expect(reply.json.detail).toContain('"method": "manual"');
});
