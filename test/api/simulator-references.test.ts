// The simulated rail's references: registered and withdrawn once and for all, paid at machines, told and listed.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPprRail } from '../../server/providers/ppr/client.ts';
import { readReferenceNotification } from '../../server/providers/ppr/notification.ts';
import type { PprRail, ReferenceOrder } from '../../server/providers/provider.ts';
import { until } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { countWaiting, holdLock } from '../support/locks.ts';
import { startReceiver } from '../support/rail.ts';
import {
  PPR_KEY,
  referenceOrder,
  startReferenceRail,
  type RailPayment,
  type ReferenceRail,
} from '../support/references.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const clock = testClock();
let gateway: Awaited<ReturnType<typeof startReceiver>>;
let machines: ReferenceRail;
let rail: PprRail;

beforeAll(async () => {
  gateway = await startReceiver();
  machines = await startReferenceRail({ gatewayUrl: () => gateway.url, clock });
  rail = machines.rail;
});
afterAll(async () => {
  await machines.stop();
  gateway.stop();
});

const ACTIVE = { result: 'active', details: { railStatus: 'ACTIVE' } };
const WITHDRAWN = { result: 'ended', details: { railStatus: 'WITHDRAWN' } };
const PAID = { result: 'ended', details: { railStatus: 'PAID' } };
const UNKNOWN_PAGE = { result: 'unknown', payments: [], unreadable: [], next: null };

/** A registered reference. */
async function register(more: Partial<ReferenceOrder> = {}): Promise<ReferenceOrder> {
  const order = referenceOrder(clock, more);
  expect(await rail.register(order)).toEqual(ACTIVE);
  return order;
}

const charging = (more: Partial<ReferenceOrder> = {}) =>
  register({ type: 'Charging', amountMinor: 0, expiresAt: new Date('2099-12-31T23:59:59.000Z'), ...more });

/** What the gateway was told of these digits, in order. */
function tellingsOf({ reference }: { reference: string }) {
  const told = gateway.bodies.map((body) => readReferenceNotification(body));
  return told.filter((news) => news?.payment.reference === reference);
}

/** Everything the rail took, page after page. */
async function listAll(after: string | null = null): Promise<string[]> {
  const { payments, next } = await rail.listPayments(after);
  return payments.length === 0 ? [] : [...payments.map(({ providerRef }) => providerRef), ...(await listAll(next))];
}

const statusAtMachine = async (order: ReferenceOrder) => (await machines.call('/atm/read', order)).body.status;

const byReference = (a: ReferenceOrder, b: ReferenceOrder) => a.reference.localeCompare(b.reference);

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 5_000, interval: 5 });

