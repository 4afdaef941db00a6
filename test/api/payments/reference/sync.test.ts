// POST /api/payments/{paymentId}/sync of a reference: money that nobody told of, and a rail that had not heard of it.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { readPayment } from '../../../support/notify.ts';
import { orderFault } from '../../../support/payments.ts';
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
} from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const sync = (id: string, headers: Record<string, string> = {}, token?: string) =>
  app.call(`/api/payments/${id}/sync`, { method: 'POST', headers, ...(token && { token }) });

const untilWithdrawn = (own: string) =>
  until(async () => (await readSteps(app, own)).includes('reference.withdrawn'), `${own} being withdrawn`);

describe('of a Pending one', () => {
  test('nothing paid: says so, and only so', async () => {
    const made = await createPayable(app);
    const reply = await leavesNothing(app, () => sync(made.reference));
    expect([reply.status, reply.json]).toEqual([200, { message: 'The payment is still Pending.' }]);
  });

  test.each(['reference', 'internalId'])('finds lost money, asked by %s', async (name) => {
    const made = await createPayable(app);
    const [money] = await pay(app, made, { fault: 'lost' });
    const reply = await sync(made[name], { prefer: 'return=representation' });
    expect([reply.status, reply.json]).toEqual([200, { message: 'The payment is Paid.', status: 'Paid' }]);
    const payment = await readPayment(app, made.reference);
    expect(payment).toMatchObject({ status: 'Paid', referenceStatus: 'Paid', amountPaid: 1500, late: false });
    expect(payment.transactions).toMatchObject([{ transactionNumber: money?.number, occurredAt: money?.paidAt }]);
    const paid = (await readHistory(app, made.reference)).find(({ type }) => type === 'payment.paid');
    expect(paid.details).toMatchObject({ via: 'sync' });
    await untilWithdrawn(made.reference);
    await leavesNothing(app, () => sync(made.reference));
  });

  test('finds every payment of a Charging one, each once', async () => {
    const made = await createPayable(app, { referenceType: 'Charging', amount: 0 });
    for (const amount of ['1.00', '2.00']) await pay(app, made, { amount, fault: 'lost' });
    await sync(made.reference);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 3 });
    await pay(app, made, { amount: '4.00', fault: 'lost' });
    await Promise.all(Array.from({ length: 5 }, () => sync(made.reference)));
    const { amountPaid, transactions } = await readPayment(app, made.reference);
    expect([amountPaid, transactions.length]).toEqual([7, 3]);
  });

  test('does not see what nobody may know yet', async () => {
    const made = await createPayable(app);
    await pay(app, made, { fault: 'notify_later' });
    await leavesNothing(app, () => sync(made.reference));
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  });
});

test('of a canceled one finds money that came all the same', async () => {
  const made = await createPayable(app, { reference: digits() });
  await pay(app, made, { fault: 'lost' });
  await cancel(app, made.reference);
  await untilWithdrawn(made.reference);
  const { json } = await sync(made.reference, { prefer: 'return=representation' });
  expect(json.status).toBe('Paid');
  expect(await readPayment(app, made.reference)).toMatchObject({ status: 'Paid', referenceStatus: 'Paid', late: true });
});

describe('when the rail', () => {
  test('cannot be asked: 503, and nothing is changed', async () => {
    const made = await createPayable(app, { reference: digits() });
    await pay(app, made, { fault: 'lost' });
    await orderFault(app, { on: 'reference_query', kind: 'unavailable', reference: made.reference });
    const reply = await leavesNothing(app, () => sync(made.reference));
    expect([reply.status, reply.json.code]).toEqual([503, 'rail_unavailable']);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await sync(made.reference)).json.message).toBe('The payment is Paid.');
  });

  test('has not heard of it, it hears of it now', async () => {
    const own = digits();
    await orderFault(app, { on: 'reference_register', kind: 'unavailable', times: 2, reference: own });
    await createReference(app, { reference: own });
    await until(async () => (await readSteps(app, own)).length === 2, 'the first failure');
    expect((await sync(own)).status).toBe(200);
    expect((await readReference(app, own)).registeredAt).toBeNull();
    expect((await sync(own)).status).toBe(200);
    expect((await readReference(app, own)).registeredAt).toBe(app.clock.now().toISOString());
    expect((await readCashbook(app, own)).references).toMatchObject([{ status: 'ACTIVE' }]);
  });

  test('is slow to answer the registration, that is told once, with the time it was first known', async () => {
    const own = digits();
    await orderFault(app, { on: 'reference_register', kind: 'delay', delayMs: 4_000, reference: own });
    await createReference(app, { reference: own });
    await until(async () => (await readCashbook(app, own)).references.length === 1, 'the registration’s effect');
    await sync(own);
    const { registeredAt } = await readReference(app, own);
    expect(registeredAt).toBe(app.clock.now().toISOString());
    await app.clock.advance(4_000);
    await expectStill(own, ['payment.created', 'reference.registered']);
    expect((await readReference(app, own)).registeredAt).toBe(registeredAt);
  });
});

/** What follows from an answer of the rail has been written when the node has stopped: another reads it. */
async function expectStill(own: string, steps: string[]): Promise<void> {
  const { databaseUrl } = app;
  await app.node.stop();
  app = await startTestApp({ databaseUrl, clock: app.clock });
  expect(await readSteps(app, own)).toEqual(steps);
}

test('of what nobody has, or another merchant, is 404', async () => {
  const made = await createPayable(app);
  const { token } = await app.addMerchant();
  for (const id of [made.reference, made.internalId]) expect((await sync(id, {}, token)).status).toBe(404);
  expect((await sync('999999999')).status).toBe(404);
});
