import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { freshDatabase } from '../../support/database.ts';
import {
  approved,
  createPushed,
  declined,
  notify,
  NOTIFY_ENV,
  readAttempts,
  readEventTypes,
  readPayment,
  SOMEBODY,
  untilSent,
} from '../../support/notify.ts';
import { create, orderFault, purchase, readBooks, travelToStatus, webframe } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

/** The payer asks for a push on the page. */
async function submit(clientToken: string, phoneNumber = SOMEBODY): Promise<void> {
  const reply = await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber }, token: null });
  if (reply.status !== 202) throw new Error(`not submitted: ${reply.status} ${reply.text}`);
}

describe('late money', () => {
  test('makes a Failed payment Paid and late', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, declined('TIMED_OUT'));
    const failed = await readPayment(app, payment.id);
    expect(failed).toMatchObject({ status: 'Failed', failure: { code: 'timed_out' } });
    await app.clock.pass(60_000);
    await notify(app, attemptId, approved());
    const paid = await readPayment(app, payment.id);
    expect(paid).toMatchObject({ status: 'Paid', failure: null, amountPaid: 1500, transactions: [{ late: true }] });
    expect(Date.parse(paid.completedAt)).toBeGreaterThan(Date.parse(failed.completedAt));
    expect((await readEventTypes(app, payment.id)).slice(-2)).toEqual(['payment.failed', 'payment.paid']);
  });

  test('makes an Expired payment Paid and late', async () => {
    const { id, clientToken } = await create(app, webframe({ metadata: { expiresInMinutes: 5 } }));
    await submit(clientToken);
    const { id: attemptId } = await untilSent(app, id);
    await notify(app, attemptId, declined('CUSTOMER_REFUSED'));
    await app.clock.pass(5 * 60_000);
    await travelToStatus(app, id, 'Expired');
    await notify(app, attemptId, approved());
    expect(await readPayment(app, id)).toMatchObject({ status: 'Paid', transactions: [{ late: true }] });
  });

  test('for a payment that is still Pending is not late', async () => {
    const { id, clientToken } = await create(app, webframe());
    await submit(clientToken);
    const { id: attemptId } = await untilSent(app, id);
    await notify(app, attemptId, declined('CUSTOMER_REFUSED'));
    expect(await readPayment(app, id)).toMatchObject({ status: 'Pending', failure: { code: 'customer_refused' } });
    await notify(app, attemptId, approved());
    expect(await readPayment(app, id)).toMatchObject({
      status: 'Paid',
      failure: null,
      transactions: [{ late: false }],
    });
  });

  test('is not undone by a later refusal', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved());
    const paid = await readPayment(app, payment.id);
    await notify(app, attemptId, declined('CUSTOMER_REFUSED'));
    expect(await readPayment(app, payment.id)).toEqual(paid);
  });
});

describe('too little money', () => {
  test.each([
    ['of the amount', approved({ amount: '1499.99' }), 1499.99, { amount: 1499.99, currency: 'AOA' }],
    ['in another currency', approved({ amount: '1500.00', currency: 'USD' }), 0, { amount: 1500, currency: 'USD' }],
  ])('%s is recorded and flagged, and leaves the payment open', async (_name, verdict, amountPaid, transaction) => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, verdict);
    const seen = await readPayment(app, payment.id);
    expect(seen).toMatchObject({ status: 'Processing', amountPaid, flags: ['amount_mismatch'] });
    expect(seen.transactions).toMatchObject([{ ...transaction, late: false }]);
    // Nothing more is to come by itself: a person is called.
    const told = (await readEventTypes(app, payment.id)).slice(-2);
    expect(told).toEqual(['payment.amount_mismatch', 'payment.stuck']);
  });

  test('leaves a Failed payment Failed', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, declined('CUSTOMER_REFUSED'));
    await notify(app, attemptId, approved({ amount: '0.01' }));
    const seen = await readPayment(app, payment.id);
    expect(seen).toMatchObject({ status: 'Failed', amountPaid: 0.01, flags: ['amount_mismatch'] });
    expect(seen.transactions).toMatchObject([{ amount: 0.01, late: true }]);
  });

  test('makes the payment Paid together with the rest', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved({ amount: '1000.00' }));
    await notify(app, attemptId, approved({ amount: '500.00' }));
    const seen = await readPayment(app, payment.id);
    expect(seen).toMatchObject({ status: 'Paid', amountPaid: 1500 });
    expect(seen.transactions.map((one: any) => one.amount)).toEqual([1000, 500]);
  });
});

