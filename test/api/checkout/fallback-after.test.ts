// After a refused push is replaced by a reference: late money for both payments, repeated taps, and old links.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { createRefused, expectOnePayable, openSession, switchByForm, switchOver } from '../../support/fallback.ts';
import { approved, notify, NOTIFY_ENV, readAttempts, readEventTypes, readPayment } from '../../support/notify.ts';
import { travelToStatus, travelUntil } from '../../support/payments.ts';
import {
  cancel,
  creepUntilRegistered,
  moneyFor,
  pay,
  readReference,
  readSteps,
  notifyPprPayment,
  travelToReceived,
  untilRegistered,
} from '../../support/ppr.ts';
import { leavesNothing } from '../../support/rows.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const lastPush = async ({ id }: { id: string }) => (await readAttempts(app, id)).at(-1);

describe('late money for the refused push', () => {
  test('is recorded, and cancels the reference', async () => {
    const first = await createRefused(app);
    const push = await lastPush(first);
    const second = (await switchOver(app, first)).json;
    const made = await untilRegistered(app, second.session.reference);
    await notify(app, push.id, approved());
    expect(await readPayment(app, first.id)).toMatchObject({
      status: 'Paid',
      amountPaid: 1500,
      late: true,
      flags: [],
      replacedBy: made.internalId,
    });
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Canceled', referenceStatus: 'Canceled' });
    const history = (await app.call(`/api/payments/${made.internalId}/events`)).json.data;
    const canceled = history.find(({ type }: { type: string }) => type === 'payment.canceled');
    expect(canceled.details).toEqual({ paidBy: first.id });
    await travelToStep(made.reference, 'reference.withdrawn');
    const page = await app.call(`/checkout/${second.clientToken}?lang=pt`, { token: null });
    expect(page.headers.get('location')).toBe(`/checkout/${first.clientToken}?lang=pt`);
    const shown = await app.call(`/checkout/${first.clientToken}`, { token: null });
    expect(shown.status).toBe(200);
    expect(await readNotificationTypes(first.id)).toEqual(['payment.late']);
  });

  test('is an overpayment if the reference is already paid', async () => {
    const first = await createRefused(app);
    const push = await lastPush(first);
    const made = await untilRegistered(app, (await switchOver(app, first)).json.session.reference);
    await pay(app, made);
    await travelToReceived(app, made.reference, 1500);
    await notify(app, push.id, approved());
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Paid', late: true, flags: ['overpaid'] });
    expect(await readEventTypes(app, first.id)).toContain('payment.overpaid');
    expect(await readNotificationTypes(first.id)).toEqual(['payment.late', 'payment.overpaid']);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', flags: [], amountPaid: 1500 });
  });

  test('leaves the reference payable if the amount is too small', async () => {
    const first = await createRefused(app);
    const push = await lastPush(first);
    const made = await untilRegistered(app, (await switchOver(app, first)).json.session.reference);
    await notify(app, push.id, approved({ amount: '10.00' }));
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Canceled', flags: ['amount_mismatch'] });
    expect(await readReference(app, made.reference)).toMatchObject({ referenceStatus: 'Pending' });
  });

  test('cancels the reference, and a later payment of that reference is an overpayment', async () => {
    const first = await createRefused(app);
    const push = await lastPush(first);
    const made = await untilRegistered(app, (await switchOver(app, first)).json.session.reference);
    await notify(app, push.id, approved());
    expect(await readReference(app, made.reference)).toMatchObject({ referenceStatus: 'Canceled' });
    // The ATM takes the money before the provider withdraws the reference.
    expect(await notifyPprPayment(app, moneyFor(app, made))).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', flags: ['overpaid'] });
    expect(await readNotificationTypes(made.internalId)).toEqual(['payment.late', 'payment.overpaid']);
  });

  test.each([
    ['a part by the reference, then the full amount late', { reference: '600.00', push: '1500.00' }, 'first'],
    ['a part late, then the full amount by the reference', { push: '600.00', reference: '1500.00' }, 'second'],
    ['the full amount by the reference, then a part late', { reference: '1500.00', push: '600.00' }, 'first'],
    ['the full amount late, then a part by the reference', { push: '1500.00', reference: '600.00' }, 'second'],
  ])('makes an overpayment together with a payment of the reference (%s)', async (_what, came, overpaid) => {
    const first = await createRefused(app);
    const push = await lastPush(first);
    const made = await untilRegistered(app, (await switchOver(app, first)).json.session.reference);
    const take: Record<string, (amount: string) => Promise<unknown>> = {
      push: (amount) => notify(app, push.id, approved({ amount })),
      reference: (amount) => notifyPprPayment(app, moneyFor(app, made, { amount })),
    };
    for (const [way, amount] of Object.entries(came)) await take[way]?.(amount);
    const both = { first: await readPayment(app, first.id), second: await readPayment(app, made.internalId) };
    expect(both.first.amountPaid + both.second.amountPaid).toBe(2100);
    expect(Object.values(both).map(({ flags }) => flags.includes('overpaid'))).toEqual([
      overpaid === 'first',
      overpaid === 'second',
    ]);
    expect(await readEventTypes(app, overpaid === 'first' ? first.id : made.internalId)).toContain('payment.overpaid');
    await expectOnePayable(app);
  });

  test('withdraws the reference immediately, without waiting for the next poll', async () => {
    const first = await createRefused(app);
    const push = await lastPush(first);
    const made = await untilRegistered(app, (await switchOver(app, first)).json.session.reference);
    // Waits until this second's poll has ended, so that it cannot withdraw the reference.
    await app.clock.advance(1_000);
    await untilRegistered(app, made.reference);
    await notify(app, push.id, approved());
    await app.clock.advance(100);
    await until(
      async () => (await readSteps(app, made.reference)).includes('reference.withdrawn'),
      'it being withdrawn',
    );
  });

  const readNotificationTypes = async (id: string) =>
    (await app.sql('select type from notifications where payment_id = $1 order by type', [id])).map(({ type }) => type);
});

