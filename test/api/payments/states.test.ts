import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction, openDatabase, type Database } from '../../../server/database/orm.ts';
import { entities } from '../../../server/entities.ts';
import { Problem } from '../../../server/http/problem.ts';
import { TRANSITIONS, transition, type PaymentMove, type PaymentEvent } from '../../../server/payments/core/states.ts';
import { isFinal, PAYMENT_STATUSES, type PaymentStatus } from '../../../shared/status.ts';
import { until } from '../../support/app.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

/** The expected next status for each event, written by hand. All other pairs of status and event are refused. */
const LEADS: Record<PaymentEvent, Partial<Record<PaymentStatus, PaymentStatus>>> = {
  submit: { Pending: 'Processing' },
  approve: { Pending: 'Paid', Processing: 'Paid', Failed: 'Paid', Expired: 'Paid', Canceled: 'Paid' },
  reserve: { Processing: 'Authorized', Failed: 'Authorized' },
  capture: { Authorized: 'Captured', Expired: 'Captured', Canceled: 'Captured' },
  reopen: { Processing: 'Pending' },
  decline: { Processing: 'Failed' },
  fail: { Pending: 'Failed' },
  cancel: { Pending: 'Canceled', Authorized: 'Canceled' },
  expire: { Pending: 'Expired', Authorized: 'Expired' },
};
const EVENTS = Object.keys(LEADS) as PaymentEvent[];
const TYPES: Record<PaymentEvent, string> = {
  submit: 'payment.processing',
  approve: 'payment.paid',
  reserve: 'payment.authorized',
  capture: 'payment.captured',
  reopen: 'payment.attempt_failed',
  decline: 'payment.failed',
  fail: 'payment.failed',
  cancel: 'payment.canceled',
  expire: 'payment.expired',
};

type Result = 'moved' | 'already' | 'refused';
type Payment = { id: string; merchantId: string; paymentMethod: 'webframe' };

const CREATED_AT = new Date('2026-03-02T09:00:00.000Z');
const AT = new Date('2026-03-02T09:10:00.123Z');

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase(fresh.url, { entities, poolMax: 8 });
});
afterAll(async () => {
  await database.orm.close(true);
  await fresh.drop();
});

async function insertPayment(status: PaymentStatus): Promise<Payment> {
  const payment = { id: randomUUID(), merchantId: randomUUID(), paymentMethod: 'webframe' } as const;
  await database.pool.query(
    `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
       revision, phone, created_at, due_at)
     values ($1, $2, 'R', 150000, 'AOA', 'GPO', 'webframe', $3, 7, '+244923456789', $4, $4)`,
    [payment.id, payment.merchantId, status, CREATED_AT],
  );
  return payment;
}

async function readPayment({ id }: Payment) {
  const { rows } = await database.pool.query('select * from payments where id = $1', [id]);
  return readTimes(rows[0]);
}

async function readEvents({ id }: Payment) {
  const { rows } = await database.pool.query('select * from events where payment_id = $1 order by seq', [id]);
  return rows.map(readTimes);
}

/** On the connections of this pool, PostgreSQL returns times as text. */
function readTimes(row: Record<string, any>): Record<string, any> {
  const entries = Object.entries(row);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name.endsWith('_at') && value ? new Date(value) : value]),
  );
}

function readResult(promise: Promise<boolean>): Promise<Result> {
  return promise.then(
    (hasMoved) => (hasMoved ? 'moved' : 'already'),
    (error: unknown) => {
      if (error instanceof Problem && error.code === 'state_conflict') return 'refused';
      throw error;
    },
  );
}

/** Applies the event in its own transaction. */
function move(payment: Payment, event: PaymentEvent, change: Partial<PaymentMove> = {}): Promise<Result> {
  return readResult(inTransaction(database, (db) => transition(db, payment, event, { at: AT, ...change })));
}

