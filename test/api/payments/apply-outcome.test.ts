// The rules of applyOutcome for outcomes from responses, notifications, polls and syncs. The clock stands still.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../server/database/orm.ts';
import { counts } from '../../../server/metrics/counts.ts';
import { applyOutcome, applyInTransaction } from '../../../server/payments/core/apply-outcome.ts';
import { claimSend } from '../../../server/payments/core/submit.ts';
import {
  findRecorded,
  filterUnrecorded,
  recordTransaction,
  acceptUpToMax,
  type Source,
  type Via,
} from '../../../server/payments/core/record-transaction.ts';
import { findPayment, lockPayment } from '../../../server/payments/core/rows.ts';
import { closePending } from '../../../server/payments/core/states.ts';
import { UNKNOWN_OUTCOME } from '../../../server/providers/rail-call.ts';
import type { RailOutcome } from '../../../server/providers/provider.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { createPushed, NOTIFY_ENV, readAttempts, readPayment } from '../../support/notify.ts';
import { openRailWorld } from '../../support/rails-in-memory.ts';
import { listTexts } from '../../support/statements.ts';

const PENDING: RailOutcome = { ...UNKNOWN_OUTCOME, result: 'pending' };
const NOT_FOUND: RailOutcome = { ...UNKNOWN_OUTCOME, result: 'not_found' };
const unknown = (reason: string): RailOutcome => ({ ...UNKNOWN_OUTCOME, details: { reason } });
const declined = (failureCode: RailOutcome['failureCode']): RailOutcome => ({
  ...UNKNOWN_OUTCOME,
  result: 'declined',
  failureCode,
});
const approved = (changes: Partial<RailOutcome> = {}): RailOutcome => ({
  ...UNKNOWN_OUTCOME,
  result: 'approved',
  providerRef: randomUUID(),
  amountMinor: 150_000,
  currency: 'AOA',
  ...changes,
});

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

/** PostgreSQL returns times as text on the connections of the node's pool. */
function withDates(row: Record<string, any>): Record<string, any> {
  const entries = Object.entries(row);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, value && key.endsWith('_at') ? new Date(value) : value]),
  );
}

const secondsAgo = (seconds: number) => new Date(app.clock.now().getTime() - seconds * 1_000);

type Situation = { status?: string; kind?: string; createdS?: number; sentS?: number; dueS?: number };

const UNSENT_AGAIN: Situation = { status: 'Unsent', sentS: 0.5 };
const GIVEN_UP: Situation = { status: 'Unreached', createdS: 31 };

/** Creates a push that was created and sent so many seconds ago, with a given status. */
async function pushFixture(situation: Situation = {}) {
  const { payment, attemptId } = await createPushed(app);
  const { status = 'Sent', kind = 'purchase', createdS = 1, sentS = createdS, dueS = -60 } = situation;
  await app.sql(
    'update attempts set status = $2, kind = $3, created_at = $4, sent_at = $5, due_at = $6 where id = $1',
    [attemptId, status, kind, secondsAgo(createdS), secondsAgo(sentS), secondsAgo(dueS)],
  );
  const published: number[] = [];
  app.node.core.changes.subscribe(`payment:${payment.id}`, () => published.push(1));
  const apply = (outcome: RailOutcome, from: Via | Source = 'poll') =>
    applyOutcome(app.node.core, attemptId, outcome, from);
  const readAttempt = async () => withDates((await readAttempts(app, payment.id)).find(({ id }) => id === attemptId));
  const readEvents = () =>
    app.sql(
      "select type, status, details from events where payment_id = $1 and type <> 'payment.created' order by seq",
      [payment.id],
    );
  return { payment, attemptId, published, apply, readAttempt, readEvents, read: () => readPayment(app, payment.id) };
}