describe('a registration', () => {
  test('is made once, and its repetition is answered with how it stands', async () => {
    const order = await register();
    expect(await rail.register(order)).toEqual(ACTIVE);
    expect(await rail.query(order.referenceId)).toEqual({ result: 'told', payments: [] });
    for (const change of [
      { amountMinor: 1 },
      { type: 'Charging' as const },
      { description: null },
      { currency: 'USD' },
      { reference: '987654321' },
      { expiresAt: clock.now() },
    ]) {
      const changed = await rail.register({ ...order, ...change });
      expect(changed).toMatchObject({ result: 'refused', details: { reason: 'REFERENCE_CHANGED' } });
    }
    expect((await machines.books(order.reference)).references).toMatchObject([{ status: 'ACTIVE', payments: [] }]);
  });

  test('of nobody knows what is not found; an id that is none is 400', async () => {
    expect(await rail.query(randomUUID())).toEqual({ result: 'not_found', payments: [] });
    const order = referenceOrder(clock, { referenceId: 'x' });
    expect(await rail.register(order)).toMatchObject({ result: 'refused', details: { reason: 'BAD_REQUEST' } });
  });

  test.each<[string, Partial<ReferenceOrder>]>([
    ['an entity of four digits', { entity: '0999' }],
    ['a reference of eight digits', { reference: '12345678' }],
    ['a reference of sixteen digits', { reference: '1'.repeat(16) }],
    ['an open amount of a Dynamic one', { amountMinor: 0 }],
    ['a currency that is none', { currency: 'aoa' }],
  ])('%s is refused', async (_what, change) => {
    const refused = await rail.register(referenceOrder(clock, change));
    expect(refused).toMatchObject({ result: 'refused', details: { reason: 'BAD_REQUEST', httpStatus: '400' } });
  });

  test('with another key, or without one, is nothing', async () => {
    const order = referenceOrder(clock);
    const stranger = createPprRail({ url: machines.url, key: `${PPR_KEY}!`, timeoutMs: 20_000, clock });
    const unsigned = { result: 'unknown', details: { httpStatus: '401', railCode: 'BAD_SIGNATURE' } };
    expect(await stranger.register(order)).toMatchObject(unsigned);
    expect(await stranger.withdraw(order.referenceId)).toMatchObject(unsigned);
    expect(await machines.call('/v1/payments')).toMatchObject({ status: 401 });
    expect(await rail.query(order.referenceId)).toMatchObject({ result: 'not_found' });
  });

  test('of digits in use is refused until their reference has ended', async () => {
    const first = await register();
    const second = { ...first, referenceId: randomUUID() };
    const taken = { result: 'taken', details: { reason: 'REFERENCE_TAKEN' } };
    expect(await rail.register(second)).toMatchObject(taken);
    expect(await rail.register({ ...second, entity: '00998' })).toMatchObject({ result: 'active' });
    await rail.withdraw(first.referenceId);
    const third = { ...second, referenceId: randomUUID() };
    expect(await rail.register(third)).toMatchObject({ result: 'active' });
    expect(await rail.register({ ...third, referenceId: randomUUID() })).toMatchObject(taken);
    await machines.pay(third);
    const fourth = { ...third, referenceId: randomUUID(), expiresAt: new Date(clock.now().getTime() + 1_000) };
    expect(await rail.register(fourth)).toMatchObject({ result: 'active' });
    await clock.advance(1_000);
    expect(await rail.register({ ...first, referenceId: randomUUID() })).toMatchObject({ result: 'active' });
  });

  test('of the same digits by several at once: one has them', async () => {
    const digits = Array.from({ length: 8 }, () => referenceOrder(clock).reference);
    const orders = Array.from({ length: 40 }, (_, index) => referenceOrder(clock, { reference: digits[index % 8]! }));
    const results = await Promise.all(orders.toSorted(byReference).map((order) => rail.register(order)));
    expect(results.filter(({ result }) => result === 'active')).toHaveLength(8);
    expect(results.filter(({ result }) => result === 'taken')).toHaveLength(32);
    for (const own of digits) expect((await machines.books(own)).references).toMatchObject([{ status: 'ACTIVE' }]);
  });

  test('the same one twenty times at once is one', async () => {
    const order = referenceOrder(clock);
    const results = await Promise.all(Array.from({ length: 20 }, () => rail.register(order)));
    expect(results.every(({ result }) => result === 'active')).toBe(true);
    expect((await machines.books(order.reference)).references).toMatchObject([{ id: order.referenceId, calls: 20 }]);
  });
});

describe('a withdrawal', () => {
  test('ends it for ever, and may be repeated', async () => {
    const order = await register();
    for (let calls = 2; calls > 0; calls--) {
      expect(await rail.withdraw(order.referenceId)).toEqual(WITHDRAWN);
    }
    expect(await rail.register(order)).toEqual(WITHDRAWN);
    expect(await rail.register({ ...order, amountMinor: 1 })).toEqual(WITHDRAWN);
    expect(await machines.pay(order)).toMatchObject({ status: 409, body: { code: 'REFERENCE_WITHDRAWN' } });
    expect(await rail.query(order.referenceId)).toEqual({ result: 'told', payments: [] });
  });

  test('before it came is remembered', async () => {
    const order = referenceOrder(clock);
    expect(await rail.withdraw(order.referenceId)).toEqual(WITHDRAWN);
    expect(await rail.query(order.referenceId)).toEqual({ result: 'told', payments: [] });
    expect(await rail.register(order)).toEqual(WITHDRAWN);
    expect(await machines.pay(order)).toMatchObject({ status: 409, body: { code: 'REFERENCE_WITHDRAWN' } });
    expect(await rail.register({ ...order, referenceId: randomUUID() })).toMatchObject({ result: 'active' });
  });

  test('of a paid Dynamic one has nothing to withdraw; of a Charging one ends it after its payments', async () => {
    const dynamic = await register();
    await machines.pay(dynamic);
    expect(await rail.withdraw(dynamic.referenceId)).toEqual(PAID);
    expect(await statusAtMachine(dynamic)).toBe('PAID');
    const open = await charging();
    await machines.pay(open, { amount: '10.00' });
    await rail.withdraw(open.referenceId);
    expect(await statusAtMachine(open)).toBe('WITHDRAWN');
    expect((await rail.query(open.referenceId)).payments).toHaveLength(1);
  });

  test('at once with its registration: it is withdrawn', async () => {
    const orders = Array.from({ length: 10 }, () => referenceOrder(clock));
    await Promise.all(orders.flatMap((order) => [rail.register(order), rail.withdraw(order.referenceId)]));
    for (const order of orders) {
      expect(await machines.pay(order)).toMatchObject({ status: 409, body: { code: 'REFERENCE_WITHDRAWN' } });
    }
  });

  test('while somebody pays waits, and finds it paid', async () => {
    const order = await register();
    const release = await holdLock(machines.databaseUrl, 'lock table simulator.periods in exclusive mode');
    const payment = machines.pay(order);
    await eventually(() => countWaiting(machines.databaseUrl, 'insert into simulator.periods')).toBe(1);
    const withdrawal = rail.withdraw(order.referenceId);
    const first = Promise.race([withdrawal, until(() => countWaiting(machines.databaseUrl, 'ppr_references'))]);
    await first.finally(release);
    expect(await payment).toMatchObject({ status: 201 });
    expect(await withdrawal).toEqual(PAID);
  });
});

