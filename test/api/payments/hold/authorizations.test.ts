import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import {
  answerPush,
  authorization,
  cancel,
  capture,
  captureElsewhere,
  createAuthorized,
  expectAgreement,
  HOLD_MS,
  notifyOrder,
  readFullBooks,
  readHeld,
  readOrders,
} from '../../../support/authorizations.ts';
import { approved, declined, NOTIFY_ENV, readEventTypes, readPayment, untilSent } from '../../../support/notify.ts';
import { create, travelToStatus, travelUntil, untilStatus } from '../../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const AUTHORIZED = ['payment.created', 'payment.processing', 'payment.authorized'];
const FAILED = ['payment.created', 'payment.processing', 'payment.attempt_failed', 'payment.failed'];

describe('an authorization for the phone', () => {
  afterEach(async () => expectAgreement(app.sql, await readFullBooks(app)));

  test.each(['900000000', '900000005', '900000006', '900000007'])(
    '%s reserves the money at the rail',
    async (phone) => {
      const payment = await create(app, authorization(phone));
      expect(payment).toMatchObject({ status: 'Processing', paymentMethod: 'authorization', amountAuthorized: null });
      const authorized = await travelToStatus(app, payment.id, 'Authorized');
      expect(authorized).toMatchObject({
        amountAuthorized: 1500,
        amountCaptured: null,
        amountPaid: 0,
        operation: null,
        completedAt: null,
        failure: null,
        late: false,
        transactions: [],
      });
      expect(await readHeld(app, payment.id)).toMatchObject({ authorized: '1500.00', held: '1500.00', calls: 1 });
      expect(await readEventTypes(app, payment.id)).toEqual(AUTHORIZED);
    },
  );

  test.each([
    ['900000001', 'customer_refused'],
    ['900000002', 'insufficient_funds'],
    ['900000003', 'timed_out'],
    ['900000004', 'rail_unavailable'],
    ['900000008', 'number_not_active'],
  ])('%s fails with the failure code %s', async (phone, code) => {
    const payment = await create(app, authorization(phone));
    const failed = await travelToStatus(app, payment.id, 'Failed');
    expect(failed).toMatchObject({ failure: { code }, amountAuthorized: null, expiresAt: null, transactions: [] });
    expect(await readEventTypes(app, payment.id)).toEqual(FAILED);
  });
});

describe('an authorization', () => {
  test('holds the money for seven days from its approval', async () => {
    const payment = await create(app, authorization());
    await untilSent(app, payment.id);
    await app.clock.pass(40_000);
    const approvedAt = app.clock.now().getTime();
    await answerPush(app, payment.id, 'approve');
    const { expiresAt } = await untilStatus(app, payment.id, 'Authorized');
    expect(Date.parse(expiresAt) - approvedAt).toBe(HOLD_MS);
  });

  test('with Prefer: wait returns 201 once the payment is Authorized', async () => {
    const body = authorization();
    const waiting = app.call('/api/payments', { body, headers: { prefer: 'wait=60' } });
    const row = await until(
      async () => (await app.sql('select id from payments where reference = $1', [body['reference']]))[0],
    );
    await answerPush(app, row.id, 'approve');
    const reply = await waiting;
    expect(reply).toMatchObject({ status: 201, json: { status: 'Authorized', amountAuthorized: 1500 } });
    expect(reply.headers.get('preference-applied')).toBe('wait=60');
  });

  test('in flight makes an equal authorization return 409', async () => {
    const body = authorization();
    const first = await create(app, body);
    const second = await app.call('/api/payments', { body });
    expect(second).toMatchObject({ status: 409, json: { code: 'reference_in_flight', internalId: first.id } });
    await answerPush(app, first.id, 'decline');
    await untilStatus(app, first.id, 'Failed');
    expect((await app.call('/api/payments', { body })).status).toBe(201);
  });

  test('becomes Authorized by a sync if its rail notification was lost', async () => {
    const payment = await create(app, authorization('900000007'));
    await untilSent(app, payment.id);
    await app.clock.advance(1_500);
    const prefer = { prefer: 'return=representation' };
    const reply = await app.call(`/api/payments/${payment.id}/sync`, { method: 'POST', headers: prefer });
    expect(reply).toMatchObject({ status: 200, json: { status: 'Authorized' } });
    expect((await app.call(`/api/payments/${payment.id}/sync`, { method: 'POST' })).status).toBe(200);
    expect(await readEventTypes(app, payment.id)).toEqual(AUTHORIZED);
  });

  test('becomes Authorized for the held amount and is flagged if the rail holds less than requested', async () => {
    const payment = await create(app, authorization());
    const { id } = await untilSent(app, payment.id);
    await notifyOrder(app, 'authorization', id, approved({ amount: '900.00' }));
    expect(await readPayment(app, payment.id)).toMatchObject({
      status: 'Authorized',
      amountAuthorized: 900,
      flags: ['amount_mismatch'],
    });
    expect(await readEventTypes(app, payment.id)).toEqual([...AUTHORIZED, 'payment.amount_mismatch']);
  });
});

