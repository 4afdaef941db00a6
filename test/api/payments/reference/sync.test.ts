// POST /api/payments/{paymentId}/sync of a payment reference, and registrations that fail and are retried.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { readPayment } from '../../../support/notify.ts';
import { orderFault, travelUntil } from '../../../support/payments.ts';
import {
  cancel,
  createPayable,
  createReference,
  digits,
  pay,
  readCashbook,
  readHistory,
  readReference,
  readSteps,
  tryToPay,
} from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const sync = (id: string, headers: Record<string, string> = {}) =>
  app.call(`/api/payments/${id}/sync`, { method: 'POST', headers });
const failToRegister = (own: string, kind = 'unavailable', times = 1) =>
  orderFault(app, { on: 'reference_register', kind, times, reference: own });
const untilStep = (own: string, type: string) =>
  until(async () => (await readSteps(app, own)).includes(type), `${type} of ${own}`);
const travelToStep = (own: string, type: string) =>
  travelUntil(app, async () => (await readSteps(app, own)).includes(type), `${type} of ${own}`);

describe('a sync', () => {
  test('returns Pending for an unpaid reference and writes nothing', async () => {
    const made = await createPayable(app);
    const reply = await leavesNothing(app, () => sync(made.reference));
    expect([reply.status, reply.json]).toEqual([200, { message: 'The payment is still Pending.' }]);
  });

  test.each(['reference', 'internalId'])('by %s records a payment whose rail notification was lost', async (name) => {
    const made = await createPayable(app);
    const [money] = await pay(app, made, { fault: 'lost' });
    const reply = await sync(made[name], { prefer: 'return=representation' });
    expect([reply.status, reply.json]).toEqual([200, { message: 'The payment is Paid.', status: 'Paid' }]);
    const payment = await readPayment(app, made.reference);
    expect(payment).toMatchObject({ status: 'Paid', referenceStatus: 'Paid', amountPaid: 1500, late: false });
    expect(payment.transactions).toMatchObject([{ transactionNumber: money?.number, occurredAt: money?.paidAt }]);
    const paid = (await readHistory(app, made.reference)).find(({ type }) => type === 'payment.paid');
    expect(paid.details).toMatchObject({ via: 'sync' });
    await untilStep(made.reference, 'reference.withdrawn');
    await leavesNothing(app, () => sync(made.reference));
  });

  test('records each payment of a Charging reference once', async () => {
    const made = await createPayable(app, { referenceType: 'Charging', amount: 0 });
    for (const amount of ['1.00', '2.00']) await pay(app, made, { amount, fault: 'lost' });
    await sync(made.reference);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 3 });
    await pay(app, made, { amount: '4.00', fault: 'lost' });
    await Promise.all(Array.from({ length: 5 }, () => sync(made.reference)));
    const { amountPaid, transactions } = await readPayment(app, made.reference);
    expect([amountPaid, transactions.length]).toEqual([7, 3]);
  });

  test('cannot record a payment that the rail has not published yet', async () => {
    const made = await createPayable(app);
    await pay(app, made, { fault: 'notify_later' });
    await leavesNothing(app, () => sync(made.reference));
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  });

  test('records money for a canceled reference as late', async () => {
    const made = await createPayable(app, { reference: digits() });
    await pay(app, made, { fault: 'lost' });
    await cancel(app, made.reference);
    await untilStep(made.reference, 'reference.withdrawn');
    expect((await sync(made.reference, { prefer: 'return=representation' })).json.status).toBe('Paid');
    const late = { status: 'Paid', referenceStatus: 'Paid', late: true };
    expect(await readPayment(app, made.reference)).toMatchObject(late);
  });

  test('registers the reference if the rail does not know it', async () => {
    const own = digits();
    await failToRegister(own, 'unavailable', 2);
    await createReference(app, { reference: own });
    await untilStep(own, 'reference.registration_failed');
    expect((await sync(own)).status).toBe(200);
    expect((await readReference(app, own)).registeredAt).toBeNull();
    expect((await sync(own)).status).toBe(200);
    expect((await readReference(app, own)).registeredAt).toBe(app.clock.now().toISOString());
    expect((await readCashbook(app, own)).references).toMatchObject([{ status: 'ACTIVE' }]);
  });

  test('records a slow registration once, with the time at which the rail first confirmed it', async () => {
    const own = digits();
    await orderFault(app, { on: 'reference_register', kind: 'delay', delayMs: 4_000, reference: own });
    await createReference(app, { reference: own });
    await until(async () => (await readCashbook(app, own)).references.length === 1, 'the registration’s effect');
    await sync(own);
    const { registeredAt } = await readReference(app, own);
    expect(registeredAt).toBe(app.clock.now().toISOString());
    await app.clock.advance(4_000);
    // A node that has stopped has finished every write that follows from the response.
    const { databaseUrl } = app;
    await app.node.stop();
    app = await startTestApp({ databaseUrl, clock: app.clock });
    expect(await readSteps(app, own)).toEqual(['payment.created', 'reference.registered']);
    expect((await readReference(app, own)).registeredAt).toBe(registeredAt);
  });
});

describe('a registration that fails', () => {
  test('writes one event for each reason', async () => {
    const own = digits();
    await failToRegister(own, 'unavailable', 2);
    await failToRegister(own, 'garbage', 2);
    await createReference(app, { reference: own });
    await travelToStep(own, 'reference.registered');
    const reasons = (await readHistory(app, own)).flatMap(({ details }) => details.reason ?? []);
    expect(reasons.toSorted()).toEqual(['rail_error', 'unreadable']);
  });

  test('is not retried after its reference expires, and the rail never accepts the reference', async () => {
    const own = digits();
    await failToRegister(own, 'unavailable', 100);
    const expiryDate = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const made = await createReference(app, { reference: own, expiryDate });
    await travelToStep(own, 'reference.withdrawn');
    const shown = await readReference(app, own);
    expect(shown).toMatchObject({ status: 'Expired', referenceStatus: 'Expired', registeredAt: null });
    expect(await readSteps(app, own)).toEqual([
      'payment.created',
      'reference.registration_failed',
      'payment.expired',
      'reference.expired',
      'reference.withdrawn',
    ]);
    expect(await tryToPay(app, made)).toBe('UNKNOWN_REFERENCE');
  });

  test('is not retried after its reference is canceled', async () => {
    const own = digits();
    await failToRegister(own, 'unavailable', 100);
    await createReference(app, { reference: own });
    await untilStep(own, 'reference.registration_failed');
    expect((await cancel(app, own)).json).toMatchObject({ referenceStatus: 'Canceled', registeredAt: null });
    await travelToStep(own, 'reference.withdrawn');
    expect(await readSteps(app, own)).not.toContain('reference.registered');
  });
});
