import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { em } from '../../../../server/database/db.ts';
import { applyOutcome } from '../../../../server/payments/core/apply-outcome.ts';
import { Attempt } from '../../../../server/payments/core/entities.ts';
import { NOTHING_HEARD } from '../../../../server/providers/ask.ts';
import { startAppBehind, until, type TestApp } from '../../../support/app.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { startRail, type Rail } from '../../../support/rail.ts';
import {
  createPaid,
  createRefund,
  expectRefundsAgree,
  readRefund,
  readRefundEvents,
  refund,
} from '../../../support/refunds.ts';
import { expectTakingsAgree } from '../../../support/takings.ts';

let app: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startRail));
});
afterEach(async () => {
  rail.calls.holdAt(null);
  rail.calls.cut();
  await expectRefundsAgree(app);
  await expectTakingsAgree(app);
});

/** A refund that the rail has not got yet, and its attempt as its caller knows it. */
async function createHeld(paymentId: string, body: object = {}) {
  rail.calls.holdAt('request');
  const { id } = await createRefund(app, paymentId, body);
  await until(() => rail.calls.held() > 0, 'the rail being asked');
  return { id, known: await em(app.node.core).findOneOrFail(Attempt, { id }) };
}

const given = (amountMinor: number, changes: object = {}) => ({
  ...NOTHING_HEARD,
  result: 'approved' as const,
  providerRef: randomUUID(),
  currency: 'AOA',
  amountMinor,
  occurredAt: app.clock.now(),
  details: { clearingPeriod: '77', transactionNumber: '12' },
  ...changes,
});

test('a succeeded refund records its events and the state of its payment', async () => {
  const paid = await createPaid(app);
  const { id, known } = await createHeld(paid.id, { amount: 100 });
  expect(await applyOutcome(app.node.core, id, given(10_000), 'answer', known)).toBe('changed');
  expect(await readRefund(app, id)).toMatchObject({ status: 'Succeeded', clearingPeriod: '77', late: false });
  const [created, succeeded] = await readRefundEvents(app, paid.id);
  const about = { refundId: id, amount: '100.00', currency: 'AOA', method: 'rail' };
  expect(created).toMatchObject({ type: 'refund.created', status: 'Pending', details: about });
  expect(succeeded).toMatchObject({
    type: 'refund.succeeded',
    status: 'Succeeded',
    details: { ...about, via: 'answer' },
  });
  const [{ state }] = await app.sql(`select state from events where payment_id = $1 order by seq desc limit 1`, [
    paid.id,
  ]);
  expect(state).toMatchObject({ status: 'Paid', refundedMinor: 10_000, amountPaidMinor: 150_000 });
});

test('a locked payment does not delay the refund of another one', async () => {
  const [one, other] = [await createPaid(app), await createPaid(app)];
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${one.id}' for update`);
  try {
    const waiting = refund(app, one.id, { amount: 10 });
    await until(async () => (await countWaiting(app.databaseUrl, 'select payments.id%')) === 1, 'its waiting');
    expect((await refund(app, other.id, { amount: 10 })).status).toBe(201);
    await release();
    expect((await waiting).status).toBe(201);
  } finally {
    await release();
  }
});

test('a refund that two polls report while the payment is locked is recorded once', async () => {
  const paid = await createPaid(app);
  const { id, known } = await createHeld(paid.id, { amount: 100 });
  const outcome = given(10_000);
  const report = () => applyOutcome(app.node.core, id, outcome, 'poll', known);
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${paid.id}' for update`);
  const both = Promise.all([report(), report()]);
  await until(async () => (await countWaiting(app.databaseUrl, 'select payments.id%')) === 2, 'both waiting');
  await release();
  expect((await both).toSorted()).toEqual(['changed', 'unchanged']);
  expect((await readRefundEvents(app, paid.id)).map(({ type }) => type)).toEqual([
    'refund.created',
    'refund.succeeded',
  ]);
});

test.each([
  ['another amount counts as the rail reports it', { amountMinor: 9_000 }, { status: 'Succeeded', amount: 90 }],
  ['another currency stays Processing', { currency: 'USD' }, { status: 'Processing', amount: 100 }],
])('an approved refund with %s', async (_name, changes, expected) => {
  const paid = await createPaid(app);
  const { id, known } = await createHeld(paid.id, { amount: 100 });
  await applyOutcome(app.node.core, id, given(10_000, changes), 'answer', known);
  expect(await readRefund(app, id)).toMatchObject(expected);
});

test('a transaction that belongs to one refund is not recorded for another', async () => {
  const paid = await createPaid(app);
  const [one, other] = [await createHeld(paid.id, { amount: 100 }), await createHeld(paid.id, { amount: 100 })];
  const outcome = given(10_000);
  expect(await applyOutcome(app.node.core, one.id, outcome, 'answer', one.known)).toBe('changed');
  await applyOutcome(app.node.core, other.id, outcome, 'answer', other.known);
  expect(await readRefund(app, other.id)).toMatchObject({ status: 'Processing' });
});

test('two concurrent refunds of one payment are both recorded', async () => {
  const paid = await createPaid(app);
  const both = [await createHeld(paid.id, { amount: 100 }), await createHeld(paid.id, { amount: 200 })];
  const report = ({ id, known }: (typeof both)[number], nth: number) =>
    applyOutcome(app.node.core, id, given((nth + 1) * 10_000), 'answer', known);
  expect(await Promise.all(both.map(report))).toEqual(['changed', 'changed']);
  const { json } = await app.call(`/api/payments/${paid.id}`);
  expect(json).toMatchObject({ amountRefunded: 300, refundStatus: 'partial' });
});
