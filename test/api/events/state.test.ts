// An event's `data` shows the payment right after the event, whenever a merchant reads the event.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { answerPush, authorization, cancel, capture, createAuthorized, HOLD_MS } from '../../support/authorizations.ts';
import { openCallbackFixture } from '../../support/callbacks.ts';
import { actAs, readEventsOf } from '../../support/events.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import {
  approved,
  createPushed,
  declined,
  notify,
  NOTIFY_ENV,
  readPayment,
  PENDING_PHONE,
  untilSent,
} from '../../support/notify.ts';
import { create, travelToStatus, travelUntil, untilStatus, webframe } from '../../support/payments.ts';
import { cancel as cancelReference, createPayable, moneyFor, readSteps, notifyPprPayment } from '../../support/ppr.ts';
import { createCode, notifyScan } from '../../support/qrcodes.ts';
import { RECEIVER_ENV, startReceiver, CONFIRMATION } from '../../support/receiver.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.ts';

let app: TestApp;
/** The app, with calls by a new merchant for each test. */
let own: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { ...NOTIFY_ENV, ...RECEIVER_ENV } });
});
beforeEach(async () => {
  own = actAs(app, await app.addMerchant());
});

type Life = {
  /** Expects these types as the newest events with the current payment, then advances the clock by a second. */
  mark(...types: string[]): Promise<void>;
  /** Reads the feed after all steps and compares each event with the payment at the time of the event. */
  compare(): Promise<void>;
};

/** Follows a payment: reads it by GET at each step, and its events only at the end. */
function follow(id: string): Life {
  const expected: { type: string; status: string; data: object }[] = [];
  return {
    async mark(...types) {
      const now = await readPayment(own, id);
      for (const type of types) expected.push({ type, status: now.status, data: withoutNow(now) });
      await app.clock.advance(1_000);
    },
    async compare() {
      const events = await readEventsOf(own, id);
      const seen = events.map(({ type, status, data }) => ({ type, status, data: withoutNow(data) }));
      expect(seen).toEqual(expected);
    },
  };
}

/** Removes the two fields that show the reference's current state in every event. */
function withoutNow({ referenceStatus: _status, registeredAt: _at, ...details }: any): object {
  return details;
}

const submit = (clientToken: string) =>
  app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });

describe('events of a push', () => {
  test('show each state of a webframe that is refused, repeated and paid', async () => {
    const { id, clientToken } = await create(own, webframe({ metadata: { custom: { n: 1 } }, description: 'Café' }));
    const life = follow(id);
    await life.mark('payment.created');
    await submit(clientToken);
    await life.mark('payment.processing');
    await notify(own, (await untilSent(own, id)).id, declined('INSUFFICIENT_FUNDS'));
    await life.mark('payment.attempt_failed');
    await submit(clientToken);
    await life.mark('payment.processing');
    await notify(own, (await untilSent(own, id)).id, approved());
    await life.mark('payment.paid');
    await life.compare();
  });

  test('show each state of a webframe that expires and is overpaid late', async () => {
    const { id, clientToken } = await create(own, webframe({ metadata: { expiresInMinutes: 5 } }));
    const life = follow(id);
    await life.mark('payment.created');
    await submit(clientToken);
    const { id: attemptId } = await untilSent(own, id);
    await life.mark('payment.processing');
    await notify(own, attemptId, declined('CUSTOMER_REFUSED'));
    await life.mark('payment.attempt_failed');
    await app.clock.pass(5 * MINUTE_MS);
    await travelToStatus(own, id, 'Expired');
    await life.mark('payment.expired');
    await notify(own, attemptId, approved({ amount: '1600.00' }));
    await life.mark('payment.paid', 'payment.overpaid');
    await life.compare();
  });

  test('show each state of a canceled webframe', async () => {
    const { id } = await create(own, webframe());
    const life = follow(id);
    await life.mark('payment.created');
    expect((await cancel(own, id)).status).toBe(200);
    await life.mark('payment.canceled');
    await life.compare();
  });

  test('show each state of a purchase that fails and is paid late', async () => {
    const { payment, attemptId } = await createPushed(own);
    const created = await readPayment(own, payment.id);
    await app.clock.advance(1_000);
    await notify(own, attemptId, declined('CUSTOMER_REFUSED'));
    const failed = await readPayment(own, payment.id);
    await app.clock.advance(1_000);
    await notify(own, attemptId, approved());
    const events = await readEventsOf(own, payment.id);
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'payment.created', data: created },
      { type: 'payment.processing', data: created },
      // The refusal and the failure are two events of the same millisecond.
      { type: 'payment.attempt_failed', data: expect.objectContaining({ id: payment.id }) },
      { type: 'payment.failed', data: failed },
      { type: 'payment.paid', data: await readPayment(own, payment.id) },
    ]);
  });

  test('show each state of a purchase that is paid in part', async () => {
    const { payment, attemptId } = await createPushed(own);
    const life = follow(payment.id);
    await life.mark('payment.created', 'payment.processing');
    await notify(own, attemptId, approved({ amount: '1.00' }));
    await life.mark('payment.amount_mismatch', 'payment.stuck');
    await life.compare();
  });
});