describe('an authorization that is approved after its failure', () => {
  async function createLate() {
    const payment = await create(app, authorization());
    const { id } = await untilSent(app, payment.id);
    await notifyOrder(app, 'authorization', id, declined('ISSUER_REFUSED'));
    expect(await readPayment(app, payment.id)).toMatchObject({ status: 'Failed', failure: { code: 'issuer_refused' } });
    await answerPush(app, payment.id, 'approve');
    return untilStatus(app, payment.id, 'Authorized');
  }

  test('is Authorized and late, and can be captured', async () => {
    const late = await createLate();
    expect(late).toMatchObject({ late: true, failure: null, amountAuthorized: 1500, completedAt: null });
    expect(Date.parse(late.expiresAt) - app.clock.now().getTime()).toBe(HOLD_MS);
    expect(await readEventTypes(app, late.id)).toEqual([...FAILED, 'payment.authorized']);
    await untilStatus(app, (await create(app, capture(late.id))).id, 'Paid');
    expect(await readPayment(app, late.id)).toMatchObject({ status: 'Captured', late: true, amountCaptured: 1500 });
    expect(await readHeld(app, late.id)).toMatchObject({ captured: '1500.00', held: '0.00' });
  });

  test('can be canceled', async () => {
    const { id } = await createLate();
    expect((await cancel(app, id)).status).toBe(200);
    expect(await readPayment(app, id)).toMatchObject({ status: 'Canceled', late: true });
    expect(await readHeld(app, id)).toMatchObject({ voided: '1500.00', held: '0.00' });
  });
});

describe('an authorization without a capture', () => {
  test('expires after a week and is voided at the rail', async () => {
    const { id, expiresAt } = await createAuthorized(app);
    await app.clock.advance(1_000);
    app.clock.leap(Date.parse(expiresAt) - app.clock.now().getTime() - 1_500);
    await app.clock.advance(1_400);
    expect(await readPayment(app, id)).toMatchObject({ status: 'Authorized', operation: null });
    expect(await readOrders(app, id, 'void')).toEqual([]);
    const expired = await travelToStatus(app, id, 'Expired');
    expect(expired).toMatchObject({ amountAuthorized: 1500, amountCaptured: null, operation: null, amountPaid: 0 });
    expect(Date.parse(expired.completedAt)).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    expect(await readHeld(app, id)).toMatchObject({ voided: '1500.00', held: '0.00', captured: '0.00' });
    expect(await readEventTypes(app, id)).toEqual([...AUTHORIZED, 'payment.expired']);
  });

  test('causes payment.stuck once if the rail refuses the void after its expiry', async () => {
    const { id } = await createAuthorized(app);
    await captureElsewhere(app, id);
    app.clock.leap(HOLD_MS);
    const isStuck = async () => (await readEventTypes(app, id)).includes('payment.stuck');
    await travelUntil(app, isStuck, 'a person being called');
    await app.clock.pass(60_000);
    expect(await readPayment(app, id)).toMatchObject({ status: 'Authorized', operation: null });
    const types = await readEventTypes(app, id);
    expect(types).toEqual([...AUTHORIZED, 'payment.attempt_failed', 'payment.stuck']);
    expect(await readOrders(app, id, 'void')).toMatchObject([{ status: 'Declined', failure_code: 'issuer_refused' }]);
    // The rail also refuses a cancel by the merchant.
    expect(await cancel(app, id)).toMatchObject({ status: 409, json: { code: 'payment_not_cancelable' } });
  });
});