describe('too much money', () => {
  test('makes the payment Paid and flagged overpaid', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved({ amount: '1500.01' }));
    expect(await readPayment(app, payment.id)).toMatchObject({
      status: 'Paid',
      amountPaid: 1500.01,
      flags: ['overpaid'],
    });
    expect((await readEventTypes(app, payment.id)).slice(-2)).toEqual(['payment.paid', 'payment.overpaid']);
  });

  test.each([
    ['the same currency', 'AOA', 3000],
    ['another currency', 'USD', 1500],
  ])('that arrives a second time in %s is recorded and flagged', async (_name, currency, amountPaid) => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved());
    await notify(app, attemptId, approved({ currency }));
    const seen = await readPayment(app, payment.id);
    expect(seen).toMatchObject({ status: 'Paid', amountPaid, flags: ['overpaid'] });
    expect(seen.transactions).toHaveLength(2);
  });

  test('from two approved pushes is two transactions', async () => {
    const { id, clientToken } = await create(app, webframe());
    await submit(clientToken);
    const { id: first } = await untilSent(app, id);
    await notify(app, first, declined('CUSTOMER_REFUSED'));
    await submit(clientToken, '923000002');
    const { id: second } = await untilSent(app, id);
    expect(second).not.toBe(first);
    await notify(app, first, approved());
    expect(await readPayment(app, id)).toMatchObject({ status: 'Paid', flags: [], amountPaid: 1500 });
    await notify(app, second, approved());
    expect(await readPayment(app, id)).toMatchObject({ status: 'Paid', flags: ['overpaid'], amountPaid: 3000 });
  });

  test('reported twice with other amounts is recorded once', async () => {
    const { payment, attemptId } = await createPushed(app);
    const verdict = approved();
    await notify(app, attemptId, verdict);
    const paid = await readPayment(app, payment.id);
    await notify(app, attemptId, { ...verdict, amount: '9000.00' });
    expect(await readPayment(app, payment.id)).toEqual(paid);
  });
});

describe('an early notification', () => {
  test('decides a push before the answer of its call, which changes nothing', async () => {
    const database = await freshDatabase();
    const options = { env: NOTIFY_ENV, databaseUrl: database.url, clock: app.clock };
    const first = await startTestApp(options);
    await orderFault(first, { on: 'purchase', kind: 'delay', delayMs: 5_000 });
    const { id, reference } = await create(first, purchase(SOMEBODY));
    await until(async () => (await readBooks(first, reference)).length === 1, 'the push reaching the rail');
    const [attempt] = await readAttempts(first, id);
    expect(attempt.status).toBe('Unsent');
    await notify(first, attempt.id, approved());
    expect(await readPayment(first, id)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
    await app.clock.advance(5_000);
    // A node that stops has heard the answer and done what it does with it.
    await first.stop();
    const second = await startTestApp(options);
    expect(await readPayment(second, id)).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
    expect(await readAttempts(second, id)).toMatchObject([{ status: 'Approved', failure_code: null, due_at: null }]);
    await second.stop();
    await database.drop();
  });

  test('of an older push does not end the newer one', async () => {
    const { id, clientToken } = await create(app, webframe());
    await submit(clientToken);
    const { id: first } = await untilSent(app, id);
    await notify(app, first, declined('CUSTOMER_REFUSED'));
    await submit(clientToken, '923000003');
    await untilSent(app, id);
    await notify(app, first, declined('TIMED_OUT'));
    expect(await readPayment(app, id)).toMatchObject({ status: 'Processing', failure: null });
  });
});

test('a notification with an unknown outcome leaves the payment open', async () => {
  const { payment, attemptId } = await createPushed(app);
  await notify(app, attemptId, declined('BLOCKED_BY_MOON_PHASE'));
  expect(await readPayment(app, payment.id)).toMatchObject({ status: 'Processing', failure: null });
  await notify(app, attemptId, approved({ amount: 'many' }));
  expect(await readPayment(app, payment.id)).toMatchObject({ status: 'Processing', transactions: [], amountPaid: 0 });
  await notify(app, attemptId, approved());
  expect((await readPayment(app, payment.id)).status).toBe('Paid');
});