describe('an outcome that decides nothing', () => {
  test.each<[string, RailOutcome, Situation, Via, object]>([
    ['pending', PENDING, {}, 'poll', { status: 'Sent' }],
    ['an unreadable answer', unknown('unreadable'), {}, 'poll', { status: 'Sent' }],
    ['an unknown order in its time', NOT_FOUND, {}, 'poll', { status: 'Sent' }],
    ['no connection', unknown('unreachable'), { status: 'Unsent' }, 'answer', { status: 'Unreached' }],
    ['a lost connection', unknown('connection'), { status: 'Unsent' }, 'answer', { status: 'Unsent' }],
    ['a lost answer', unknown('timeout'), { status: 'Unsent' }, 'answer', { status: 'Sent' }],
  ])('schedules the next poll and changes nothing else: %s', async (_what, outcome, situation, via, expected) => {
    const fixture = await pushFixture(situation);
    const [before, events] = [await fixture.read(), await fixture.readEvents()];
    expect(await fixture.apply(outcome, via)).toBe('unchanged');
    const due_at = secondsAgo(-1);
    expect(await fixture.readAttempt()).toMatchObject({ ...expected, due_at, resolved_at: null });
    expect([await fixture.read(), await fixture.readEvents(), fixture.published]).toEqual([before, events, []]);
  });

  test('stores the order id that the rail returned', async () => {
    const { apply, readAttempt } = await pushFixture();
    await apply({ ...PENDING, railOrderId: 'R-1' });
    expect((await readAttempt())['rail_order_id']).toBe('R-1');
  });

  test("uses the caller's copy of the attempt if the attempt did not change since it was read", async () => {
    const fixture = await pushFixture({ status: 'Unsent' });
    const dates = { createdAt: secondsAgo(1), sentAt: secondsAgo(1), dueAt: secondsAgo(-60) };
    const known = { id: fixture.attemptId, kind: 'purchase', status: 'Sent', ...dates } as const;
    await applyOutcome(app.node.core, fixture.attemptId, PENDING, 'poll', { ...known, dueAt: secondsAgo(7) });
    const attempt = await fixture.readAttempt();
    // The row is Unsent and has another due time, so applyOutcome read it again under the lock.
    expect(attempt['due_at']).toEqual(secondsAgo(-1));
  });

  test.each(['Approved', 'Declined'])('does not change an attempt that is %s', async (status) => {
    const { apply, readAttempt } = await pushFixture({ status });
    const before = await readAttempt();
    for (const outcome of [PENDING, NOT_FOUND, unknown('timeout'), declined('issuer_refused')])
      expect(await apply(outcome)).toBe('unchanged');
    expect(await readAttempt()).toEqual(before);
  });
});

describe('the lock of the payment', () => {
  const OLD = 73 * 3_600;
  type Known = NonNullable<Parameters<typeof applyOutcome>[4]>;

  test.each<[string, RailOutcome, Situation, Via, Partial<Known> | null, boolean]>([
    ['pending', PENDING, {}, 'poll', null, false],
    ['pending for an attempt that was read before', PENDING, {}, 'poll', {}, false],
    ['an unknown outcome', unknown('timeout'), {}, 'poll', null, false],
    ['pending for a void', PENDING, { kind: 'void' }, 'poll', null, false],
    ['a second failed connection', unknown('unreachable'), UNSENT_AGAIN, 'answer', { wasUnreached: true }, false],
    ['a first failed connection', unknown('unreachable'), { status: 'Unsent' }, 'answer', {}, true],
    ['an unknown order', NOT_FOUND, {}, 'poll', null, true],
    ['the last poll', PENDING, { createdS: OLD }, 'poll', null, true],
    ['an attempt that is resolved', PENDING, { status: 'Approved' }, 'poll', null, true],
    ['an attempt that changed since it was read', PENDING, {}, 'poll', { dueAt: new Date(0) }, true],
    ['no connection after the time of the order', unknown('unreachable'), GIVEN_UP, 'poll', null, true],
  ])(
    'is acquired only if a single update is not enough: %s',
    async (_what, outcome, situation, via, known, isLocked) => {
      const { attemptId, readAttempt } = await pushFixture(situation);
      const { id, kind, status, created_at, sent_at, due_at } = await readAttempt();
      const read = { id, kind, status, createdAt: created_at, sentAt: sent_at, dueAt: due_at, ...known } as Known;
      const { texts } = await listTexts(() =>
        applyOutcome(app.node.core, attemptId, outcome, via, known ? read : null),
      );
      const own = texts.filter((text) => /\battempts\b/.test(text));
      expect(own.some((text) => text.includes('for update'))).toBe(isLocked);
      if (!isLocked) expect(own.map((text) => text.split(' ')[0])).toEqual(known ? ['update'] : ['select', 'update']);
    },
  );
});