test('a tap on “pay by reference” after late money returns 409, and the form redirects to the receipt', async () => {
  const first = await createRefused(app);
  const push = await lastPush(first);
  await switchOver(app, first);
  await notify(app, push.id, approved());
  await creepUntilRegistered(app);
  const again = await leavesNothing(app, () => switchOver(app, first));
  expect(again).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
  const { headers } = await switchByForm(app, first, '?lang=fr');
  expect(headers.get('location')).toBe(`/checkout/${first.clientToken}?lang=fr`);
  expect((await app.call(`/checkout/${first.clientToken}`, { token: null })).status).toBe(200);
});

async function travelToStep(reference: string, type: string): Promise<void> {
  await travelUntil(app, async () => (await readSteps(app, reference)).includes(type), type);
}

// These tests run last, because they advance the clock by days.
describe('the link of a payment that a reference replaced', () => {
  const open = ({ clientToken }: { clientToken: string }) =>
    app.call(`/checkout/${clientToken}?lang=pt`, { token: null });

  test('redirects to the reference while the reference’s page is accessible', async () => {
    const first = await createRefused(app);
    const second = (await switchOver(app, first)).json;
    const { reference } = second.session;
    const expectLedOn = async () => {
      const page = await open(first);
      expect([page.status, page.headers.get('location')]).toEqual([303, `/checkout/${second.clientToken}?lang=pt`]);
      expect(await openSession(app, first)).toMatchObject({ replacedByUrl: second.url });
      expect((await open(second)).status).toBe(200);
    };
    for (const hours of [25, 27 * 24]) {
      app.clock.leap(hours * HOUR_MS);
      await expectLedOn();
    }
    expect((await cancel(app, reference)).status).toBe(200);
    app.clock.leap(23 * HOUR_MS);
    await expectLedOn();
    app.clock.leap(2 * HOUR_MS);
    for (const made of [first, second]) expect((await open(made)).status).toBe(404);
  });

  test('shows the first payment again if late money paid it', async () => {
    const first = await createRefused(app);
    const push = await lastPush(first);
    const second = (await switchOver(app, first)).json;
    const { internalId } = await untilRegistered(app, second.session.reference);
    app.clock.leap(32 * 24 * HOUR_MS);
    await travelToStatus(app, internalId, 'Expired');
    await notify(app, push.id, approved());
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Paid', late: true });
    expect((await open(second)).headers.get('location')).toBe(`/checkout/${first.clientToken}?lang=pt`);
    expect((await open(first)).status).toBe(200);
  });
});