/** Returns the expected result of an event for a status. */
function foretell(status: PaymentStatus, event: PaymentEvent): { result: Result; status: PaymentStatus } {
  const to = LEADS[event][status];
  if (to) return { result: 'moved', status: to };
  return { result: Object.values(LEADS[event]).includes(status) ? 'already' : 'refused', status };
}

const PAIRS = PAYMENT_STATUSES.flatMap((status) => EVENTS.map((event) => [status, event] as const));

test('the expected table of this test has every event of TRANSITIONS', () => {
  expect(Object.keys(TRANSITIONS).sort()).toEqual([...EVENTS].sort());
  expect(PAIRS).toHaveLength(72);
});

test.each(PAIRS.map(([status, event]) => [status, event, foretell(status, event)] as const))(
  'a payment with the status %s and the event %s has the status and the events of the expected table',
  async (status, event, expected) => {
    const payment = await insertPayment(status);
    const before = await readPayment(payment);
    const details = { attemptId: 'a-1' };
    const result = await move(payment, event, { set: { failureCode: 'timed_out', dueAt: null }, details });
    expect(result).toBe(expected.result);
    const moved = { status: expected.status, revision: 8, failure_code: 'timed_out', due_at: null };
    const completed_at = isFinal(expected.status) ? AT : before.completed_at;
    expect(await readPayment(payment)).toEqual(result === 'moved' ? { ...before, ...moved, completed_at } : before);
    const written = { merchant_id: payment.merchantId, type: TYPES[event], status: expected.status };
    const events = result === 'moved' ? [{ ...written, occurred_at: AT, details, position: null }] : [];
    expect(await readEvents(payment)).toMatchObject(events);
  },
);

describe('a transition', () => {
  test('writes no event if its transaction is rolled back', async () => {
    const payment = await insertPayment('Pending');
    const before = await readPayment(payment);
    const undone = inTransaction(database, async (db) => {
      await transition(db, payment, 'submit', { at: AT });
      throw new Error('on purpose');
    });
    await expect(undone).rejects.toThrow('on purpose');
    expect(await readPayment(payment)).toEqual(before);
    expect(await readEvents(payment)).toEqual([]);
  });

  test('for an unknown payment is refused', async () => {
    const nobody = { id: randomUUID(), merchantId: randomUUID(), paymentMethod: 'webframe' as const };
    for (const event of EVENTS) expect(await move(nobody, event)).toBe('refused');
    expect(await readEvents(nobody)).toEqual([]);
  });

  test.each<[PaymentStatus, PaymentEvent[], PaymentStatus]>([
    ['Pending', ['submit', 'reopen', 'submit', 'reopen', 'expire', 'approve'], 'Paid'],
    ['Pending', ['cancel', 'approve'], 'Paid'],
    ['Processing', ['decline', 'reserve', 'expire', 'capture'], 'Captured'],
    ['Processing', ['reserve', 'cancel', 'capture'], 'Captured'],
  ])(
    'from %s by the events %s increments the revision and writes an event at each step',
    async (first, steps, last) => {
      const payment = await insertPayment(first);
      for (const step of steps) expect(await move(payment, step)).toBe('moved');
      expect(await readPayment(payment)).toMatchObject({ status: last, revision: 7 + steps.length });
      expect((await readEvents(payment)).map(({ type }) => type)).toEqual(steps.map((step) => TYPES[step]));
    },
  );
});

