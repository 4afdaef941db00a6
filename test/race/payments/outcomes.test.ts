// Outcomes of captures and refunds whose payment another transaction has locked.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { em } from '../../../server/database/db.ts';
import { applyOutcome } from '../../../server/payments/core/apply-outcome.ts';
import { Attempt } from '../../../server/payments/core/entities.ts';
import { UNKNOWN_OUTCOME } from '../../../server/providers/rail-call.ts';
import { startAppBehind, until, type Reply, type TestApp } from '../../support/app.ts';
import { authorization, capture, take } from '../../support/authorizations.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { readPayment } from '../../support/notify.ts';
import { create } from '../../support/payments.ts';
import { startRail, type Rail } from '../../support/rail.ts';
import {
  createPaid,
  createRefund,
  expectRefundsAgree,
  readRefund,
  readRefundEvents,
  refund,
} from '../../support/refunds.ts';
import { expectTakingsAgree } from '../../support/lists.ts';

let app: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startRail));
});
afterEach(() => {
  rail.calls.holdAt(null);
  rail.calls.cut();
});

/** Creates a payment or refund whose order the rail has not received, with its attempt. */
type Ordered = { id: string; known: Attempt };

async function order(make: () => Promise<string>, find: (id: string) => object): Promise<Ordered> {
  rail.calls.holdAt('request');
  const id = await make();
  const read = () => em(app.node.core).findOneOrFail(Attempt, find(id));
  const attempt = await read();
  // The proxy may also hold a query about an order of an earlier test.
  const isHeld = () => rail.calls.seen.some(({ method, body }) => method === 'POST' && body.includes(attempt.id));
  await until(isHeld, 'the call of the rail');
  return { id, known: await read() };
}

const byPayment = (paymentId: string) => ({ paymentId });
const orderHold = () => order(async () => (await create(app, authorization())).id, byPayment);
const orderCapture = (heldId: string) =>
  order(async () => (await take(app, capture(heldId))).json.internalId as string, byPayment);
const orderRefund = (paymentId: string, amount: number) =>
  order(
    async () => (await createRefund(app, paymentId, { amount })).id,
    (id) => ({ id }),
  );

const approved = (amountMinor: number, changes: object = {}) => ({
  ...UNKNOWN_OUTCOME,
  result: 'approved' as const,
  railOrderId: `order ${randomUUID()}`,
  providerRef: randomUUID(),
  currency: 'AOA',
  amountMinor,
  occurredAt: app.clock.now(),
  details: { clearingPeriod: '77', transactionNumber: '12' },
  ...changes,
});
type Outcome = ReturnType<typeof approved>;

const report = ({ known }: Ordered, outcome: Outcome, via: 'answer' | 'poll' = 'answer') =>
  applyOutcome(app.node.core, known.id, outcome, via, known);
const approve = (ordered: Ordered, changes: object = {}) => report(ordered, approved(150_000, changes));

async function createHeld(): Promise<string> {
  const ordered = await orderHold();
  expect(await approve(ordered)).toBe('changed');
  return ordered.id;
}

const lock = (id: string) => holdLock(app.databaseUrl, `select from payments where id = '${id}' for update`);
const untilWaiting = (count: number) =>
  until(async () => (await countWaiting(app.databaseUrl, 'select payments.id%')) === count, `${count} waiting`);

/** Sends a request for a locked payment and one for another payment. The second gets its response first. */
async function expectUndelayed(locked: string, send: () => Promise<Reply>, other: () => Promise<Reply>): Promise<void> {
  const release = await lock(locked);
  try {
    const waiting = send();
    await untilWaiting(1);
    expect((await other()).status).toBe(201);
    await release();
    expect((await waiting).status).toBe(201);
  } finally {
    await release();
  }
}

/** Two polls report the outcome while another transaction has locked the payment. */
async function reportTwice(locked: string, ordered: Ordered, outcome: Outcome): Promise<void> {
  const release = await lock(locked);
  const both = Promise.all([report(ordered, outcome, 'poll'), report(ordered, outcome, 'poll')]);
  await untilWaiting(2);
  await release();
  expect((await both).toSorted()).toEqual(['changed', 'unchanged']);
}