describe('the last poll without a decision', () => {
  const OLD = 73 * 3_600;

  test('writes one `stuck` event each time the order was sent without a decision', async () => {
    const { payment, attemptId, apply, readAttempt, readEvents, published } = await pushFixture({ createdS: OLD });
    const stuck = async () => (await readEvents()).filter(({ type }) => type === 'payment.stuck');
    expect(await apply(PENDING)).toBe('changed');
    expect(published).toEqual([1]);
    expect((await readAttempt())['due_at']).toBeNull();
    expect(await stuck()).toMatchObject([{ status: 'Processing', details: { attemptId, via: 'poll' } }]);
    expect(await apply(PENDING)).toBe('unchanged');
    expect(await stuck()).toHaveLength(1);
    await app.sql("update events set occurred_at = $2 where payment_id = $1 and type = 'payment.stuck'", [
      payment.id,
      secondsAgo(OLD + 1),
    ]);
    expect(await apply(PENDING)).toBe('changed');
    expect(await stuck()).toHaveLength(2);
  });
});

describe('an order that never reached the rail', () => {
  test.each<[string, RailOutcome, Situation]>([
    ['the rail does not know it after its time', NOT_FOUND, { createdS: 31 }],
    ['no call connected in its time', unknown('unreachable'), { status: 'Unreached', createdS: 31 }],
  ])('fails its payment when %s', async (_when, outcome, situation) => {
    const { attemptId, apply, read, readAttempt, readEvents, published } = await pushFixture(situation);
    expect(await apply(outcome)).toBe('changed');
    expect(published).toEqual([1]);
    expect(await read()).toMatchObject({ status: 'Failed', failure: { code: 'rail_unavailable' }, transactions: [] });
    expect(await readAttempt()).toMatchObject({
      status: 'Declined',
      failure_code: 'rail_unavailable',
      due_at: null,
      resolved_at: app.clock.now(),
    });
    const details = { attemptId, failureCode: 'rail_unavailable', via: 'poll' };
    expect((await readEvents()).slice(-2)).toMatchObject([
      { type: 'payment.attempt_failed', status: 'Processing', details },
      { type: 'payment.failed', status: 'Failed', details },
    ]);
  });
});