describe('a machine', () => {
  test('shows what is to be paid, takes it once, and everybody is told the same', async () => {
    const order = await register({ reference: '017756991' });
    expect(await machines.call('/atm/read', { entity: ' 00999', reference: '017 756 991' })).toEqual({
      status: 200,
      body: {
        entity: '00999',
        reference: '017756991',
        type: 'DYNAMIC',
        amount: '1500.00',
        currency: 'AOA',
        description: 'Café',
        expiresAt: order.expiresAt.toISOString(),
        status: 'ACTIVE',
      },
    });
    const { status, body } = await machines.pay({ entity: '00999', reference: '017 756 991' }, { channel: 'ATM' });
    expect(status).toBe(201);
    const [payment] = body.payments as RailPayment[];
    expect(payment).toEqual({
      transactionId: expect.stringMatching(/^\d{18}$/),
      entity: '00999',
      reference: '017756991',
      amount: '1500.00',
      currency: 'AOA',
      paidAt: clock.now().toISOString(),
      period: expect.stringMatching(/^\d+$/),
      number: expect.stringMatching(/^\d+$/),
      terminal: { type: 'ATM', id: '0000012345', location: 'Luanda Ilha' },
      nib: expect.stringMatching(/^\d{21}$/),
      bank: 'Banco da Baía',
    });
    expect(await machines.call(`/atm/payments/${payment?.transactionId}`)).toEqual({ status: 200, body: payment });
    const { payments } = await rail.query(order.referenceId);
    expect(payments).toMatchObject([
      { providerRef: payment?.transactionId, amountMinor: 150_000, occurredAt: clock.now() },
    ]);
    await eventually(() => tellingsOf(order)).toEqual([{ notificationId: expect.any(String), payment: payments[0] }]);
    expect(await listAll()).toContain(payment?.transactionId);
    expect(await machines.pay(order)).toMatchObject({ status: 409, body: { code: 'REFERENCE_PAID' } });
    const book = await machines.books('017756991');
    expect(book.references).toMatchObject([{ id: order.referenceId, status: 'PAID', payments: [payment] }]);
    expect(book.referencePayments).toMatchObject([{ ...payment, referenceId: order.referenceId, isPublic: true }]);
    expect(book.referenceTotals).toEqual([{ currency: 'AOA', count: 1, amount: '1500.00' }]);
  });

  test.each([
    ['ATM', { type: 'ATM', id: '0000012345', location: 'Luanda Ilha' }],
    ['POS', { type: 'POS', id: '0000067890', location: 'Luanda Talatona' }],
    ['IB', { type: 'IB', id: '0000000044', location: 'Internet' }],
    ['MB', { type: 'MB', id: '0000000000', location: 'Internet' }],
  ])('%s is said in the payment', async (channel, terminal) => {
    const { body } = await machines.pay(await register(), { channel });
    expect(body.payments).toMatchObject([{ terminal }]);
    expect(terminal.location.length).toBeLessThanOrEqual(15);
  });

  test('knows neither digits that nobody registered, nor payments that nobody made', async () => {
    const unknown = { status: 404, body: { code: 'UNKNOWN_REFERENCE' } };
    expect(await machines.pay({ entity: '00999', reference: '999999999' })).toMatchObject(unknown);
    const { entity, reference } = await register();
    expect(await machines.pay({ entity, reference: reference.replace(/^0/, '') })).toMatchObject(unknown);
    expect(await machines.pay({ entity: '00998', reference })).toMatchObject(unknown);
    expect(await machines.call('/atm/read', { entity: '', reference: ' ' })).toMatchObject(unknown);
    expect(await machines.call('/atm/payments/1')).toMatchObject({ status: 404, body: { code: 'UNKNOWN_PAYMENT' } });
    expect(await machines.call('/atm/payments/1/repeat', {})).toMatchObject({ status: 404 });
  });

  test('refuses from the moment it expires', async () => {
    const order = await charging({ expiresAt: new Date(clock.now().getTime() + 60_000) });
    await clock.advance(59_999);
    expect(await machines.pay(order, { amount: '1.00' })).toMatchObject({ status: 201 });
    await clock.advance(1);
    expect(await machines.pay(order, { amount: '1.00' })).toMatchObject({
      status: 409,
      body: { code: 'REFERENCE_EXPIRED' },
    });
    expect(await rail.register(order)).toEqual({ result: 'ended', details: { railStatus: 'EXPIRED' } });
  });

  test('takes what is asked, and any amount where the payer chooses', async () => {
    const wrong = { status: 400, body: { code: 'WRONG_AMOUNT' } };
    const fixed = await charging({ amountMinor: 50_000 });
    for (const amount of ['499.99', '500.01', '0', '-500.00', 'much']) {
      expect(await machines.pay(fixed, { amount })).toMatchObject(wrong);
    }
    for (const amount of ['500.00', '500', null]) {
      expect(await machines.pay(fixed, { amount })).toMatchObject({ status: 201 });
    }
    const open = await charging();
    expect((await machines.call('/atm/read', open)).body).toMatchObject({ type: 'CHARGING', amount: null });
    for (const amount of [null, '0.00', '1.005']) expect(await machines.pay(open, { amount })).toMatchObject(wrong);
    for (const amount of ['0.01', '2500']) expect(await machines.pay(open, { amount })).toMatchObject({ status: 201 });
    const { referencePayments } = await machines.books(open.reference);
    expect(referencePayments.map(({ amount }) => amount)).toEqual(['0.01', '2500.00']);
    expect((await machines.books(fixed.reference)).referenceTotals).toMatchObject([{ count: 3, amount: '1500.00' }]);
  });

  test('pays the live one of several with the same digits', async () => {
    const old = await register();
    await rail.withdraw(old.referenceId);
    const live = { ...old, referenceId: randomUUID(), amountMinor: 200_000 };
    await rail.register(live);
    // Registered last, and ended: the live one is not the newest.
    const ended = { ...old, referenceId: randomUUID() };
    await rail.withdraw(ended.referenceId);
    await rail.register(ended);
    expect((await machines.pay(old)).body.payments).toMatchObject([{ amount: '2000.00' }]);
    expect((await rail.query(live.referenceId)).payments).toHaveLength(1);
    expect((await rail.query(old.referenceId)).payments).toEqual([]);
  });

  test('thirty payers at once: a Dynamic one is paid once, a Charging one thirty times', async () => {
    const dynamic = await register();
    const answers = await Promise.all(Array.from({ length: 30 }, () => machines.pay(dynamic)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(29).fill(409)]);
    const open = await charging({ entity: '00777' });
    await Promise.all(Array.from({ length: 30 }, () => machines.pay(open, { amount: '10.00' })));
    const { referencePayments } = await machines.books(open.reference);
    const numbers = referencePayments.map(({ number }) => Number(number)).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(new Set(referencePayments.map(({ transactionId }) => transactionId)).size).toBe(30);
    await eventually(() => tellingsOf(open).length).toBe(30);
  });

  test('numbers payments within the banking day of the entity, which closes at 20:00 in Luanda', async () => {
    const [one, other] = [await charging({ entity: '00501' }), await charging({ entity: '00502' })];
    const pay = async (order: ReferenceOrder) => {
      const [{ period, number }] = (await machines.pay(order, { amount: '1.00' })).body.payments;
      return [period, number];
    };
    const evening = Date.parse(`${clock.now().toISOString().slice(0, 10)}T18:59:59.999Z`);
    clock.leap(evening + DAY_MS - clock.now().getTime());
    const [period] = await pay(one);
    expect(await pay(one)).toEqual([period, '2']);
    expect(await pay(other)).toEqual([period, '1']);
    await clock.advance(1);
    const tomorrow = String(Number(period) + 1);
    expect(await pay(one)).toEqual([tomorrow, '1']);
    expect(await pay(one)).toEqual([tomorrow, '2']);
  });
});

