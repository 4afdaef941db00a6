import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { em } from '../../../../server/database/db.ts';
import { applyOutcome } from '../../../../server/payments/core/apply-outcome.ts';
import { Attempt } from '../../../../server/payments/core/entities.ts';
import { NOTHING_HEARD } from '../../../../server/providers/ask.ts';
import { startAppBehind, until, type TestApp } from '../../../support/app.ts';
import { authorization, capture, take } from '../../../support/authorizations.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { readPayment } from '../../../support/notify.ts';
import { create } from '../../../support/payments.ts';
import { startRail, type Rail } from '../../../support/rail.ts';

let app: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startRail));
});
afterEach(() => {
  rail.calls.holdAt(null);
  rail.calls.cut();
});

/** A payment whose order the rail has not got yet, and its attempt as its caller knows it. */
type Ordered = { id: string; known: Attempt };

async function order(make: () => Promise<{ id: string }>): Promise<Ordered> {
  rail.calls.holdAt('request');
  const before = rail.calls.held();
  const { id } = await make();
  await until(() => rail.calls.held() > before, 'the rail being asked');
  return { id, known: await em(app.node.core).findOneOrFail(Attempt, { paymentId: id }) };
}

const orderHold = () => order(() => create(app, authorization()));
const orderCapture = (heldId: string) =>
  order(async () => ({ id: (await take(app, capture(heldId))).json.internalId as string }));

const approved = (changes: object = {}) => ({
  ...NOTHING_HEARD,
  result: 'approved' as const,
  railOrderId: `order ${randomUUID()}`,
  providerRef: randomUUID(),
  currency: 'AOA',
  amountMinor: 150_000,
  occurredAt: app.clock.now(),
  details: { clearingPeriod: '77', transactionNumber: '12', fee: '15.00' },
  ...changes,
});

const approve = ({ known }: Ordered, changes: object = {}) =>
  applyOutcome(app.node.core, known.id, approved(changes), 'answer', known);

async function createHeld(): Promise<string> {
  const ordered = await orderHold();
  expect(await approve(ordered)).toBe('changed');
  return ordered.id;
}

test('two concurrent captures of an authorization write one and return 409 to the other', async () => {
  const ids = [await createHeld(), await createHeld()];
  rail.calls.holdAt('request');
  const replies = await Promise.all(ids.flatMap((id) => [take(app, capture(id)), take(app, capture(id))]));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
  for (const { status, json } of replies) if (status === 409) expect(json.code).toBe('authorization_busy');
  for (const id of ids) {
    const captures = await app.sql('select id from payments where authorization_id = $1', [id]);
    expect(captures).toHaveLength(1);
  }
});

test('a locked authorization does not delay the capture of another one', async () => {
  const [one, other] = [await createHeld(), await createHeld()];
  rail.calls.holdAt('request');
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${one}' for update`);
  try {
    const waiting = take(app, capture(one));
    await until(async () => (await countWaiting(app.databaseUrl, 'select payments.id%')) === 1, 'its waiting');
    expect((await take(app, capture(other))).status).toBe(201);
    await release();
    expect((await waiting).status).toBe(201);
  } finally {
    await release();
  }
});

test('a capture that two polls report while the authorization is locked is recorded once', async () => {
  const heldId = await createHeld();
  const taken = await orderCapture(heldId);
  const outcome = approved();
  const report = () => applyOutcome(app.node.core, taken.known.id, outcome, 'poll', taken.known);
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${heldId}' for update`);
  const both = Promise.all([report(), report()]);
  await until(async () => (await countWaiting(app.databaseUrl, 'select payments.id%')) === 2, 'both waiting');
  await release();
  expect((await both).toSorted()).toEqual(['changed', 'unchanged']);
  expect(await readPayment(app, taken.id)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  expect(await app.sql('select id from transactions where payment_id = $1', [taken.id])).toHaveLength(1);
});

test.each([
  [
    'another amount is flagged and reserves what the rail reports',
    { amountMinor: 90_000 },
    { flags: ['amount_mismatch'] },
  ],
  ['another currency is flagged', { currency: 'USD' }, { flags: ['amount_mismatch'] }],
])('an approved authorization with %s', async (_name, changes, expected) => {
  const hold = await orderHold();
  expect(await approve(hold, changes)).toBe('changed');
  expect(await readPayment(app, hold.id)).toMatchObject({ status: 'Authorized', ...expected });
});

test.each([
  ['a smaller amount stays Processing', { amountMinor: 90_000 }, { status: 'Processing', amountPaid: 900 }],
  ['a larger amount is Paid and flagged overpaid', { amountMinor: 160_000 }, { status: 'Paid', flags: ['overpaid'] }],
  ['another currency stays Processing', { currency: 'USD' }, { status: 'Processing', amountPaid: 0 }],
])('an approved capture with %s', async (_name, changes, expected) => {
  const taken = await orderCapture(await createHeld());
  expect(await approve(taken, changes)).toBe('changed');
  expect(await readPayment(app, taken.id)).toMatchObject(expected);
});

test('a transaction that belongs to one capture is not recorded for another', async () => {
  const [one, other] = [await orderCapture(await createHeld()), await orderCapture(await createHeld())];
  const providerRef = randomUUID();
  expect(await approve(one, { providerRef })).toBe('changed');
  await approve(other, { providerRef });
  expect(await readPayment(app, other.id)).toMatchObject({ status: 'Processing', amountPaid: 0 });
});