describe('a refusal', () => {
  test.each<[string, RailOutcome, Via, Situation, string]>([
    ['of the payer', declined('customer_refused'), 'notification', {}, 'customer_refused'],
    ['without a reason', declined(null), 'poll', {}, 'issuer_refused'],
    ['of the first call', declined('acquirer_setup'), 'answer', { status: 'Unsent' }, 'acquirer_setup'],
    ['of a repeat by the payer', declined('customer_refused'), 'answer', { sentS: 0.5 }, 'customer_refused'],
    ['of the account in a poll', declined('acquirer_setup'), 'poll', { sentS: 0.5 }, 'acquirer_setup'],
  ])('%s fails the payment', async (_what, outcome, via, situation, code) => {
    const { apply, read, readAttempt } = await pushFixture(situation);
    expect(await apply({ ...outcome, railOrderId: 'R-2' }, via)).toBe('changed');
    expect(await read()).toMatchObject({ status: 'Failed', failure: { code } });
    const about = { status: 'Declined', failure_code: code, rail_order_id: 'R-2', due_at: null };
    expect(await readAttempt()).toMatchObject(about);
  });

  test('for a repeated call decides nothing, because the first call may still be in flight', async () => {
    const { apply, read, readAttempt } = await pushFixture({ status: 'Unsent', sentS: 0.5 });
    expect(await apply(declined('acquirer_setup'), 'answer')).toBe('unchanged');
    expect(await read()).toMatchObject({ status: 'Processing', failure: null });
    expect(await readAttempt()).toMatchObject({ status: 'Unsent', failure_code: null, resolved_at: null });
  });

  test.each([
    [0.5, 'changed', 'Failed'],
    [0.4, 'unchanged', 'Processing'],
  ])(
    'of a repeat by the account is final only if the first call failed to connect (sent %s s ago: %s)',
    async (sentS, result, status) => {
      const { attemptId, read, readAttempt } = await pushFixture(UNSENT_AGAIN);
      const { id, kind, created_at, due_at } = await readAttempt();
      const about = { id, kind, status: 'Unsent', createdAt: created_at, dueAt: due_at } as const;
      const known = { ...about, sentAt: secondsAgo(sentS), wasUnreached: true };
      const outcome = declined('acquirer_setup');
      expect(await applyOutcome(app.node.core, attemptId, outcome, 'answer', known)).toBe(result);
      expect((await read()).status).toBe(status);
    },
  );

  test('names the rail account whose configuration is wrong', async () => {
    const { apply, readEvents } = await pushFixture();
    await apply(declined('acquirer_setup'));
    expect((await readEvents()).at(-1).details).toMatchObject({ failureCode: 'acquirer_setup', account: 'Simulator' });
  });

  test('for an older push fails that push and does not change the payment', async () => {
    const { payment, attemptId, apply, read, readEvents } = await pushFixture({ createdS: 20 });
    await app.sql(
      `insert into attempts (id, payment_id, kind, rail, status, created_at, sent_at)
       values ($1, $2, 'purchase', 'gpo', 'Sent', $3, $3)`,
      [randomUUID(), payment.id, secondsAgo(1)],
    );
    const before = (await readEvents()).length;
    expect(await apply(declined('customer_refused'))).toBe('changed');
    expect(await read()).toMatchObject({ status: 'Processing', failure: null });
    expect((await readEvents()).slice(before)).toMatchObject([
      { type: 'payment.attempt_failed', status: 'Processing', details: { attemptId, failureCode: 'customer_refused' } },
    ]);
  });

  test('for the push of a final payment fails only the push', async () => {
    const { payment, apply, read, readEvents } = await pushFixture();
    await app.sql("update payments set status = 'Expired' where id = $1", [payment.id]);
    const before = (await readEvents()).length;
    await apply(declined('customer_refused'));
    expect((await read()).status).toBe('Expired');
    expect((await readEvents()).slice(before).map(({ type }) => type)).toEqual(['payment.attempt_failed']);
  });

  test('for the push of a page returns the payment to Pending with one event', async () => {
    const { payment, apply, read, readEvents } = await pushFixture();
    const expiresAt = secondsAgo(-900);
    await app.sql("update payments set payment_method = 'webframe', expires_at = $2 where id = $1", [
      payment.id,
      expiresAt,
    ]);
    const before = (await readEvents()).length;
    await apply(declined('insufficient_funds'));
    expect(await read()).toMatchObject({ status: 'Pending', failure: { code: 'insufficient_funds' } });
    const [row] = await app.sql('select due_at from payments where id = $1', [payment.id]);
    expect(withDates(row)).toEqual({ due_at: expiresAt });
    expect((await readEvents()).slice(before).map(({ type }) => type)).toEqual(['payment.attempt_failed']);
  });
});

describe('an approval', () => {
  test('records the transaction once, closes the attempt and publishes the change', async () => {
    const { attemptId, apply, read, readAttempt, readEvents, published } = await pushFixture();
    const occurredAt = secondsAgo(3);
    const outcome = approved({ occurredAt, railOrderId: 'R-3', details: { fee: '15.50', clearingPeriod: '9' } });
    expect(await apply(outcome, 'notification')).toBe('changed');
    expect(published).toEqual([1]);
    expect(await read()).toMatchObject({ status: 'Paid', amountPaid: 1500, failure: null, late: false, flags: [] });
    const providerRef = outcome.providerRef;
    const closed = { status: 'Approved', provider_ref: providerRef, failure_code: null, rail_order_id: 'R-3' };
    expect(await readAttempt()).toMatchObject({ ...closed, due_at: null, resolved_at: app.clock.now() });
    const recorded = () => app.sql('select * from transactions where attempt_id = $1', [attemptId]);
    const transaction = withDates((await recorded())[0]);
    expect(transaction).toMatchObject({
      provider_ref: providerRef,
      occurred_at: occurredAt,
      created_at: app.clock.now(),
      late: false,
      fee_minor: '1550',
      period: '9',
    });
    const details = { attemptId, transactionId: transaction.id, via: 'notification' };
    expect((await readEvents()).at(-1)).toEqual({ type: 'payment.paid', status: 'Paid', details });
    expect(await apply(outcome)).toBe('unchanged');
    expect(await apply(approved({ providerRef, amountMinor: 1 }))).toBe('unchanged');
    expect([(await recorded()).length, (await read()).amountPaid, published.length]).toEqual([1, 1500, 1]);
  });

  test('for a payment that failed is recorded as late money', async () => {
    const { attemptId, apply, read, readEvents } = await pushFixture();
    await apply(declined('timed_out'));
    expect(await apply(approved())).toBe('changed');
    expect(await read()).toMatchObject({ status: 'Paid', late: true, failure: null, transactions: [{ late: true }] });
    expect((await readEvents()).at(-1)).toMatchObject({ type: 'payment.paid', details: { attemptId, late: true } });
  });

  test('of too little money leaves the payment open and writes an event for the operator', async () => {
    const { apply, read, readEvents } = await pushFixture();
    const before = (await readEvents()).length;
    expect(await apply(approved({ amountMinor: 149_999 }))).toBe('changed');
    expect(await read()).toMatchObject({ status: 'Processing', amountPaid: 1499.99, flags: ['amount_mismatch'] });
    expect((await readEvents()).slice(before)).toMatchObject([
      { type: 'payment.amount_mismatch', status: 'Processing' },
      { type: 'payment.stuck', status: 'Processing' },
    ]);
  });

  test('with a transaction of another payment decides nothing', async () => {
    const [first, second] = [await pushFixture(), await pushFixture()];
    const outcome = approved();
    await first.apply(outcome);
    expect(await second.apply(outcome)).toBe('unchanged');
    expect(await second.read()).toMatchObject({ status: 'Processing', amountPaid: 0, transactions: [] });
    const due_at = secondsAgo(-1);
    expect(await second.readAttempt()).toMatchObject({ status: 'Sent', provider_ref: null, resolved_at: null, due_at });
    await second.apply(declined('customer_refused'));
    expect(await second.apply(outcome)).toBe('unchanged');
    expect(await second.readAttempt()).toMatchObject({ status: 'Declined', due_at: null });
  });

  test.each(['providerRef', 'amountMinor', 'currency'])(
    'without the field %s throws an error, because the connector translated it incorrectly',
    async (field) => {
      const { apply, read } = await pushFixture();
      await expect(apply(approved({ [field]: null }))).rejects.toThrow('approved without its money');
      expect(await read()).toMatchObject({ status: 'Processing', amountPaid: 0 });
    },
  );
});