describe('the list of payments', () => {
  test('begins at the beginning, goes on where it ended, and stays there', async () => {
    const order = await charging();
    const before = await listAll();
    const paid = [];
    for (const amount of ['1.00', '2.00', '3.00']) paid.push(...(await machines.pay(order, { amount })).body.payments);
    const ids = paid.map(({ transactionId }) => transactionId);
    expect(await listAll()).toEqual([...before, ...ids]);
    const { next } = await rail.listPayments(null);
    let cursor = next;
    for (let page = await rail.listPayments(cursor); page.payments.length > 0; page = await rail.listPayments(cursor)) {
      cursor = page.next;
    }
    expect(await rail.listPayments(cursor)).toEqual({ result: 'told', payments: [], unreadable: [], next: cursor });
    await machines.pay(order, { amount: '4.00' });
    expect((await rail.listPayments(cursor)).payments).toMatchObject([{ amountMinor: 400 }]);
    expect(await rail.listPayments('x')).toEqual(UNKNOWN_PAGE);
  });

  test('hides nothing behind a cursor, however many pay while it is read', async () => {
    const orders = await Promise.all(Array.from({ length: 4 }, (_, index) => charging({ entity: `0060${index}` })));
    const tail = (await listAll()).length;
    const paying = Promise.all(
      Array.from({ length: 60 }, (_, index) => machines.pay(orders[index % 4]!, { amount: '1.00' })),
    );
    let isPaid = false;
    void paying.then(() => (isPaid = true));
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let isLast = false; !isLast;) {
      isLast = isPaid;
      for (;;) {
        const page = await rail.listPayments(cursor);
        seen.push(...page.payments.map(({ providerRef }) => providerRef));
        if (page.next === cursor) break;
        cursor = page.next;
      }
    }
    const paid = (await paying).flatMap(({ body }) => body.payments as RailPayment[]);
    expect(new Set(seen).size).toBe(seen.length);
    expect(new Set(seen.slice(tail))).toEqual(new Set(paid.map(({ transactionId }) => transactionId)));
  });
});

