import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import {
  authorization,
  cancel,
  capture,
  createAuthorized,
  expectAgreement,
  notifyOrder,
  readOrders,
  travelToRest,
} from '../../../support/authorizations.ts';
import { testClock } from '../../../support/clock.ts';
import {
  approved,
  NOTIFY_ENV,
  readEventTypes,
  readPayment,
  PENDING_PHONE,
  untilSent,
} from '../../../support/notify.ts';
import { create, orderFault, travelToStatus, travelUntil, untilStatus } from '../../../support/payments.ts';
import { startRail, type Rail } from '../../../support/rail.ts';

describe('a request that reaches the rail after the gateway gave it up', () => {
  let app: TestApp;
  let rail: Rail;
  beforeAll(async () => {
    const clock = testClock();
    rail = await startRail({ clock, gatewayUrl: () => app.url });
    app = await startTestApp({ clock, env: rail.env });
  });
  afterEach(async () => {
    await travelToRest(app);
    await expectAgreement(app.sql, await rail.allBooks());
  });

  async function authorize(): Promise<any> {
    const { id, reference } = await create(app, authorization());
    await untilSent(app, id);
    await rail.answerPush(reference, 'approve');
    return untilStatus(app, id, 'Authorized');
  }

  /** Sends a request that the proxy delays on its way to the rail. Later requests pass. */
  async function stick<T>(ask: () => Promise<T>): Promise<Promise<T>[]> {
    rail.calls.holdAt('request');
    const asked = ask();
    await until(() => rail.calls.held() === 1, 'the request being stuck');
    rail.calls.holdAt(null);
    // The object keeps `await` from waiting for the promise inside.
    return [asked];
  }

  /** A capture that the gateway gave up before its request reaches the rail. */
  async function giveUpCapture(heldId: string): Promise<string> {
    const [asked] = await stick(() => create(app, capture(heldId)));
    const { id } = await asked;
    const failed = await travelToStatus(app, id, 'Failed');
    expect(failed).toMatchObject({ failure: { code: 'rail_unavailable' }, transactions: [] });
    return id;
  }

  const arrive = async (seen: () => Promise<unknown>) => {
    rail.calls.release();
    await until(seen, 'its arrival');
  };
  const seesCapture = (id: string) => async () => {
    const [{ id: orderId }] = await readOrders(app, id, 'capture');
    return (await rail.allBooks()).captures.find((book) => book.id === orderId);
  };

  test('makes its capture Paid with the flag late, and the authorization Captured', async () => {
    const held = await authorize();
    const id = await giveUpCapture(held.id);
    expect(await readPayment(app, held.id)).toEqual(held);
    await arrive(seesCapture(id));
    const paid = await untilStatus(app, id, 'Paid');
    expect(paid).toMatchObject({ late: true, amountPaid: 1500, failure: null, transactions: [{ late: true }] });
    expect(await readPayment(app, held.id)).toMatchObject({ status: 'Captured', amountCaptured: 1500, late: false });
  });

  test('for a capture after the cancel is refused by the rail and changes nothing', async () => {
    const held = await authorize();
    const id = await giveUpCapture(held.id);
    expect((await cancel(app, held.id)).status).toBe(200);
    const before = [await readPayment(app, id), await readPayment(app, held.id)];
    await arrive(seesCapture(id));
    expect(await seesCapture(id)()).toMatchObject({ status: 'DECLINED', reason: 'AUTHORIZATION_CLOSED' });
    await travelToRest(app);
    expect([await readPayment(app, id), await readPayment(app, held.id)]).toEqual(before);
    expect(before).toMatchObject([{ status: 'Failed' }, { status: 'Canceled' }]);
  });

  test('for a capture after another capture is refused by the rail', async () => {
    const held = await authorize();
    const id = await giveUpCapture(held.id);
    await untilStatus(app, (await create(app, capture(held.id, { amount: 300 }))).id, 'Paid');
    await arrive(seesCapture(id));
    expect((await readPayment(app, id)).status).toBe('Failed');
    expect(await readPayment(app, held.id)).toMatchObject({ status: 'Captured', amountCaptured: 300, flags: [] });
  });

  test('for a void changes nothing, because the gateway had repeated the void under the same id', async () => {
    const { id } = await authorize();
    const [asked] = await stick(() => cancel(app, id));
    await travelToStatus(app, id, 'Canceled');
    expect((await asked)?.status).toBe(200);
    const before = await readPayment(app, id);
    const calls = async () => {
      const [order] = await readOrders(app, id, 'void');
      return (await rail.allBooks()).voids.find((book) => book.id === order.id)?.calls;
    };
    expect(await calls()).toBe(1);
    await arrive(async () => (await calls()) === 2);
    await travelToRest(app);
    expect(await readPayment(app, id)).toEqual(before);
    expect(await readOrders(app, id, 'void')).toHaveLength(1);
  });

  test('makes its authorization Authorized with the flag late, and the merchant can capture it', async () => {
    const [asked] = await stick(() => create(app, authorization()));
    const { id, reference } = await asked;
    expect(await travelToStatus(app, id, 'Failed')).toMatchObject({ failure: { code: 'rail_unavailable' } });
    await arrive(async () => (await rail.allBooks(reference)).authorizations.length === 1);
    await rail.answerPush(reference, 'approve');
    expect(await untilStatus(app, id, 'Authorized')).toMatchObject({ late: true, failure: null, completedAt: null });
    await untilStatus(app, (await create(app, capture(id))).id, 'Paid');
    expect(await readPayment(app, id)).toMatchObject({ status: 'Captured', late: true });
  });
});