describe('an approved capture', () => {
  test('records the money of the capture and sets its authorization to Captured', async () => {
    const [held, capture] = [await pushFixture(), await pushFixture({ kind: 'capture' })];
    await app.sql("update payments set payment_method = 'authorization', status = 'Authorized' where id = $1", [
      held.payment.id,
    ]);
    await app.sql("update payments set payment_method = 'capture', authorization_id = $2 where id = $1", [
      capture.payment.id,
      held.payment.id,
    ]);
    expect(await capture.apply(approved())).toBe('changed');
    expect(await capture.read()).toMatchObject({ status: 'Paid', amountPaid: 1500 });
    expect((await held.read()).status).toBe('Captured');
    expect([held.published, capture.published]).toEqual([[1], [1]]);
  });
});

describe('a recorded transaction', () => {
  test('is found by the transaction ids of the rail', async () => {
    const { core } = app.node;
    const { attemptId, apply } = await pushFixture();
    const outcome = approved();
    await apply(outcome);
    const [recorded, other] = [{ providerRef: outcome.providerRef! }, { providerRef: randomUUID() }];
    expect(await filterUnrecorded(core, 'gpo', [recorded, other])).toEqual([other]);
    expect(await filterUnrecorded(core, 'other', [recorded])).toEqual([recorded]);
    const found = await findRecorded(core, 'gpo', [recorded, other]);
    expect([...found]).toEqual([[recorded.providerRef, expect.objectContaining({ attemptId })]]);
    const { result, texts } = await listTexts(() => findRecorded(core, 'gpo', []));
    expect([result.size, texts.filter((text) => text.includes('transactions'))]).toEqual([0, []]);
  });

  test('for a QR code increments the number of payments, and the returned payment equals the row', async () => {
    const { payment, readEvents } = await pushFixture();
    await app.sql("update payments set status = 'Pending', max_transactions = 2, due_at = $2 where id = $1", [
      payment.id,
      secondsAgo(-60),
    ]);
    const record = () =>
      inTransaction(app.node.core, async (db) => {
        const locked = await lockPayment.one(db, { id: payment.id });
        const about = { db, payment: locked, attemptId: null, rail: 'gpo', via: 'poll', at: app.clock.now() } as const;
        const { providerRef, amountMinor, currency, occurredAt, details } = approved();
        const money = {
          providerRef: providerRef!,
          amountMinor: amountMinor!,
          currency: currency!,
          occurredAt,
          details,
        };
        return recordTransaction(about, money, acceptUpToMax);
      });
    const before = (await readEvents()).length;
    for (const [status, acceptedCount] of [
      ['Pending', 1],
      ['Paid', 2],
    ] as const) {
      const { payment: returned, details } = await record();
      expect(details).toEqual({ transactionId: expect.any(String), via: 'poll' });
      expect(returned).toMatchObject({ status, acceptedCount, amountPaidMinor: acceptedCount * 150_000 });
      expect(returned).toEqual(await findPayment.one(app.node.core, { id: payment.id }));
    }
    expect((await readEvents()).slice(before)).toMatchObject([
      { type: 'payment.transaction_accepted', status: 'Pending' },
      { type: 'payment.paid', status: 'Paid' },
    ]);
  });
});

