// Refunds of the same moment in one statement: what each of them costs, what is in the way of one alone, and that a rail's word which
// is not the usual one takes the whole way.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { em } from '../../server/database/db.ts';
import { applyOutcome } from '../../server/payments/core/apply-outcome.ts';
import { Attempt } from '../../server/payments/core/entities.ts';
import { NOTHING_HEARD } from '../../server/providers/ask.ts';
import { startAppBehind, until, type TestApp } from '../support/app.ts';
import { countWaiting, holdLock } from '../support/locks.ts';
import { startRail, type Rail } from '../support/rail.ts';
import {
  createPaid,
  createRefund,
  expectRefundsAgree,
  readRefund,
  readRefundEvents,
  refund,
} from '../support/refunds.ts';
import { watchTables } from '../support/statements.ts';
import { expectTakingsAgree } from '../support/takings.ts';

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

const MONEY = /\b(refunds|transactions)\b/;

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

test('one costs a read and a statement until it is out, and a statement more when it was given back', async () => {
  const paid = await createPaid(app);
  const payAndSettle = async () => {
    const created = await watchTables(MONEY, () => createHeld(paid.id, { amount: 100 }));
    const { id, known } = created.result;
    const settled = await watchTables(MONEY, () => applyOutcome(app.node.core, id, given(10_000), 'answer', known));
    expect(settled.result).toBe('changed');
    rail.calls.holdAt(null);
    rail.calls.cut();
    // The test's own reading of its attempt is of another table.
    return { id, statements: [...created.statements, ...settled.statements] };
  };
  // Whatever else the node reads at that moment only adds to it: the cheapest of three is what one costs.
  const refunds = [await payAndSettle(), await payAndSettle(), await payAndSettle()] as const;
  expect(refunds.map(({ statements }) => statements)).toContainEqual(['select', 'create_refunds', 'settle_refunds']);
  const [{ id }] = refunds;
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
  expect(state).toMatchObject({ status: 'Paid', refundedMinor: 30_000, amountPaidMinor: 150_000 });
});

test('of a payment that somebody holds it waits alone: another’s goes by', async () => {
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

test('while its payment is held, what was given back waits alone too, and is recorded once', async () => {
  const paid = await createPaid(app);
  const { id, known } = await createHeld(paid.id, { amount: 100 });
  const outcome = given(10_000);
  const tell = () => applyOutcome(app.node.core, id, outcome, 'poll', known);
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${paid.id}' for update`);
  const both = Promise.all([tell(), tell()]);
  await until(async () => (await countWaiting(app.databaseUrl, 'select payments.id%')) === 2, 'both waiting');
  await release();
  expect((await both).toSorted()).toEqual(['changed', 'unchanged']);
  expect((await readRefundEvents(app, paid.id)).map(({ type }) => type)).toEqual([
    'refund.created',
    'refund.succeeded',
  ]);
});

test.each([
  ['another amount counts as it was really given', { amountMinor: 9_000 }, { status: 'Succeeded', amount: 90 }],
  ['another currency is not believed', { currency: 'USD' }, { status: 'Processing', amount: 100 }],
])('not the usual word: %s', async (_name, changes, expected) => {
  const paid = await createPaid(app);
  const { id, known } = await createHeld(paid.id, { amount: 100 });
  await applyOutcome(app.node.core, id, given(10_000, changes), 'answer', known);
  expect(await readRefund(app, id)).toMatchObject(expected);
});

test('the money of another refund is not believed', async () => {
  const paid = await createPaid(app);
  const [one, other] = [await createHeld(paid.id, { amount: 100 }), await createHeld(paid.id, { amount: 100 })];
  const outcome = given(10_000);
  expect(await applyOutcome(app.node.core, one.id, outcome, 'answer', one.known)).toBe('changed');
  await applyOutcome(app.node.core, other.id, outcome, 'answer', other.known);
  expect(await readRefund(app, other.id)).toMatchObject({ status: 'Processing' });
});

test('two of one payment heard of at once: both are given back, and both are counted', async () => {
  const paid = await createPaid(app);
  const both = [await createHeld(paid.id, { amount: 100 }), await createHeld(paid.id, { amount: 200 })];
  const tell = ({ id, known }: (typeof both)[number], nth: number) =>
    applyOutcome(app.node.core, id, given((nth + 1) * 10_000), 'answer', known);
  expect(await Promise.all(both.map(tell))).toEqual(['changed', 'changed']);
  const { json } = await app.call(`/api/payments/${paid.id}`);
  expect(json).toMatchObject({ amountRefunded: 300, refundStatus: 'partial' });
});