describe('events of an authorization', () => {
  test('show each state of a partial capture and of the capture payment', async () => {
    const made = await create(own, authorization());
    const life = follow(made.id);
    await life.mark('payment.created', 'payment.processing');
    await answerPush(app, made.id, 'approve');
    await untilStatus(own, made.id, 'Authorized');
    await life.mark('payment.authorized');
    const taken = await create(own, capture(made.id, { amount: 1000 }));
    await travelToStatus(own, taken.id, 'Paid');
    await untilStatus(own, made.id, 'Captured');
    await life.mark('payment.captured');
    await life.compare();
    const events = await readEventsOf(own, taken.id);
    expect(events.map(({ type }) => type)).toEqual(['payment.created', 'payment.processing', 'payment.paid']);
    expect(events[1]).toMatchObject({
      status: 'Processing',
      data: { status: 'Processing', amountPaid: 0, transactions: [] },
    });
    expect(withoutNow(events[2].data)).toEqual(withoutNow(await readPayment(own, taken.id)));
  });

  test('show each state of a void', async () => {
    const held = await createAuthorized(own);
    await cancel(own, held.id);
    const canceled = await travelToStatus(own, held.id, 'Canceled');
    const events = await readEventsOf(own, held.id);
    expect(events.map(({ type, data }) => [type, data.status])).toEqual([
      ['payment.created', 'Processing'],
      ['payment.processing', 'Processing'],
      ['payment.authorized', 'Authorized'],
      ['payment.canceled', 'Canceled'],
    ]);
    expect(events[3].data).toEqual(canceled);
  });

  test('show the expiry after a week', async () => {
    const held = await createAuthorized(own);
    app.clock.leap(HOLD_MS);
    const expired = await travelToStatus(own, held.id, 'Expired');
    const events = await readEventsOf(own, held.id);
    expect(events.map(({ data }) => [data.status, data.completedAt])).toEqual([
      ['Processing', null],
      ['Processing', null],
      ['Authorized', null],
      ['Expired', expired.completedAt],
    ]);
    expect(events[3].data).toEqual(expired);
  });
});

describe('events of a QR code', () => {
  test('show each state after several payments with wrong amounts and too many scans', async () => {
    const code = await createCode(own, { maxTransactions: 2 });
    const life = follow(code.id);
    await life.mark('payment.created');
    await notifyScan(own, code, { amount: '10.00' });
    await life.mark('payment.transaction_accepted', 'payment.amount_mismatch');
    await notifyScan(own, code);
    await life.mark('payment.transaction_accepted');
    await notifyScan(own, code);
    await life.mark('payment.paid');
    await notifyScan(own, code);
    await life.mark('payment.transaction_accepted', 'payment.overpaid');
    await life.compare();
  });

  test('show each state of an expired QR code that is paid late', async () => {
    const code = await createCode(own);
    const life = follow(code.id);
    await life.mark('payment.created');
    app.clock.leap(DAY_MS);
    await travelToStatus(own, code.id, 'Expired');
    await life.mark('payment.expired');
    await notifyScan(own, code);
    await life.mark('payment.paid');
    await life.compare();
  });

  test('show the newest 20 transactions, and of the same millisecond only the earlier ones', async () => {
    const code = await createCode(own, { maxTransactions: 100 });
    // The clock does not move, so all 25 transactions arrive in one millisecond, as with many payers.
    for (let nth = 0; nth < 25; nth++) await notifyScan(own, code);
    const events = await readEventsOf(own, code.id);
    const counts = events.map(({ data }) => [data.acceptedTransactions, data.transactions.length]);
    expect(counts).toEqual(Array.from({ length: 26 }, (_, nth) => [nth, Math.min(nth, 20)]));
    for (const { details, data } of events.slice(1)) expect(data.transactions.at(-1).id).toBe(details.transactionId);
  });
});