describe('what goes wrong at a machine', () => {
  test('twice: two transactions, of a Dynamic one too', async () => {
    const order = await register();
    const { status, body } = await machines.pay(order, { fault: 'twice' });
    expect(status).toBe(201);
    const ids = (body.payments as RailPayment[]).map(({ transactionId }) => transactionId);
    expect(new Set(ids).size).toBe(2);
    expect((await rail.query(order.referenceId)).payments.map(({ providerRef }) => providerRef)).toEqual(ids);
    await eventually(() => tellingsOf(order).map((news) => news?.payment.providerRef)).toHaveLength(2);
  });

  test('late: money for what was withdrawn, expired or paid; unknown digits stay unknown', async () => {
    const [withdrawn, paid] = [await register(), await register()];
    const expired = await register({ expiresAt: new Date(clock.now().getTime() + 1_000) });
    await rail.withdraw(withdrawn.referenceId);
    await machines.pay(paid);
    await clock.advance(1_000);
    for (const order of [withdrawn, expired, paid]) {
      expect(await machines.pay(order)).toMatchObject({ status: 409 });
      expect(await machines.pay(order, { fault: 'late' })).toMatchObject({ status: 201 });
    }
    expect((await rail.query(withdrawn.referenceId)).payments).toHaveLength(1);
    expect((await rail.query(paid.referenceId)).payments).toHaveLength(2);
    expect(await machines.pay({ entity: '00999', reference: '999999999' }, { fault: 'late' })).toMatchObject({
      status: 404,
    });
  });

  test('wrong amount: any, but money', async () => {
    const order = await register();
    const pay = (amount: string) => machines.pay(order, { amount, fault: 'wrong_amount' });
    for (const amount of ['0.00', 'x', '']) {
      expect(await pay(amount)).toMatchObject({ status: 400, body: { code: 'WRONG_AMOUNT' } });
    }
    expect((await pay('0.01')).body.payments).toMatchObject([{ amount: '0.01' }]);
    expect((await rail.query(order.referenceId)).payments).toMatchObject([{ amountMinor: 1 }]);
    expect(await pay('0.01')).toMatchObject({ status: 409, body: { code: 'REFERENCE_PAID' } });
  });

  test('notify later: taken at once, known to nobody but the machines for an hour', async () => {
    const order = await register();
    const before = await listAll();
    const paidAt = clock.now();
    const { status, body } = await machines.pay(order, { fault: 'notify_later' });
    expect({ status, body }).toMatchObject({ status: 201, body: { payments: [{ paidAt: paidAt.toISOString() }] } });
    const [{ transactionId }] = body.payments;
    expect(await machines.pay(order)).toMatchObject({ status: 409, body: { code: 'REFERENCE_PAID' } });
    // Another one's payment comes first in the list.
    const [quick] = (await machines.pay(await register())).body.payments;
    const unknown = async () => {
      expect(await rail.query(order.referenceId)).toEqual({ result: 'told', payments: [] });
      expect(await rail.register(order)).toEqual(ACTIVE);
      expect(await listAll()).toEqual([...before, quick.transactionId]);
      expect((await machines.books(order.reference)).referencePayments).toMatchObject([
        { transactionId, isPublic: false },
      ]);
      expect(tellingsOf(order)).toEqual([]);
    };
    await unknown();
    await clock.advance(HOUR_MS - 1);
    await unknown();
    await clock.advance(1);
    expect((await rail.query(order.referenceId)).payments).toMatchObject([
      { providerRef: transactionId, occurredAt: paidAt },
    ]);
    expect(await listAll()).toEqual([...before, quick.transactionId, transactionId]);
    expect(await rail.register(order)).toEqual(PAID);
    await eventually(() => tellingsOf(order)).toMatchObject([{ payment: { providerRef: transactionId } }]);
  });

  test('notify later: nobody needs to ask, and a restart forgets nothing', async () => {
    const order = await register();
    await machines.pay(order, { fault: 'notify_later' });
    await machines.restart();
    clock.leap(HOUR_MS);
    await eventually(() => tellingsOf(order).length).toBe(1);
  });

  test('lost: only who asks learns of it', async () => {
    const [lost, told] = [await register(), await register()];
    const [{ transactionId }] = (await machines.pay(lost, { fault: 'lost' })).body.payments;
    await machines.pay(told);
    await eventually(() => tellingsOf(told).length).toBe(1);
    expect(tellingsOf(lost)).toEqual([]);
    expect((await rail.query(lost.referenceId)).payments).toMatchObject([{ providerRef: transactionId }]);
    expect(await listAll()).toContain(transactionId);
    expect((await machines.books(lost.reference)).referencePayments).toMatchObject([
      { isPublic: true, notifications: 0 },
    ]);
  });

  test('the machine itself, once and for these digits', async () => {
    const order = await register();
    await machines.orderFault({ on: 'atm', kind: 'unavailable', reference: order.reference });
    expect(await machines.pay(await register())).toMatchObject({ status: 201 });
    expect(await machines.pay(order)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(await machines.pay(order)).toMatchObject({ status: 201 });
    expect(await machines.call('/faults', { on: 'atm', kind: 'hang' })).toMatchObject({ status: 400 });
    expect(await machines.pay(order, { fault: 'fire' })).toMatchObject({ status: 400 });
  });
});

describe('faults on demand', () => {
  beforeEach(() => machines.call('/faults', {}, 'DELETE'));

  const REQUEST_FAULTS: [string, string, boolean][] = [
    ['unavailable', 'rail_error', false],
    ['reset_before', 'connection', false],
    ['reset_after', 'connection', true],
    ['garbage', 'unreadable', true],
    ['hang', 'timeout', true],
    ['delay', 'timeout', true],
  ];

  test.each(REQUEST_FAULTS)('reference_register/%s: %s, recorded: %s', async (kind, reason, isRecorded) => {
    const order = referenceOrder(clock);
    await machines.orderFault({ on: 'reference_register', kind, delayMs: 30_000, reference: order.reference });
    const outcome = rail.register(order);
    const result = async () => (await rail.query(order.referenceId)).result;
    if (reason === 'timeout') {
      await eventually(result).toBe('told');
      await clock.advance(20_000);
    }
    expect(await outcome).toMatchObject({ result: 'unknown', details: { reason } });
    expect(await result()).toBe(isRecorded ? 'told' : 'not_found');
    expect(await rail.register(order)).toMatchObject({ result: 'active' });
  });

  test.each(REQUEST_FAULTS)('reference_withdraw/%s: %s, done: %s', async (kind, reason, isDone) => {
    const order = await register();
    await machines.orderFault({ on: 'reference_withdraw', kind, delayMs: 30_000, reference: order.reference });
    const outcome = rail.withdraw(order.referenceId);
    if (reason === 'timeout') {
      await eventually(() => statusAtMachine(order)).toBe('WITHDRAWN');
      await clock.advance(20_000);
    }
    expect(await outcome).toMatchObject({ result: 'unknown', details: { reason } });
    expect(await statusAtMachine(order)).toBe(isDone ? 'WITHDRAWN' : 'ACTIVE');
    expect(await rail.withdraw(order.referenceId)).toMatchObject({ result: 'ended' });
  });

  test.each(['unavailable', 'reset_before', 'reset_after', 'garbage'])(
    'a query and the list, once: %s',
    async (kind) => {
      const { referenceId } = await register();
      await machines.orderFault({ on: 'reference_query', kind });
      await machines.orderFault({ on: 'payments_list', kind });
      expect(await rail.query(referenceId)).toEqual({ result: 'unknown', payments: [] });
      expect(await rail.listPayments(null)).toEqual(UNKNOWN_PAGE);
      expect(await rail.query(referenceId)).toMatchObject({ result: 'told' });
      expect(await rail.listPayments(null)).toMatchObject({ result: 'told' });
    },
  );

  test('a notification is dropped, sent three times, delayed, garbled or overtaken', async () => {
    const orders: Record<string, ReferenceOrder> = {};
    for (const kind of ['drop', 'duplicate', 'delay', 'garbage', 'reorder']) {
      const order = (orders[kind] = await register());
      await machines.orderFault({ on: 'reference_notification', kind, delayMs: 60_000, reference: order.reference });
    }
    const { drop, duplicate, delay, garbage, reorder } = orders as Record<string, ReferenceOrder>;
    const isGarbage = (body: string) => body.startsWith('<html>');
    await machines.pay(reorder!);
    for (const order of [drop, garbage, delay]) await machines.pay(order!);
    await eventually(() => gateway.bodies.filter(isGarbage).length).toBe(1);
    await machines.pay(duplicate!);
    await eventually(() => tellingsOf(duplicate!).length).toBe(3);
    expect(new Set(tellingsOf(duplicate!).map((news) => news?.notificationId)).size).toBe(1);
    await eventually(() => tellingsOf(reorder!).length).toBe(1);
    await clock.advance(59_999);
    expect(tellingsOf(delay!)).toEqual([]);
    await clock.advance(1);
    await eventually(() => tellingsOf(delay!).length).toBe(1);
    for (const order of [drop, garbage]) expect(tellingsOf(order!)).toEqual([]);
    expect(await machines.call('/faults')).toMatchObject({ body: { data: [] } });
  });

  test('a notification comes again after clearing, with its id or another', async () => {
    const order = await register();
    const [payment] = (await machines.pay(order)).body.payments as RailPayment[];
    await eventually(() => tellingsOf(order).length).toBe(1);
    clock.leap(3 * DAY_MS);
    const path = `/atm/payments/${payment?.transactionId}/repeat`;
    const first = tellingsOf(order)[0];
    expect(await machines.call(path, {})).toEqual({ status: 201, body: { id: first?.notificationId } });
    await eventually(() => tellingsOf(order).length).toBe(2);
    expect(tellingsOf(order)[1]).toEqual(first);
    const { body } = await machines.call(path, { newId: true });
    expect(body.id).not.toBe(first?.notificationId);
    await eventually(() => tellingsOf(order).length).toBe(3);
    expect(tellingsOf(order)[2]).toEqual({ ...first, notificationId: body.id });
    expect((await machines.books(order.reference)).referencePayments).toMatchObject([{ notifications: 3 }]);
  });
});

test('a simulator of one rail knows nothing of the other', async () => {
  expect(await machines.call('/phones')).toMatchObject({ status: 404 });
  expect(await machines.call('/v1/purchases', {})).toMatchObject({ status: 404 });
});