describe('closePending', () => {
  test.each([
    ['cancel', 0, 'Canceled', {}, null],
    ['expire', 0, 'Expired', {}, null],
    ['cancel', 1, 'Paid', { closedBy: 'cancel' }, 'claim'],
    ['expire', 1, 'Paid', { closedBy: 'expire' }, 'claim'],
  ] as const)(
    'by %s after %i accepted payments sets the status %s',
    async (event, accepted, status, details, claim) => {
      const { core } = app.node;
      const { payment, readEvents } = await pushFixture();
      const own = claim && `${event} ${payment.id}`;
      await app.sql("update payments set status = 'Pending', accepted_count = $2, reference_claim = $3 where id = $1", [
        payment.id,
        accepted,
        `${event} ${payment.id}`,
      ]);
      const row = await findPayment.one(core, { id: payment.id });
      const countOf = async () =>
        (await counts.payments.get()).values.find(
          ({ labels }) => labels['method'] === 'onetimepurchase' && labels['status'] === status,
        )?.value ?? 0;
      const before = await countOf();
      await inTransaction(core, (db) => closePending(db, row, event, app.clock.now()));
      expect(await countOf()).toBe(before + 1);
      const closed = await findPayment.one(core, { id: payment.id });
      expect(closed).toMatchObject({ status, dueAt: null, completedAt: app.clock.now(), referenceClaim: own });
      expect((await readEvents()).at(-1)).toMatchObject({ status, details });
      await inTransaction(core, (db) => closePending(db, row, event, app.clock.now()));
      expect(await countOf()).toBe(before + 1);
    },
  );
});

describe('an outcome', () => {
  test.each<[string, Source]>([
    ['another account', { via: 'notification', rail: 'other' }],
    ['another kind of order', { via: 'notification', rail: 'gpo', kind: 'void' }],
  ])('from %s changes nothing', async (_what, from) => {
    const { apply, read, readAttempt } = await pushFixture();
    const before = await readAttempt();
    for (const outcome of [approved(), PENDING, declined('customer_refused')])
      expect(await apply(outcome, from)).toBe('unmatched');
    expect([(await read()).status, await readAttempt()]).toEqual(['Processing', before]);
  });

  test('from the account of the attempt is applied', async () => {
    const { apply, readEvents } = await pushFixture();
    expect(await apply(approved(), { via: 'notification', rail: 'gpo', kind: 'purchase' })).toBe('changed');
    expect((await readEvents()).at(-1).details.via).toBe('notification');
  });

  test('for an attempt id that does not exist is unmatched', async () => {
    for (const outcome of [PENDING, approved()])
      expect(await applyOutcome(app.node.core, randomUUID(), outcome, 'poll')).toBe('unmatched');
  });
});

describe('applyWithin', () => {
  const within = (attemptId: string, outcome: RailOutcome) =>
    inTransaction(app.node.core, (db) => applyInTransaction(app.node.core, db, attemptId, outcome));

  test('applies the outcome of a sync and leaves the publication to its caller', async () => {
    const { attemptId, read, readEvents, published } = await pushFixture();
    expect(await within(attemptId, approved())).toBe('changed');
    expect((await read()).status).toBe('Paid');
    expect((await readEvents()).at(-1).details.via).toBe('sync');
    expect(published).toEqual([]);
  });

  test('returns no match for an attempt id that does not exist', async () => {
    expect(await within(randomUUID(), approved())).toBe('unmatched');
  });
});

