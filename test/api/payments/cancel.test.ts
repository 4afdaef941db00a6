import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  authorization,
  cancel,
  capture,
  createAuthorized,
  expectAgreement,
  readFullBooks,
  readHeld,
  readOrders,
  travelToRest,
} from '../../support/authorizations.ts';
import {
  approved,
  declined,
  notify,
  NOTIFY_ENV,
  readEventTypes,
  readPayment,
  PENDING_PHONE,
  untilSent,
} from '../../support/notify.ts';
import { create, purchase, leapToEnd, travelToStatus, untilStatus, webframe } from '../../support/payments.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

describe('the cancel of an authorization', () => {
  afterEach(async () => expectAgreement(app.sql, await readFullBooks(app)));

  test('voids it at the rail', async () => {
    const { id } = await createAuthorized(app);
    const reply = await cancel(app, id);
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ message: 'The payment is Canceled.' });
    expect(await readPayment(app, id)).toMatchObject({
      status: 'Canceled',
      operation: null,
      amountAuthorized: 1500,
      amountCaptured: null,
      amountPaid: 0,
      late: false,
      completedAt: app.clock.now().toISOString(),
    });
    expect(await readHeld(app, id)).toMatchObject({ voided: '1500.00', held: '0.00', captured: '0.00' });
    expect((await readEventTypes(app, id)).slice(2)).toEqual(['payment.authorized', 'payment.canceled']);
  });

  test('returns the payment and its status for Prefer: return=representation', async () => {
    const { id } = await createAuthorized(app);
    const reply = await cancel(app, id.toUpperCase(), { prefer: 'return=representation' });
    expect(reply.json).toEqual({ message: 'The payment is Canceled.', status: 'Canceled' });
  });

  test('returns 200 again if repeated, and does not call the rail again', async () => {
    const { id } = await createAuthorized(app);
    const first = await cancel(app, id);
    const again = await leavesNothing(app, () => cancel(app, id));
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(await readHeld(app, id)).toMatchObject({ voids: [{ calls: 1 }] });
  });

  test('removes its expiry after a week', async () => {
    const { id, expiresAt } = await createAuthorized(app);
    const other = await createAuthorized(app);
    await cancel(app, id);
    app.clock.leap(Date.parse(expiresAt) - app.clock.now().getTime());
    await travelToStatus(app, other.id, 'Expired');
    expect((await readPayment(app, id)).status).toBe('Canceled');
    expect(await readOrders(app, id, 'void')).toHaveLength(1);
  });

  test.each([
    ['900000005', 10_000],
    ['900000006', 1_000],
  ])('for the phone %s returns 200 immediately and is Canceled after %d ms', async (phone, afterMs) => {
    const { id } = await create(app, authorization(phone));
    await travelToStatus(app, id, 'Authorized');
    const askedAt = app.clock.now().getTime();
    const reply = await cancel(app, id, { prefer: 'return=representation' });
    expect(reply).toMatchObject({ status: 200, json: { status: 'Authorized' } });
    expect(reply.json.message).toContain('being canceled');
    expect(await readPayment(app, id)).toMatchObject({ status: 'Authorized', operation: 'voiding' });
    const canceled = await travelToStatus(app, id, 'Canceled');
    expect(Date.parse(canceled.completedAt) - askedAt).toBeGreaterThanOrEqual(afterMs);
    expect(canceled.operation).toBeNull();
    expect((await readEventTypes(app, id)).filter((type) => type === 'payment.canceled')).toHaveLength(1);
  });

  test('in progress is completed by a sync', async () => {
    const { id } = await create(app, authorization('900000007'));
    await travelToStatus(app, id, 'Authorized');
    await cancel(app, id);
    await app.clock.advance(1_000);
    const headers = { prefer: 'return=representation' };
    const reply = await app.call(`/api/payments/${id}/sync`, { method: 'POST', headers });
    expect(reply).toMatchObject({ status: 200, json: { status: 'Canceled' } });
  });
});

describe('the cancel of a page (webframe)', () => {
  test('closes the page, after which the payment can be neither paid nor expire', async () => {
    const { id, clientToken } = await create(app, webframe());
    const reply = await cancel(app, id, { prefer: 'return=representation' });
    expect(reply).toMatchObject({ status: 200, json: { status: 'Canceled' } });
    const { json } = await app.call(`/checkout/${clientToken}/session`, { token: null });
    expect(json).toMatchObject({ status: 'Canceled', isFinal: true });
    const pay = await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
    expect(pay).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
    expect(await app.sql('select due_at from payments where id = $1', [id])).toEqual([{ due_at: null }]);
    expect(await readEventTypes(app, id)).toEqual(['payment.created', 'payment.canceled']);
  });

  test('after a refused push still accepts late money: the payment becomes Paid and late', async () => {
    const { id, clientToken } = await create(app, webframe());
    await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
    const attempt = await untilSent(app, id);
    await notify(app, attempt.id, declined('CUSTOMER_REFUSED'));
    expect((await cancel(app, id)).status).toBe(200);
    await notify(app, attempt.id, approved());
    expect(await readPayment(app, id)).toMatchObject({
      status: 'Paid',
      late: true,
      amountPaid: 1500,
      transactions: [{ late: true }],
    });
    expect((await readEventTypes(app, id)).slice(-2)).toEqual(['payment.canceled', 'payment.paid']);
  });
});

describe('a cancel returns 409', () => {
  const REFUSED: [string, () => Promise<string>][] = [
    [
      'a capture that is Paid',
      async () => {
        const { id } = await create(app, capture((await createAuthorized(app)).id));
        await untilStatus(app, id, 'Paid');
        return id;
      },
    ],
    [
      'a page that expired',
      async () => {
        const payment = await create(app, webframe({ metadata: { expiresInMinutes: 5 } }));
        const { id } = payment;
        leapToEnd(app, payment);
        await travelToStatus(app, id, 'Expired');
        await travelToRest(app);
        return id;
      },
    ],
    ['a purchase that is Processing', async () => (await create(app, purchase(PENDING_PHONE))).id],
  ];
  test.each(REFUSED)('for %s', async (_name, make) => {
    const id = await make();
    const before = await readPayment(app, id);
    const reply = await leavesNothing(app, () => cancel(app, id, { key: randomUUID() }));
    expect(reply).toMatchObject({ status: 409, json: { code: 'payment_not_cancelable' } });
    expect(await readPayment(app, id)).toEqual(before);
  });

  test('for a capture that is Processing', async () => {
    const held = await create(app, authorization('900000005'));
    await travelToStatus(app, held.id, 'Authorized');
    const { id } = await create(app, capture(held.id));
    expect(await cancel(app, id)).toMatchObject({ status: 409, json: { code: 'payment_not_cancelable' } });
  });
});
