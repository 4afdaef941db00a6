import { beforeAll, describe, expect, test } from 'vitest';
import { applyOutcome } from '../../../server/payments/core/apply-outcome.ts';
import { NOTHING_HEARD } from '../../../server/providers/ask.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import {
  approved,
  createPushed,
  NOTIFY_ENV,
  notify,
  readAttempts,
  readPayment,
  SOMEBODY,
} from '../../support/notify.ts';
import { create, orderFault, purchase } from '../../support/payments.ts';

const NOT_FOUND = { ...NOTHING_HEARD, result: 'not_found' } as const;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { ...NOTIFY_ENV, GPO_TIMEOUT_S: '40' } });
});

/** A push whose call the rail has not answered. */
async function createUnanswered() {
  await orderFault(app, { on: 'purchase', kind: 'hang', phone: SOMEBODY });
  const payment = await create(app, purchase(SOMEBODY));
  const attempt = await until(async () => (await readAttempts(app, payment.id))[0], 'the intent');
  return { payment, attempt };
}

describe('a push whose call is in flight', () => {
  test('is not closed by a sync before the end of its call', async () => {
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

  test('keeps its due time during other queries', async () => {
    const { payment, attempt } = await createUnanswered();
    await applyOutcome(app.node.core, attempt.id, NOT_FOUND, 'sync');
    const [after] = await readAttempts(app, payment.id);
    expect(after.due_at).toEqual(attempt.due_at);
    expect(after.status).toBe('Unsent');
  });
});

test('one transaction reported for two payments pays one of them, and the other is polled again', async () => {
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

test('an amount above the maximum of a request is recorded', async () => {
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