describe('claimSend', () => {
  test.each<[Situation, boolean]>([
    [{ status: 'Unsent' }, true],
    [{ status: 'Unreached' }, true],
    [{ status: 'Unsent', createdS: 29 }, true],
    [{ status: 'Unsent', createdS: 30 }, false],
    [{ status: 'Sent' }, false],
    [{ status: 'Approved' }, false],
    [{ status: 'Sent', kind: 'void', createdS: 900 }, true],
  ])('claims an order with %j: %s', async (situation, isClaimed) => {
    const { attemptId, payment, readAttempt } = await pushFixture(situation);
    const before = await readAttempt();
    const now = app.clock.now();
    const claimed = await claimSend(app.node.core, attemptId, before['sent_at']);
    if (!isClaimed) return void expect([claimed, await readAttempt()]).toEqual([null, before]);
    const dueAt = secondsAgo(-15);
    const written = { id: attemptId, status: 'Unsent', sentAt: now, dueAt };
    expect(claimed).toMatchObject({
      payment: { id: payment.id },
      attempt: written,
      written: { ...written, wasUnreached: situation.status === 'Unreached' },
    });
    expect(await readAttempt()).toMatchObject({ status: 'Unsent', sent_at: now, due_at: dueAt });
  });

  test('does not claim an order that was sent since, that is resolved, or whose payment is final', async () => {
    const { core } = app.node;
    const { attemptId, payment, readAttempt } = await pushFixture({ status: 'Unsent' });
    const sentAt = (await readAttempt())['sent_at'];
    expect(await claimSend(core, attemptId, secondsAgo(5))).toBeNull();
    await app.sql('update attempts set resolved_at = $2 where id = $1', [attemptId, secondsAgo(0)]);
    expect(await claimSend(core, attemptId, sentAt)).toBeNull();
    await app.sql('update attempts set resolved_at = null where id = $1', [attemptId]);
    await app.sql("update payments set status = 'Canceled' where id = $1", [payment.id]);
    expect(await claimSend(core, attemptId, sentAt)).toBeNull();
    expect(await claimSend(core, randomUUID(), sentAt)).toBeNull();
  });
});

// These tests are the last, because they replace the rail accounts of the node.
describe('a second rail account', () => {
  const can = { query: 'own_id', repeat: 'same_key_same_result' } as const;
  let rails: string[];
  beforeAll(() => {
    const { core } = app.node;
    const world = openRailWorld(core, app.clock, [can, can], async () => {});
    rails = world.book.list('', 'gpo').map(({ id }) => id);
  });

  test.each<[string, string, RailOutcome, Situation, Via]>([
    ['a refusal by the account', 'takes the push', declined('rail_unavailable'), {}, 'poll'],
    ['no connection at first', 'takes the push', unknown('unreachable'), { status: 'Unsent' }, 'answer'],
    ['a refusal by the payer', 'is not used', declined('customer_refused'), {}, 'poll'],
    ['an unknown order after a lost answer', 'is not used', NOT_FOUND, { createdS: 31 }, 'poll'],
    ['a refused repeat', 'must wait', declined('acquirer_setup'), UNSENT_AGAIN, 'answer'],
    ['no connection again', 'must wait', unknown('unreachable'), { status: 'Unreached', createdS: 5 }, 'poll'],
  ])('after %s %s', async (_what, effect, outcome, situation, via) => {
    const takesOver = effect === 'takes the push';
    const { core } = app.node;
    const own = core.rails;
    const { payment, attemptId, apply, readEvents, read } = await pushFixture(situation);
    const [first, second] = rails;
    await app.sql('update attempts set rail = $2 where id = $1', [attemptId, first]);
    try {
      const world = openRailWorld(core, app.clock, [can, can], async () => {});
      const list = ((_: string, kind: string) =>
        world.book.list('', kind as 'gpo').map((each, nth) => ({ ...each, id: rails[nth] }))) as never;
      Object.assign(core, { rails: { ...world.book, list } });
      expect(await apply(outcome, via)).toBe(effect === 'must wait' ? 'unchanged' : 'changed');
    } finally {
      Object.assign(core, { rails: own });
    }
    const attempts = await readAttempts(app, payment.id);
    expect(attempts.map(({ rail }) => rail)).toEqual(takesOver ? [first, second] : [first]);
    expect((await read()).status).toBe(effect === 'is not used' ? 'Failed' : 'Processing');
    const types = (await readEvents()).map(({ type }) => type);
    expect(types.includes('payment.failed_over')).toBe(takesOver);
  });
});
