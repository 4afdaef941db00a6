import { beforeAll, describe, expect, test } from 'vitest';
import { untilNoStatementRuns } from '../../support/idle.ts';
import { applyOutcome } from '../../../server/payments/core/apply-outcome.ts';
import { UNKNOWN_OUTCOME } from '../../../server/providers/rail-call.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import {
  approved,
  createPushed,
  declined,
  notify,
  NOTIFY_ENV,
  readAttempts,
  readEventTypes,
  readPayment,
  PENDING_PHONE,
  untilSent,
} from '../../support/notify.ts';
import { create, orderFault, purchase, readBooks, travelToStatus, webframe } from '../../support/payments.ts';

/** A delay that is longer than every other wait of a node. */
const TIMEOUT_MS = 40_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { ...NOTIFY_ENV, GPO_TIMEOUT_S: String(TIMEOUT_MS / 1_000) } });
});

async function submit(clientToken: string, phoneNumber = PENDING_PHONE): Promise<void> {
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

  test('is not reversed by a later refusal', async () => {
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
    // The rail reports no other outcome, so the node alerts an operator.
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

  test('makes the payment Paid once the rest arrives', async () => {
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
  ])('is recorded and flagged if it arrives a second time in %s', async (_name, currency, amountPaid) => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved());
    await notify(app, attemptId, approved({ currency }));
    const seen = await readPayment(app, payment.id);
    expect(seen).toMatchObject({ status: 'Paid', amountPaid, flags: ['overpaid'] });
    expect(seen.transactions).toHaveLength(2);
  });

  test('from two approved pushes is recorded as two transactions', async () => {
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

  test('reported twice with different amounts is recorded once', async () => {
    const { payment, attemptId } = await createPushed(app);
    const verdict = approved();
    await notify(app, attemptId, verdict);
    const paid = await readPayment(app, payment.id);
    await notify(app, attemptId, { ...verdict, amount: '9000.00' });
    expect(await readPayment(app, payment.id)).toEqual(paid);
  });
});

describe('a notification that arrives early', () => {
  test('decides a push before the response to its call, which then changes nothing', async () => {
    await orderFault(app, { on: 'purchase', kind: 'delay', delayMs: 5_000, phone: PENDING_PHONE });
    const { id, reference } = await create(app, purchase(PENDING_PHONE));
    await until(async () => (await readBooks(app, reference)).length === 1, 'the push reaching the rail');
    const [attempt] = await readAttempts(app, id);
    expect(attempt.status).toBe('Unsent');
    await notify(app, attempt.id, approved());
    expect(await readPayment(app, id)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
    const before = [await readPayment(app, id), await readAttempts(app, id)];
    await app.clock.advance(5_000);
    await until(() => !app.clock.waits().some(({ ms }) => ms === TIMEOUT_MS), 'the answer');
    await untilNoStatementRuns(app);
    expect([await readPayment(app, id), await readAttempts(app, id)]).toEqual(before);
  });

  test('about the refusal of an older push does not end a newer one', async () => {
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

const NOT_FOUND = { ...UNKNOWN_OUTCOME, result: 'not_found' } as const;

/** Creates a push whose call to the rail gets no response. */
async function createUnanswered() {
  await orderFault(app, { on: 'purchase', kind: 'hang', phone: PENDING_PHONE });
  const payment = await create(app, purchase(PENDING_PHONE));
  const attempt = await until(async () => (await readAttempts(app, payment.id))[0], 'the intent');
  // The call has consumed the fault, so no later push meets it.
  await until(async () => (await readBooks(app, payment.reference)).length === 1, 'the push reaching the rail');
  return { payment, attempt };
}

describe('a push whose call is in flight', () => {
  test('is not closed by a sync before its call has ended', async () => {
    const { payment, attempt } = await createUnanswered();
    await app.clock.pass(31_000);
    await applyOutcome(app.node.core, attempt.id, NOT_FOUND, 'sync');
    expect(await readPayment(app, payment.id)).toMatchObject({ status: 'Processing', failure: null });
    await app.clock.advance(15_000);
    await applyOutcome(app.node.core, attempt.id, NOT_FOUND, 'sync');
    expect(await readPayment(app, payment.id)).toMatchObject({
      status: 'Failed',
      failure: { code: 'rail_unavailable' },
    });
  });

  test('keeps the due time of its next poll when a sync queries the rail', async () => {
    const { payment, attempt } = await createUnanswered();
    await applyOutcome(app.node.core, attempt.id, NOT_FOUND, 'sync');
    const [after] = await readAttempts(app, payment.id);
    expect(after.due_at).toEqual(attempt.due_at);
    expect(after.status).toBe('Unsent');
  });
});

test('one transaction that is reported for two payments pays the first, and the second is polled again', async () => {
  const [first, second] = [await createPushed(app), await createPushed(app)];
  const verdict = approved();
  await notify(app, first.attemptId, verdict);
  await notify(app, second.attemptId, verdict);
  expect(await readPayment(app, first.payment.id)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  expect(await readPayment(app, second.payment.id)).toMatchObject({
    status: 'Processing',
    amountPaid: 0,
    transactions: [],
  });
  const [attempt] = await readAttempts(app, second.payment.id);
  expect(attempt.due_at).not.toBeNull();
});

test('an approved amount above the maximum for requests is recorded', async () => {
  const { payment, attemptId } = await createPushed(app, { amount: 10_000_000 });
  await notify(app, attemptId, approved({ amount: '10000050.00' }));
  expect(await readPayment(app, payment.id)).toMatchObject({
    status: 'Paid',
    amountPaid: 10_000_050,
    flags: ['overpaid'],
  });
  const { json } = await app.call(`/api/payments/${payment.id}/events`);
  expect(json.data.slice(-2)).toMatchObject([
    { type: 'payment.paid', status: 'Paid' },
    { type: 'payment.overpaid', status: 'Paid' },
  ]);
});

test('absent fields of a transaction are null', async () => {
  const { payment, attemptId } = await createPushed(app);
  await notify(app, attemptId, { ...approved(), transactionNumber: undefined, clearingPeriod: null } as never);
  const { transactions } = await readPayment(app, payment.id);
  expect(transactions).toMatchObject([{ transactionNumber: null, clearingPeriod: null, terminalId: 'demo-pos' }]);
});