describe('a capture of an authorization', () => {
  test('is created by one of two concurrent requests, and the other returns 409', async () => {
    const ids = [await createHeld(), await createHeld()];
    rail.calls.holdAt('request');
    const replies = await Promise.all(ids.flatMap((id) => [take(app, capture(id)), take(app, capture(id))]));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
    for (const { status, json } of replies) if (status === 409) expect(json.code).toBe('authorization_busy');
    for (const id of ids)
      expect(await app.sql('select id from payments where authorization_id = $1', [id])).toHaveLength(1);
  });

  test('does not wait for the lock of another authorization', async () => {
    const [one, other] = [await createHeld(), await createHeld()];
    rail.calls.holdAt('request');
    const send = (id: string) => () => take(app, capture(id));
    await expectUndelayed(one, send(one), send(other));
  });

  test('is recorded once if two polls report it while its authorization is locked', async () => {
    const heldId = await createHeld();
    const taken = await orderCapture(heldId);
    await reportTwice(heldId, taken, approved(150_000));
    expect(await readPayment(app, taken.id)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
    expect(await app.sql('select id from transactions where payment_id = $1', [taken.id])).toHaveLength(1);
  });

  test.each([
    ['a smaller amount stays Processing', { amountMinor: 90_000 }, { status: 'Processing', amountPaid: 900 }],
    ['a larger amount is Paid and overpaid', { amountMinor: 160_000 }, { status: 'Paid', flags: ['overpaid'] }],
    ['another currency stays Processing', { currency: 'USD' }, { status: 'Processing', amountPaid: 0 }],
  ])('approved with %s', async (_name, changes, expected) => {
    const taken = await orderCapture(await createHeld());
    expect(await approve(taken, changes)).toBe('changed');
    expect(await readPayment(app, taken.id)).toMatchObject(expected);
  });

  test('does not record the transaction of another capture', async () => {
    const [one, other] = [await orderCapture(await createHeld()), await orderCapture(await createHeld())];
    const providerRef = randomUUID();
    expect(await approve(one, { providerRef })).toBe('changed');
    await approve(other, { providerRef });
    expect(await readPayment(app, other.id)).toMatchObject({ status: 'Processing', amountPaid: 0 });
  });
});

test.each([
  ['another amount is flagged and reserves this amount', { amountMinor: 90_000 }],
  ['another currency is flagged', { currency: 'USD' }],
])('an authorization approved with %s', async (_name, changes) => {
  const hold = await orderHold();
  expect(await approve(hold, changes)).toBe('changed');
  expect(await readPayment(app, hold.id)).toMatchObject({ status: 'Authorized', flags: ['amount_mismatch'] });
});

describe('a refund of a payment', () => {
  afterEach(async () => {
    await expectRefundsAgree(app);
    await expectTakingsAgree(app);
  });

  test('writes its events and updates its payment', async () => {
    const paid = await createPaid(app);
    const ordered = await orderRefund(paid.id, 100);
    expect(await report(ordered, approved(10_000))).toBe('changed');
    expect(await readRefund(app, ordered.id)).toMatchObject({ status: 'Succeeded', clearingPeriod: '77', late: false });
    const details = { refundId: ordered.id, amount: '100.00', currency: 'AOA', method: 'rail' };
    expect(await readRefundEvents(app, paid.id)).toMatchObject([
      { type: 'refund.created', status: 'Pending', details },
      { type: 'refund.succeeded', status: 'Succeeded', details: { ...details, via: 'answer' } },
    ]);
    const newest = 'select state from events where payment_id = $1 order by seq desc limit 1';
    const state = { status: 'Paid', refundedMinor: 10_000, amountPaidMinor: 150_000 };
    expect(await app.sql(newest, [paid.id])).toMatchObject([{ state }]);
  });

  test('does not wait for the lock of another payment', async () => {
    const [one, other] = [await createPaid(app), await createPaid(app)];
    const send = (id: string) => () => refund(app, id, { amount: 10 });
    await expectUndelayed(one.id, send(one.id), send(other.id));
  });

  test('is recorded once if two polls report it while its payment is locked', async () => {
    const paid = await createPaid(app);
    await reportTwice(paid.id, await orderRefund(paid.id, 100), approved(10_000));
    const types = (await readRefundEvents(app, paid.id)).map(({ type }) => type);
    expect(types).toEqual(['refund.created', 'refund.succeeded']);
  });

  test.each([
    ['another amount has the amount of the rail', { amountMinor: 9_000 }, { status: 'Succeeded', amount: 90 }],
    ['another currency stays Processing', { currency: 'USD' }, { status: 'Processing', amount: 100 }],
  ])('approved with %s', async (_name, changes, expected) => {
    const paid = await createPaid(app);
    const ordered = await orderRefund(paid.id, 100);
    await report(ordered, approved(10_000, changes));
    expect(await readRefund(app, ordered.id)).toMatchObject(expected);
  });

  test('does not record the transaction of another refund', async () => {
    const paid = await createPaid(app);
    const [one, other] = [await orderRefund(paid.id, 100), await orderRefund(paid.id, 100)];
    const outcome = approved(10_000);
    expect(await report(one, outcome)).toBe('changed');
    await report(other, outcome);
    expect(await readRefund(app, other.id)).toMatchObject({ status: 'Processing' });
  });

  test('is recorded together with a concurrent refund of the same payment', async () => {
    const paid = await createPaid(app);
    const [one, other] = [await orderRefund(paid.id, 100), await orderRefund(paid.id, 200)];
    const both = await Promise.all([report(one, approved(10_000)), report(other, approved(20_000))]);
    expect(both).toEqual(['changed', 'changed']);
    expect(await readPayment(app, paid.id)).toMatchObject({ amountRefunded: 300, refundStatus: 'partial' });
  });
});
