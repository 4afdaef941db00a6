// Holds and captures of the same moment in one statement: what each of them costs, that it writes what the whole way writes, and that
// whatever is not the usual takes that.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { em } from '../../server/database/db.ts';
import { applyOutcome } from '../../server/payments/core/apply-outcome.ts';
import { Attempt, type KnownAttempt } from '../../server/payments/core/entities.ts';
import { NOTHING_HEARD } from '../../server/providers/ask.ts';
import { startAppBehind, until, type TestApp } from '../support/app.ts';
import { authorization, capture, take } from '../support/authorizations.ts';
import { countWaiting, holdLock } from '../support/locks.ts';
import { readPayment } from '../support/notify.ts';
import { create } from '../support/payments.ts';
import { startRail, type Rail } from '../support/rail.ts';
import { watchTables } from '../support/statements.ts';

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

/** @param known null: it takes the whole way */
const tell = ({ known: { id } }: Ordered, known: KnownAttempt | null, changes: object = {}) =>
  applyOutcome(app.node.core, id, approved(changes), 'answer', known);

async function createHeld(): Promise<string> {
  const ordered = await orderHold();
  expect(await tell(ordered, ordered.known)).toBe('changed');
  return ordered.id;
}

const TABLES = /\b(payments|attempts|transactions)\b/;

test('a hold is a statement, and its capture a read and two, whoever else is there', async () => {
  const live = async () => {
    const hold = await orderHold();
    const held = await watchTables(TABLES, () => tell(hold, hold.known));
    const taken = await watchTables(TABLES, async () => {
      rail.calls.holdAt('request');
      return take(app, capture(hold.id));
    });
    const id = taken.result.json.internalId as string;
    const known = await em(app.node.core).findOneOrFail(Attempt, { paymentId: id });
    const settled = await watchTables(TABLES, () => tell({ id, known }, known));
    return [...held.statements, ...taken.statements, ...settled.statements];
  };
  // Whatever else the node reads at that moment only adds to it: the cheapest of three is what one costs.
  const lives = [await live(), await live(), await live()];
  expect(lives).toContainEqual(['settle_holds', 'select', 'create_captures', 'settle_captures']);
});

/** Everything of a payment that does not differ from one to the next. */
async function readAll(id: string): Promise<unknown> {
  const own = ['id', 'reference', 'created_at', 'occurred_at', 'sent_at', 'authorization_id', 'payment_id', 'seq'];
  const others = ['operation_id', 'attempt_id', 'transaction_id', 'provider_ref', 'rail_order_id', 'completed_at'];
  const times = ['resolved_at', 'expires_at', 'due_at', 'position', 'txid', 'xid'];
  const stripped = (table: string, key: string) =>
    `select coalesce(json_agg(to_jsonb(t) - $2::text[] order by t.${table === 'events' ? 'seq' : 'id'}), '[]') as rows from ${table} t where ${key} = $1`;
  const tables = [
    ['payments', 'id'],
    ['attempts', 'payment_id'],
    ['transactions', 'payment_id'],
    ['events', 'payment_id'],
  ] as const;
  const all: Record<string, unknown> = {};
  for (const [table, key] of tables) {
    const [{ rows }] = await app.sql(stripped(table, key), [id, [...own, ...others, ...times]]);
    all[table] = rows;
  }
  return JSON.parse(
    JSON.stringify(all).replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}"|"\d{4}-\d\d-\d\dT[^"]+"/g, '"…"'),
  ) as unknown;
}

test('what is settled together is what the whole way writes', async () => {
  const written: unknown[] = [];
  for (const isKnown of [true, false]) {
    const hold = await orderHold();
    expect(await tell(hold, isKnown ? hold.known : null)).toBe('changed');
    const reserved = await readAll(hold.id);
    const taken = await orderCapture(hold.id);
    expect(await tell(taken, isKnown ? taken.known : null)).toBe('changed');
    written.push({ reserved, captured: await readAll(hold.id), taken: await readAll(taken.id) });
    rail.calls.cut();
  }
  expect(written[0]).toEqual(written[1]);
});

test('two captures of one authorization at once: one is written, the other is told that it is in use', async () => {
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

test('of an authorization that somebody holds a capture waits alone: another’s goes by', async () => {
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

test('while its payment is held, what was taken waits alone too, and is recorded once', async () => {
  const heldId = await createHeld();
  const taken = await orderCapture(heldId);
  const outcome = approved();
  const hear = () => applyOutcome(app.node.core, taken.known.id, outcome, 'poll', taken.known);
  const release = await holdLock(app.databaseUrl, `select from payments where id = '${heldId}' for update`);
  const both = Promise.all([hear(), hear()]);
  await until(async () => (await countWaiting(app.databaseUrl, 'select payments.id%')) === 2, 'both waiting');
  await release();
  expect((await both).toSorted()).toEqual(['changed', 'unchanged']);
  expect(await readPayment(app, taken.id)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  expect(await app.sql('select id from transactions where payment_id = $1', [taken.id])).toHaveLength(1);
});

test.each([
  ['another amount is held as it really is', { amountMinor: 90_000 }, { flags: ['amount_mismatch'] }],
  ['another currency holds nothing', { currency: 'USD' }, { flags: ['amount_mismatch'] }],
])('not the usual word of a hold: %s', async (_name, changes, expected) => {
  const hold = await orderHold();
  expect(await tell(hold, hold.known, changes)).toBe('changed');
  expect(await readPayment(app, hold.id)).toMatchObject({ status: 'Authorized', ...expected });
});

test.each([
  ['less than was asked is no payment', { amountMinor: 90_000 }, { status: 'Processing', amountPaid: 900 }],
  ['more is paid, and flagged', { amountMinor: 160_000 }, { status: 'Paid', flags: ['overpaid'] }],
  ['another currency is no payment', { currency: 'USD' }, { status: 'Processing', amountPaid: 0 }],
])('not the usual word of a capture: %s', async (_name, changes, expected) => {
  const taken = await orderCapture(await createHeld());
  expect(await tell(taken, taken.known, changes)).toBe('changed');
  expect(await readPayment(app, taken.id)).toMatchObject(expected);
});

test('the money of another capture is not believed', async () => {
  const [one, other] = [await orderCapture(await createHeld()), await orderCapture(await createHeld())];
  const providerRef = randomUUID();
  expect(await tell(one, one.known, { providerRef })).toBe('changed');
  await tell(other, other.known, { providerRef });
  expect(await readPayment(app, other.id)).toMatchObject({ status: 'Processing', amountPaid: 0 });
});

test('what was heard of a call that is not the last one takes the whole way', async () => {
  const hold = await orderHold();
  const earlier = { ...hold.known, sentAt: new Date(hold.known.sentAt.getTime() - 1) };
  const told = await watchTables(TABLES, () => tell(hold, earlier));
  // Loops of the node may ask for something of their own meanwhile.
  expect(told.statements).toContain('settle_holds');
  expect(told.statements.length).toBeGreaterThan(1);
  expect(await readPayment(app, hold.id)).toMatchObject({ status: 'Authorized' });
});