describe('a late approval of a failed capture', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: NOTIFY_ENV });
  });

  /** Creates an authorization with a Failed capture. Returns also the rail's id of the capture. */
  async function failCapture() {
    const held = await createAuthorized(app);
    await orderFault(app, { on: 'capture', kind: 'unavailable', phone: PENDING_PHONE });
    const { id } = await create(app, capture(held.id));
    await travelToStatus(app, id, 'Failed');
    const [{ id: orderId }] = await readOrders(app, id, 'capture');
    return { heldId: held.id as string, id: id as string, orderId: orderId as string };
  }

  const TAKEN = { status: 'Captured', amountCaptured: 1500, operation: null };
  const LATE = { ...TAKEN, late: true };

  test('after the cancel makes the authorization Captured and late', async () => {
    const { heldId, id, orderId } = await failCapture();
    await cancel(app, heldId);
    await notifyOrder(app, 'capture', orderId, approved());
    expect(await readPayment(app, id)).toMatchObject({ status: 'Paid', late: true });
    expect(await readPayment(app, heldId)).toMatchObject(LATE);
    expect((await readEventTypes(app, heldId)).slice(-2)).toEqual(['payment.canceled', 'payment.captured']);
  });

  test('after the expiry makes the authorization Captured and late', async () => {
    const { heldId, orderId } = await failCapture();
    app.clock.leap(Date.parse((await readPayment(app, heldId)).expiresAt) - app.clock.now().getTime());
    await travelToStatus(app, heldId, 'Expired');
    await notifyOrder(app, 'capture', orderId, approved());
    expect(await readPayment(app, heldId)).toMatchObject(LATE);
  });

  test('after another capture is recorded too, and gives the authorization the flag overpaid', async () => {
    const { heldId, id, orderId } = await failCapture();
    await untilStatus(app, (await create(app, capture(heldId))).id, 'Paid');
    await notifyOrder(app, 'capture', orderId, approved());
    expect(await readPayment(app, id)).toMatchObject({ status: 'Paid', late: true, amountPaid: 1500 });
    expect(await readPayment(app, heldId)).toMatchObject({
      status: 'Captured',
      amountCaptured: 3000,
      flags: ['overpaid'],
    });
    expect((await readEventTypes(app, heldId)).slice(-2)).toEqual(['payment.captured', 'payment.overpaid']);
  });

  test('during a void makes the authorization Captured, and the refused void changes nothing', async () => {
    const { heldId, orderId } = await failCapture();
    await orderFault(app, { on: 'void', kind: 'unavailable', phone: PENDING_PHONE });
    await orderFault(app, { on: 'query', kind: 'unavailable', phone: PENDING_PHONE, times: 3 });
    app.clock.leap(Date.parse((await readPayment(app, heldId)).expiresAt) - app.clock.now().getTime());
    const isVoiding = async () => (await readPayment(app, heldId)).operation === 'voiding';
    await travelUntil(app, isVoiding, 'the expiry');
    await notifyOrder(app, 'capture', orderId, approved());
    expect(await readPayment(app, heldId)).toMatchObject(TAKEN);
    const before = await readEventTypes(app, heldId);
    const [order] = await readOrders(app, heldId, 'void');
    await notifyOrder(app, 'void', order.id, { status: 'DECLINED', reason: 'ALREADY_CAPTURED' });
    expect(await readPayment(app, heldId)).toMatchObject({ ...TAKEN, flags: [] });
    expect(await readEventTypes(app, heldId)).toEqual([...before, 'payment.attempt_failed']);
  });
});