describe('two concurrent transitions', () => {
  /** Returns the status after both events, or null if one of them is refused. */
  function follow(status: PaymentStatus, events: PaymentEvent[]): PaymentStatus | null {
    return events.reduce<PaymentStatus | null>((at, event) => (at && LEADS[event][at]) ?? null, status);
  }

  const pairs = EVENTS.flatMap((first, i) => EVENTS.slice(i).map((second) => [first, second] as const));

  test.each(PAYMENT_STATUSES)('for a payment that is %s are applied one after the other', async (status) => {
    for (const [first, second] of pairs) {
      const payment = await insertPayment(status);
      const results = await Promise.all([move(payment, first), move(payment, second)]);
      const moved = [first, second].filter((_, i) => results[i] === 'moved');
      const { status: ended, revision } = await readPayment(payment);
      const types = (await readEvents(payment)).map(({ type }) => type);
      const isInOrder = [moved, moved.toReversed()].some(
        (order) => follow(status, order) === ended && String(order.map((event) => TYPES[event])) === String(types),
      );
      expect(isInOrder, `${first}, ${second}: ${results} ended ${ended} by ${types}`).toBe(true);
      expect(revision).toBe(7 + moved.length);
      // An event that is allowed in the first status succeeds, unless the other event came first.
      const canMove = [first, second].some((event) => follow(status, [event]));
      expect(moved.length > 0, `${first}, ${second}: ${results}`).toBe(canMove);
    }
  });

  /** Starts `second` before `first` is committed. Once `second` waits, commits or rolls back `first`. */
  async function overlap(payment: Payment, first: PaymentEvent, second: PaymentEvent, isUndone = false) {
    let waiting: Promise<Result> | undefined;
    const one = await readResult(
      inTransaction(database, async (db) => {
        const hasMoved = await transition(db, payment, first, { at: AT });
        waiting = move(payment, second);
        await until(async () => {
          const { rows } = await database.pool.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          );
          return rows.length > 0;
        }, `${second} waiting for ${first}`);
        if (isUndone) throw new Problem('state_conflict');
        return hasMoved;
      }),
    );
    return [one, await waiting];
  }

  test.each<[PaymentStatus, PaymentEvent, PaymentEvent, Result, PaymentStatus]>([
    ['Pending', 'submit', 'expire', 'refused', 'Processing'],
    ['Pending', 'expire', 'submit', 'refused', 'Expired'],
    ['Pending', 'approve', 'expire', 'refused', 'Paid'],
    // Late money is always accepted.
    ['Pending', 'expire', 'approve', 'moved', 'Paid'],
    ['Processing', 'decline', 'approve', 'moved', 'Paid'],
    ['Processing', 'approve', 'decline', 'refused', 'Paid'],
    ['Processing', 'approve', 'approve', 'already', 'Paid'],
    ['Pending', 'submit', 'submit', 'already', 'Processing'],
    ['Processing', 'reopen', 'decline', 'refused', 'Pending'],
    ['Processing', 'decline', 'reserve', 'moved', 'Authorized'],
    ['Processing', 'reserve', 'decline', 'refused', 'Authorized'],
    ['Authorized', 'capture', 'cancel', 'refused', 'Captured'],
    ['Authorized', 'capture', 'expire', 'refused', 'Captured'],
    // A capture is recorded even if it arrives after the cancel.
    ['Authorized', 'cancel', 'capture', 'moved', 'Captured'],
    ['Authorized', 'cancel', 'expire', 'refused', 'Canceled'],
    ['Authorized', 'expire', 'cancel', 'refused', 'Expired'],
    ['Authorized', 'cancel', 'cancel', 'already', 'Canceled'],
  ])(
    'from %s: after an uncommitted %s, the event %s is %s, and the payment ends as %s',
    async (status, first, second, result, ended) => {
      const payment = await insertPayment(status);
      expect(await overlap(payment, first, second)).toEqual(['moved', result]);
      expect(await readPayment(payment)).toMatchObject({ status: ended });
      const types = result === 'moved' ? [TYPES[first], TYPES[second]] : [TYPES[first]];
      expect((await readEvents(payment)).map(({ type }) => type)).toEqual(types);
    },
  );

  test('apply the second one if the first is rolled back', async () => {
    const payment = await insertPayment('Pending');
    expect(await overlap(payment, 'submit', 'expire', true)).toEqual(['refused', 'moved']);
    expect(await readPayment(payment)).toMatchObject({ status: 'Expired', revision: 8 });
    expect((await readEvents(payment)).map(({ type }) => type)).toEqual(['payment.expired']);
  });
});