describe('events of a payment reference', () => {
  const open = { referenceType: 'Charging', amount: 0 };

  test('show each state of a Dynamic reference that is paid in parts and once more', async () => {
    const made = await createPayable(own, { customerName: 'Ana', customerTelephone: '923 000 000' });
    const life = follow(made.internalId);
    await life.mark('payment.created', 'reference.registered');
    await notifyPprPayment(own, moneyFor(own, made, { amount: '1000.00' }));
    await life.mark('payment.amount_mismatch');
    await notifyPprPayment(own, moneyFor(own, made, { amount: '500.00' }));
    await until(async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'), 'its withdrawal');
    await life.mark('payment.paid', 'reference.paid', 'reference.withdrawn');
    await notifyPprPayment(own, moneyFor(own, made));
    await life.mark('payment.overpaid');
    const events = await readEventsOf(own, made.internalId);
    // Events about the reference show its payment.
    const statuses = events.map(({ type, data }) => [type, data.status, data.amountPaid, data.transactions.length]);
    expect(statuses).toEqual([
      ['payment.created', 'Pending', 0, 0],
      ['reference.registered', 'Pending', 0, 0],
      ['payment.amount_mismatch', 'Pending', 1000, 1],
      ['payment.paid', 'Paid', 1500, 2],
      ['reference.paid', 'Paid', 1500, 2],
      ['reference.withdrawn', 'Paid', 1500, 2],
      ['payment.overpaid', 'Paid', 3000, 3],
    ]);
    expect(withoutNow(events.at(-1).data)).toEqual(withoutNow(await readPayment(own, made.internalId)));
  });

  test('show each state of a Charging reference that is paid three times, canceled and paid late', async () => {
    const made = await createPayable(own, open);
    const moments = [];
    for (const amount of ['0.10', '20.00', '300.00']) {
      await app.clock.advance(1_000);
      await notifyPprPayment(own, moneyFor(own, made, { amount }));
      moments.push(withoutNow(await readPayment(own, made.internalId)));
    }
    await app.clock.advance(1_000);
    await cancelReference(own, made.reference);
    await until(async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'), 'its withdrawal');
    const canceled = withoutNow(await readPayment(own, made.internalId));
    await app.clock.advance(1_000);
    await notifyPprPayment(own, moneyFor(own, made, { amount: '4.00' }));
    const late = withoutNow(await readPayment(own, made.internalId));
    const events = await readEventsOf(own, made.internalId);
    const seen = events.map(({ type, data }) => ({ type, data: withoutNow(data) }));
    expect(seen.slice(2)).toEqual([
      { type: 'payment.paid', data: moments[0] },
      { type: 'payment.transaction_accepted', data: moments[1] },
      { type: 'payment.transaction_accepted', data: moments[2] },
      { type: 'reference.canceled', data: canceled },
      { type: 'reference.withdrawn', data: canceled },
      { type: 'payment.transaction_accepted', data: late },
    ]);
    expect(late).toMatchObject({ late: true, amountPaid: 324.1 });
  });

  test('show each state of an unpaid reference that expires', async () => {
    const expiryDate = new Date(app.clock.now().getTime() + 5_000).toISOString();
    const made = await createPayable(own, { expiryDate });
    const before = withoutNow(await readPayment(own, made.internalId));
    await travelUntil(
      app,
      async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'),
      'its end',
    );
    const after = withoutNow(await readPayment(own, made.internalId));
    const events = await readEventsOf(own, made.internalId);
    const seen = events.map(({ type, data }) => ({ type, data: withoutNow(data) }));
    expect(seen).toEqual([
      { type: 'payment.created', data: before },
      { type: 'reference.registered', data: before },
      { type: 'payment.expired', data: after },
      { type: 'reference.expired', data: after },
      { type: 'reference.withdrawn', data: after },
    ]);
  });
});

test('a callback’s event recorded while the payment changes shows the payment after that change', async () => {
  const merchant = await startReceiver();
  try {
    const shop = await openCallbackFixture(app, `${merchant.url}/hook`);
    own = { ...app, call: shop.call };
    const made = await createPayable(own);
    let answer = () => {};
    merchant.answerWith((_request, nth) =>
      nth > 1 ? CONFIRMATION : new Promise((resolve) => (answer = () => resolve(CONFIRMATION))),
    );
    await notifyPprPayment(own, moneyFor(own, made, { amount: '1000.00' }));
    await merchant.received(1);
    const release = await holdLock(app.databaseUrl, 'select from deliveries for update');
    try {
      answer();
      await until(async () => (await countWaiting(app.databaseUrl, 'json_to_recordset')) > 0, 'the record waiting');
      await notifyPprPayment(own, moneyFor(own, made, { amount: '500.00' }));
    } finally {
      await release();
    }
    const hasCallbackEvent = async () =>
      (await readEventsOf(own, made.internalId)).some(({ type }) => type === 'callback.delivered');
    await until(hasCallbackEvent, 'the callback’s event');
    // A merchant that stores the newest `data` as the payment's state never receives an older state.
    const statuses = (await readEventsOf(own, made.internalId)).map(({ data }) => data.status);
    expect(statuses).toEqual(statuses.toSorted((a, b) => Number(a === 'Paid') - Number(b === 'Paid')));
    const paid = (await readEventsOf(own, made.internalId)).map(({ data }) => data.amountPaid);
    expect(paid).toEqual(paid.toSorted((a, b) => a - b));
  } finally {
    await merchant.stop();
  }
});
