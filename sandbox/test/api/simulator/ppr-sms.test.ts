// The PPR and SMS rails of docs/rail.md and their simulator.
// Covers references, cash machines, the list of payments, messages and replies.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SmsOrder } from '../../../../server/providers/message.ts';
import type { ReferenceOrder } from '../../../../server/providers/provider.ts';
import { until } from '../../../../test/support/app.ts';
import { querySql } from '../../../../test/support/database.ts';
import { countWaiting, holdLock } from '../../../../test/support/locks.ts';
import { messageOrder } from '../../../../test/support/sms.ts';
import { payAtRail, referenceOrder, type Digits, type Paying } from '../../../../test/support/references.ts';
import {
  eventually,
  REQUEST_FAULTS,
  CLIENT_TIMEOUT_MS,
  openSimulatorFixture,
  type SimulatorFixture,
} from '../../../../test/support/simulator-fixture.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/durations.ts';

let fixture: SimulatorFixture;
beforeAll(async () => {
  fixture = await openSimulatorFixture();
});
afterEach(() => fixture.call('/faults', {}, 'DELETE'));

const ACTIVE = { result: 'active', details: { railStatus: 'ACTIVE' } };
const WITHDRAWN = { result: 'ended', details: { railStatus: 'WITHDRAWN' } };
const PAID = { result: 'ended', details: { railStatus: 'PAID' } };
const conflict = (code: string) => ({ status: 409, body: { code } });

const order = (more: Partial<ReferenceOrder> = {}) => referenceOrder(fixture.clock, more);
const again = (first: ReferenceOrder, more: Partial<ReferenceOrder> = {}) => ({
  ...first,
  referenceId: randomUUID(),
  ...more,
});
const inMs = (ms: number) => new Date(fixture.clock.now().getTime() + ms);
const pay = (digits: Digits, paying?: Paying) => payAtRail(fixture.url, digits, paying);
const read = async ({ entity, reference }: Digits) => (await fixture.call('/atm/read', { entity, reference })).body;
const toldOf = ({ reference }: Digits) => fixture.about(reference).map(({ json }) => json);

/** Registers a reference at the rail. */
async function register(more: Partial<ReferenceOrder> = {}): Promise<ReferenceOrder> {
  const made = order(more);
  expect(await fixture.ppr.register(made)).toEqual(ACTIVE);
  return made;
}

const charging = (more: Partial<ReferenceOrder> = {}) =>
  register({ type: 'Charging', amountMinor: 0, expiresAt: new Date('2099-12-31T23:59:59.000Z'), ...more });

/** Reads all payments after a cursor, page by page. Returns them with the last cursor. */
async function listAfter(cursor: string | null = null): Promise<{ ids: string[]; cursor: string | null }> {
  const ids: string[] = [];
  for (;;) {
    const { payments, next } = await fixture.ppr.listPayments(cursor);
    cursor = next ?? cursor;
    if (payments.length === 0) return { ids, cursor };
    ids.push(...payments.map(({ providerRef }) => providerRef));
  }
}

describe('a reference', () => {
  test('is registered once for concurrent and repeated requests, which return the reference’s status', async () => {
    const { ppr } = fixture;
    const made = order();
    const results = await Promise.all(Array.from({ length: 10 }, () => ppr.register(made)));
    for (const result of results) expect(result).toEqual(ACTIVE);
    expect((await fixture.books(made.reference)).references).toMatchObject([{ id: made.referenceId, calls: 10 }]);
    expect(await ppr.query(made.referenceId)).toEqual({ result: 'told', payments: [] });
    for (const change of [
      { amountMinor: 1 },
      { type: 'Charging' as const },
      { description: null },
      { currency: 'USD' },
      { reference: '987654321' },
      { expiresAt: fixture.clock.now() },
    ])
      expect(await ppr.register({ ...made, ...change })).toMatchObject({
        result: 'refused',
        details: { reason: 'REFERENCE_CHANGED' },
      });
    const { entity, reference, amountMinor: _, referenceId: id, ...rest } = made;
    const body = {
      ...rest,
      entity,
      reference,
      type: 'DYNAMIC',
      amount: '1500.00',
      expiresAt: made.expiresAt.toISOString(),
    };
    expect(await fixture.sign('ppr', 'PUT', `/v1/references/${id}`, body)).toEqual({
      status: 200,
      body: { id, ...body, status: 'ACTIVE' },
    });
    expect(await ppr.query(randomUUID())).toEqual({ result: 'not_found', payments: [] });
  });

  test('returns 400 for an unreadable body and 401 without a signature', async () => {
    for (const change of [
      { referenceId: 'x' },
      { entity: '0999' },
      { reference: '12345678' },
      { reference: '1'.repeat(16) },
      { amountMinor: 0 },
      { currency: 'aoa' },
    ])
      expect(await fixture.ppr.register(order(change))).toMatchObject({
        result: 'refused',
        details: { reason: 'BAD_REQUEST', httpStatus: '400' },
      });
    for (const [method, path] of [
      ['GET', '/v1/payments'],
      ['DELETE', `/v1/references/${randomUUID()}`],
    ] as const) {
      const answer = await fixture.sign('ppr', method, path, undefined, {});
      expect(answer).toMatchObject({ status: 401, body: { code: 'BAD_SIGNATURE' } });
      // Each rail has its own key.
      expect((await fixture.sign('gpo', method, path)).status).toBe(401);
    }
  });

  test('shares its digits with no other payable reference, also for concurrent requests', async () => {
    const { ppr } = fixture;
    const first = await register();
    const taken = { result: 'taken', details: { reason: 'REFERENCE_TAKEN' } };
    expect(await ppr.register(again(first))).toMatchObject(taken);
    expect(await ppr.register(again(first, { entity: '00998' }))).toMatchObject(ACTIVE);
    await ppr.withdraw(first.referenceId);
    const second = again(first);
    expect(await ppr.register(second)).toMatchObject(ACTIVE);
    await pay(second);
    expect(await ppr.register(again(first, { expiresAt: inMs(1_000) }))).toMatchObject(ACTIVE);
    await fixture.clock.advance(1_000);
    expect(await ppr.register(again(first))).toMatchObject(ACTIVE);
    const { reference } = order();
    const results = await Promise.all(Array.from({ length: 8 }, () => ppr.register(order({ reference }))));
    expect(results.map(({ result }) => result).sort()).toEqual(['active', ...Array(7).fill('taken')]);
  });

  test('stays withdrawn after repeats, before its registration, and concurrently with its registration', async () => {
    const { ppr } = fixture;
    const made = await register();
    for (let calls = 2; calls > 0; calls--) expect(await ppr.withdraw(made.referenceId)).toEqual(WITHDRAWN);
    for (const each of [made, { ...made, amountMinor: 1 }]) expect(await ppr.register(each)).toEqual(WITHDRAWN);
    expect(await pay(made)).toMatchObject(conflict('REFERENCE_WITHDRAWN'));
    const early = order();
    expect(await fixture.sign('ppr', 'DELETE', `/v1/references/${early.referenceId}`)).toEqual({
      status: 200,
      body: { id: early.referenceId, status: 'WITHDRAWN' },
    });
    expect(await ppr.query(early.referenceId)).toEqual({ result: 'told', payments: [] });
    expect(await ppr.register(early)).toEqual(WITHDRAWN);
    expect(await ppr.register(again(early))).toEqual(ACTIVE);
    const both = Array.from({ length: 6 }, () => order());
    await Promise.all(both.flatMap((each) => [ppr.register(each), ppr.withdraw(each.referenceId)]));
    for (const each of both) expect(await pay(each)).toMatchObject(conflict('REFERENCE_WITHDRAWN'));
  });

  test('cannot be withdrawn during or after a payment, unless it accepts many (Charging)', async () => {
    const made = await register();
    const release = await holdLock(fixture.databaseUrl, 'lock table simulator.periods in exclusive mode');
    const payment = pay(made);
    await eventually(() => countWaiting(fixture.databaseUrl, 'insert into simulator.periods')).toBe(1);
    const withdrawal = fixture.ppr.withdraw(made.referenceId);
    const first = Promise.race([withdrawal, until(() => countWaiting(fixture.databaseUrl, 'ppr_references'))]);
    await first.finally(release);
    expect([(await payment).status, await withdrawal]).toEqual([201, PAID]);
    expect(await read(made)).toMatchObject({ status: 'PAID' });
    const open = await charging();
    await pay(open, { amount: '10.00' });
    await fixture.ppr.withdraw(open.referenceId);
    expect(await read(open)).toMatchObject({ status: 'WITHDRAWN' });
    expect((await fixture.ppr.query(open.referenceId)).payments).toHaveLength(1);
  });
});

describe('a cash machine', () => {
  test('shows the amount, accepts one payment, and sends a notification', async () => {
    const made = await register({ reference: '017756991' });
    const { referenceId, amountMinor: _, ...rest } = made;
    const shown = { ...rest, type: 'DYNAMIC', amount: '1500.00', expiresAt: made.expiresAt.toISOString() };
    expect(await read({ entity: ' 00999', reference: '017 756 991' })).toEqual({ ...shown, status: 'ACTIVE' });
    const paidAt = fixture.clock.now();
    const { status, body } = await pay({ entity: '00999', reference: '017 756 991' }, { channel: 'ATM' });
    const [payment] = body.payments;
    expect([status, payment]).toEqual([
      201,
      {
        transactionId: expect.stringMatching(/^\d{18}$/),
        entity: '00999',
        reference: '017756991',
        amount: '1500.00',
        currency: 'AOA',
        paidAt: paidAt.toISOString(),
        period: expect.stringMatching(/^\d+$/),
        number: expect.stringMatching(/^\d+$/),
        terminal: { type: 'ATM', id: '0000012345', location: 'Luanda Ilha' },
        nib: expect.stringMatching(/^\d{21}$/),
        bank: 'Banco da Baía',
      },
    ]);
    const { transactionId } = payment;
    expect(await fixture.call(`/atm/payments/${transactionId}`)).toEqual({ status: 200, body: payment });
    expect((await fixture.ppr.query(referenceId)).payments).toMatchObject([
      { providerRef: transactionId, amountMinor: 150_000, occurredAt: paidAt },
    ]);
    await eventually(() => fixture.about('017756991')).toMatchObject([
      { rail: 'ppr', isSigned: true, json: { id: expect.any(String), type: 'reference_payment', payment } },
    ]);
    expect((await listAfter()).ids).toContain(transactionId);
    expect(await pay(made)).toMatchObject(conflict('REFERENCE_PAID'));
    const book = await fixture.books('017756991');
    expect(book.references).toMatchObject([{ id: referenceId, status: 'PAID', payments: [payment] }]);
    expect(book.referencePayments).toMatchObject([{ ...payment, referenceId, isPublic: true }]);
    expect(book.referenceTotals).toEqual([{ currency: 'AOA', count: 1, amount: '1500.00' }]);
    for (const [channel, terminal] of Object.entries({
      POS: { type: 'POS', id: '0000067890', location: 'Luanda Talatona' },
      IB: { type: 'IB', id: '0000000044', location: 'Internet' },
      MB: { type: 'MB', id: '0000000000', location: 'Internet' },
    }))
      expect((await pay(await register(), { channel })).body.payments).toMatchObject([{ terminal }]);
  });

  test('returns 404 for unknown digits and unknown payments', async () => {
    const unknown = { status: 404, body: { code: 'UNKNOWN_REFERENCE' } };
    const { entity, reference } = await register();
    for (const digits of [
      { entity, reference: '999999999' },
      { entity, reference: reference.replace(/^0/, '') },
      { entity: '00998', reference },
      { entity: '', reference: ' ' },
    ])
      expect(await pay(digits)).toMatchObject(unknown);
    expect(await fixture.call('/atm/read', { entity: '', reference: ' ' })).toMatchObject(unknown);
    expect(await fixture.call('/atm/payments/1')).toMatchObject({ status: 404, body: { code: 'UNKNOWN_PAYMENT' } });
    expect((await fixture.call('/atm/payments/1/repeat', {})).status).toBe(404);
  });

  test('accepts the fixed amount, or any amount of an open reference, until the reference expires', async () => {
    const wrong = { status: 400, body: { code: 'WRONG_AMOUNT' } };
    const fixed = await charging({ amountMinor: 50_000 });
    for (const amount of ['499.99', '500.01', '0', '-500.00', 'much'])
      expect(await pay(fixed, { amount })).toMatchObject(wrong);
    for (const amount of ['500.00', '500', null]) expect((await pay(fixed, { amount })).status).toBe(201);
    expect((await fixture.books(fixed.reference)).referenceTotals).toMatchObject([{ count: 3, amount: '1500.00' }]);
    const open = await charging({ expiresAt: inMs(60_000) });
    expect(await read(open)).toMatchObject({ type: 'CHARGING', amount: null });
    for (const amount of [null, '0.00', '1.005']) expect(await pay(open, { amount })).toMatchObject(wrong);
    for (const amount of ['0.01', '2500']) expect((await pay(open, { amount })).status).toBe(201);
    const { referencePayments } = await fixture.books(open.reference);
    expect(referencePayments.map(({ amount }: { amount: string }) => amount)).toEqual(['0.01', '2500.00']);
    fixture.clock.leap(59_999);
    expect((await pay(open, { amount: '1.00' })).status).toBe(201);
    await fixture.clock.advance(1);
    expect(await pay(open, { amount: '1.00' })).toMatchObject(conflict('REFERENCE_EXPIRED'));
    expect(await fixture.ppr.register(open)).toEqual({ result: 'ended', details: { railStatus: 'EXPIRED' } });
  });

  test('pays the active one of several references with the same digits', async () => {
    const old = await register();
    await fixture.ppr.withdraw(old.referenceId);
    const live = again(old, { amountMinor: 200_000 });
    await fixture.ppr.register(live);
    // This reference is registered last and has already ended, so the active reference is not the newest.
    const ended = again(old);
    await fixture.ppr.withdraw(ended.referenceId);
    await fixture.ppr.register(ended);
    expect((await pay(old)).body.payments).toMatchObject([{ amount: '2000.00' }]);
    expect((await fixture.ppr.query(live.referenceId)).payments).toHaveLength(1);
  });

  test('accepts one of many concurrent payments of a Dynamic reference and all of a Charging one', async () => {
    const dynamic = await register();
    const answers = await Promise.all(Array.from({ length: 10 }, () => pay(dynamic)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    const [open, other] = [await charging({ entity: '00777' }), await charging({ entity: '00778' })];
    await Promise.all(Array.from({ length: 10 }, () => pay(open, { amount: '10.00' })));
    const { referencePayments: paid } = await fixture.books(open.reference);
    const numbers = paid.map(({ number }: { number: string }) => Number(number)).sort((a: number, b: number) => a - b);
    expect(numbers).toEqual(Array.from({ length: 10 }, (_, nth) => nth + 1));
    expect(new Set(paid.map(({ transactionId }: { transactionId: string }) => transactionId)).size).toBe(10);
    await eventually(() => toldOf(open).length).toBe(10);
    const place = async (digits: ReferenceOrder) => {
      const [{ period, number }] = (await pay(digits, { amount: '1.00' })).body.payments;
      return [Number(period), number];
    };
    // The banking day closes at 20:00 in Luanda.
    const evening = Date.parse(`${fixture.clock.now().toISOString().slice(0, 10)}T18:59:59.999Z`);
    fixture.clock.leap(evening + DAY_MS - fixture.clock.now().getTime());
    const [period] = await place(open);
    expect([await place(open), await place(other)]).toEqual([
      [period, '2'],
      [period, '1'],
    ]);
    await fixture.clock.advance(1);
    expect([await place(open), await place(open)]).toEqual([
      [Number(period) + 1, '1'],
      [Number(period) + 1, '2'],
    ]);
  });
});

describe('the rail’s payment list', () => {
  test('continues after a cursor, and refuses a cursor that it did not return', async () => {
    const { cursor } = await listAfter();
    expect(await fixture.ppr.listPayments(cursor)).toEqual({
      result: 'told',
      payments: [],
      unreadable: [],
      next: cursor,
    });
    const open = await charging();
    const ids = [];
    for (const amount of ['1.00', '2.00', '3.00'])
      ids.push((await pay(open, { amount })).body.payments[0].transactionId);
    const page = await fixture.sign('ppr', 'GET', `/v1/payments?after=${cursor}&limit=2`);
    expect(page.body.payments.map(({ amount }: { amount: string }) => amount)).toEqual(['1.00', '2.00']);
    expect((await listAfter(page.body.next)).ids).toEqual(ids.slice(2));
    expect((await listAfter()).ids.slice(-3)).toEqual(ids);
    expect(await fixture.ppr.listPayments('x')).toMatchObject({ result: 'unknown', next: null });
  });

  test('returns every payment after a cursor while other payments are recorded', async () => {
    const open = await Promise.all(Array.from({ length: 4 }, (_, nth) => charging({ entity: `0060${nth}` })));
    const before = (await listAfter()).cursor;
    let isPaid = false;
    const paying = Promise.all(Array.from({ length: 40 }, (_, nth) => pay(open[nth % 4]!, { amount: '1.00' })));
    void paying.then(() => (isPaid = true));
    const seen: string[] = [];
    for (let [isLast, cursor] = [false, before]; !isLast;) {
      isLast = isPaid;
      const more = await listAfter(cursor);
      seen.push(...more.ids);
      cursor = more.cursor;
    }
    const ids = (await paying).flatMap(({ body }) => body.payments).map(({ transactionId }) => transactionId);
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });
});

describe('a fault of a cash machine', () => {
  test('can be `twice`, `late`, `wrong amount` or `lost`', async () => {
    const twice = await register();
    const ids = (await pay(twice, { fault: 'twice' })).body.payments.map((paid: any) => paid.transactionId);
    expect(new Set(ids).size).toBe(2);
    expect((await fixture.ppr.query(twice.referenceId)).payments.map(({ providerRef }) => providerRef)).toEqual(ids);
    await eventually(() => toldOf(twice).length).toBe(2);

    const [withdrawn, paid, expired] = [await register(), await register(), await register({ expiresAt: inMs(1_000) })];
    await fixture.ppr.withdraw(withdrawn.referenceId);
    await pay(paid);
    await fixture.clock.advance(1_000);
    for (const each of [withdrawn, paid, expired]) {
      expect((await pay(each)).status).toBe(409);
      expect((await pay(each, { fault: 'late' })).status).toBe(201);
    }
    expect((await fixture.ppr.query(paid.referenceId)).payments).toHaveLength(2);
    expect((await pay({ entity: '00999', reference: '999999999' }, { fault: 'late' })).status).toBe(404);

    const wrong = await register();
    for (const amount of ['0.00', 'x', ''])
      expect(await pay(wrong, { amount, fault: 'wrong_amount' })).toMatchObject({ body: { code: 'WRONG_AMOUNT' } });
    expect((await pay(wrong, { amount: '0.01', fault: 'wrong_amount' })).body.payments).toMatchObject([
      { amount: '0.01' },
    ]);
    expect(await pay(wrong, { amount: '0.01', fault: 'wrong_amount' })).toMatchObject(conflict('REFERENCE_PAID'));
    expect((await pay(wrong, { fault: 'fire' })).status).toBe(400);

    const lost = await register();
    const [{ transactionId }] = (await pay(lost, { fault: 'lost' })).body.payments;
    const notified = await register();
    await pay(notified);
    await eventually(() => toldOf(notified).length).toBe(1);
    expect(toldOf(lost)).toEqual([]);
    expect((await fixture.ppr.query(lost.referenceId)).payments).toMatchObject([{ providerRef: transactionId }]);
    expect((await listAfter()).ids).toContain(transactionId);
  });

  test('`notify later` hides the payment from the list for an hour, also over a restart', async () => {
    const made = await register();
    const { cursor } = await listAfter();
    const paidAt = fixture.clock.now();
    const [{ transactionId }] = (await pay(made, { fault: 'notify_later' })).body.payments;
    expect(await pay(made)).toMatchObject(conflict('REFERENCE_PAID'));
    const [quick] = (await pay(await register())).body.payments;
    const seeUnknown = async () => {
      expect(await fixture.ppr.query(made.referenceId)).toEqual({ result: 'told', payments: [] });
      expect(await fixture.ppr.register(made)).toEqual(ACTIVE);
      expect((await listAfter(cursor)).ids).toEqual([quick.transactionId]);
      expect((await fixture.books(made.reference)).referencePayments).toMatchObject([
        { transactionId, isPublic: false },
      ]);
      expect(toldOf(made)).toEqual([]);
    };
    await seeUnknown();
    fixture.clock.leap(HOUR_MS - 1);
    await seeUnknown();
    await fixture.restart();
    // The loop sends the notification without a query from the gateway.
    await fixture.clock.advance(1);
    await eventually(() => toldOf(made)).toMatchObject([{ payment: { transactionId } }]);
    expect((await fixture.ppr.query(made.referenceId)).payments).toMatchObject([
      { providerRef: transactionId, occurredAt: paidAt },
    ]);
    expect((await listAfter(cursor)).ids).toEqual([quick.transactionId, transactionId]);
    expect(await fixture.ppr.register(made)).toEqual(PAID);
  });

  test('fails each kind of request once, and can be limited to one reference', async () => {
    const { ppr } = fixture;
    const made = order();
    const cut = { result: 'unknown', details: { reason: 'connection' } };
    await fixture.orderFault({ on: 'reference_register', kind: 'reset_after', reference: made.reference });
    expect(await ppr.register(made)).toMatchObject(cut);
    await fixture.orderFault({ on: 'reference_query', kind: 'garbage' });
    const asked = [await ppr.query(made.referenceId), await ppr.query(made.referenceId)];
    expect(asked).toEqual([
      { result: 'unknown', payments: [] },
      { result: 'told', payments: [] },
    ]);
    await fixture.orderFault({ on: 'payments_list', kind: 'unavailable' });
    const listed = [await ppr.listPayments(null), await ppr.listPayments(null)];
    expect(listed).toMatchObject([{ result: 'unknown', next: null }, { result: 'told' }]);
    await fixture.orderFault({ on: 'atm', kind: 'unavailable', reference: made.reference });
    expect((await pay(await register())).status).toBe(201);
    expect(await pay(made)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    await fixture.orderFault({ on: 'reference_withdraw', kind: 'reset_after', reference: made.reference });
    expect(await ppr.withdraw(made.referenceId)).toMatchObject(cut);
    expect(await read(made)).toMatchObject({ status: 'WITHDRAWN' });
    expect(await ppr.withdraw(made.referenceId)).toEqual(WITHDRAWN);
  });

  test('drops a notification, which the simulator sends again with the same or another id', async () => {
    const [dropped, made] = [await register(), await register()];
    await fixture.orderFault({ on: 'reference_notification', kind: 'drop', reference: dropped.reference });
    await pay(dropped);
    const [{ transactionId }] = (await pay(made)).body.payments;
    // A notification that the simulator has not recorded as received would be repeated after the leap.
    await eventually(() => fixture.books(made.reference)).toMatchObject({ referencePayments: [{ notified: 1 }] });
    expect(toldOf(dropped)).toEqual([]);
    fixture.clock.leap(3 * DAY_MS);
    const [first] = toldOf(made);
    const path = `/atm/payments/${transactionId}/repeat`;
    expect(await fixture.call(path, {})).toEqual({ status: 201, body: { id: first.id } });
    await eventually(() => toldOf(made).length).toBe(2);
    const { body } = await fixture.call(path, { newId: true });
    expect(body.id).not.toBe(first.id);
    await eventually(() => toldOf(made).map(({ id }) => id)).toEqual([first.id, first.id, body.id]);
    for (const { payment } of toldOf(made)) expect(payment).toEqual(first.payment);
    expect((await fixture.books(made.reference)).referencePayments).toMatchObject([{ notifications: 3 }]);
  });
});

describe('an SMS', () => {
  const ACCEPTED = { result: 'accepted', reason: null, occurredAt: null };
  const NOT_FOUND = { result: 'not_found', reason: null, occurredAt: null };
  const unknown = (reason: string) => ({ result: 'unknown', reason, occurredAt: null });
  const booksOf = async (id: string) => (await fixture.books(id)).messages;
  const reports = ({ messageId }: SmsOrder) =>
    fixture.about(messageId).filter(({ json }) => json.type === 'message_status');
  /** Reads the message in the simulator's inbox. */
  const letters = ({ messageId }: SmsOrder) =>
    querySql(fixture.databaseUrl, `select text from simulator.inbox where kind = 'sms' and id = $1`, [messageId]);
  const magic = (digit: number) => messageOrder({ to: `+24490000000${digit}` });

  test('is sent once for concurrent and repeated requests, which return the message’s status', async () => {
    const { sms } = fixture;
    const sent = messageOrder({ text: `${'é'.repeat(1_520)}\n"{}"🇦🇴` });
    const { messageId: id, ...content } = sent;
    const at = fixture.clock.now().toISOString();
    const status = { status: 'QUEUED', reason: null, createdAt: at, decidedAt: null };
    const { text, ...echoed } = content;
    expect(await fixture.sign('sms', 'POST', '/v1/messages', { id, ...content })).toEqual({
      status: 202,
      body: { id, ...echoed, ...status },
    });
    for (const result of await Promise.all(Array.from({ length: 9 }, () => sms.send(sent))))
      expect(result).toEqual(ACCEPTED);
    expect(await booksOf(sent.to)).toEqual([{ id, ...content, ...status, calls: 10, notifications: 0, notified: 0 }]);
    expect(await letters(sent)).toEqual([{ text }]);
    for (const change of [{ text: 'Outra' }, { sender: 'LOJA' }, { to: '+244923456789' }])
      expect(await sms.send({ ...sent, ...change })).toEqual(unknown('rail_refused'));
    const changed = await fixture.sign('sms', 'POST', '/v1/messages', { id, ...content, text: 'Outra' });
    expect(changed).toMatchObject(conflict('MESSAGE_CHANGED'));
    await fixture.clock.advance(1_000);
    await eventually(() => reports(sent).length).toBe(1);
    expect(await sms.send(sent)).toEqual({ result: 'delivered', reason: null, occurredAt: fixture.clock.now() });
    expect(await booksOf(id)).toMatchObject([{ status: 'DELIVERED', calls: 15, text: sent.text }]);
    for (const missing of [randomUUID(), 'x/../y?z']) expect(await sms.query(missing)).toEqual(NOT_FOUND);
  });

  test('is not sent for an unreadable body (400) or without a signature (401)', async () => {
    for (const change of [
      { messageId: 'x' },
      { text: '' },
      { text: 'x'.repeat(1_531) },
      { sender: 'ABCDEFGHIJKL' },
      { sender: 'LOJA DA' },
      { to: '923456789' },
      { to: '+351912345678' },
    ]) {
      const sent = messageOrder(change);
      expect(await fixture.sms.send(sent)).toEqual({ result: 'failed', reason: 'rail_refused', occurredAt: null });
      expect(await booksOf(sent.messageId)).toEqual([]);
    }
    const unsigned = await fixture.sign('sms', 'POST', '/v1/messages', { id: randomUUID() }, {});
    expect(unsigned).toMatchObject({ status: 401, body: { code: 'BAD_SIGNATURE' } });
    expect((await fixture.sign('gpo', 'GET', `/v1/messages/${randomUUID()}`)).status).toBe(401);
  });

  test('to a test phone number has the outcome of the table', async () => {
    const { clock, sms } = fixture;
    const start = clock.now().getTime();
    const rows = [
      [magic(0), 1_000, 'delivered', null, 'DELIVERED', 1],
      [messageOrder(), 1_000, 'delivered', null, 'DELIVERED', 1],
      [magic(1), 0, 'failed', 'blocked', 'REJECTED', 0],
      [magic(2), 1_000, 'failed', 'undeliverable', 'UNDELIVERED', 1],
      [magic(3), Infinity, 'accepted', null, 'SENT', 0],
      [magic(5), 10_000, 'delivered', null, 'DELIVERED', 1],
      [magic(6), 1_000, 'delivered', null, 'DELIVERED', 3],
      [magic(7), 1_000, 'delivered', null, 'DELIVERED', 0],
      [magic(8), 1_000, 'failed', 'number_not_active', 'UNDELIVERED', 1],
    ] as const;
    for (const [sent] of rows) await sms.send(sent);
    for (const atMs of [0, 999, 1_000, 9_999, 10_000, 30 * DAY_MS]) {
      await fixture.untilRecorded(rows.map(([sent]) => sent.messageId));
      clock.leap(start + atMs - clock.now().getTime());
      for (const [sent, afterMs, result, reason] of rows) {
        const outcome = atMs < afterMs ? ACCEPTED : { result, reason, occurredAt: new Date(start + afterMs) };
        expect([sent.to, atMs, await sms.query(sent.messageId)]).toEqual([sent.to, atMs, outcome]);
      }
    }
    for (const [sent, , , , status, copies] of rows) {
      await eventually(() => [sent.to, reports(sent).length]).toEqual([sent.to, copies]);
      expect(new Set(reports(sent).map(({ json }) => json.id)).size).toBe(Math.min(copies, 1));
      expect(await booksOf(sent.messageId)).toMatchObject([{ status, notifications: copies }]);
      expect(await letters(sent)).toHaveLength(status === 'REJECTED' ? 0 : 1);
    }
    const away = magic(4);
    for (let calls = 2; calls > 0; calls--) expect(await sms.send(away)).toEqual(unknown('rail_error'));
    expect([await sms.query(away.messageId), await letters(away)]).toEqual([NOT_FOUND, []]);
  });

  test('accepts a reply with or without a message id, and refuses one to an unknown message', async () => {
    const [sent, silent, rejected] = [messageOrder({ sender: 'LOJA' }), magic(7), magic(1)];
    for (const each of [sent, silent, rejected]) await fixture.sms.send(each);
    const path = `/messages/${sent.messageId}/reply`;
    const text = 'Parar, por favor\n🙏';
    const first = await fixture.call(path, { text });
    expect(first).toEqual({ status: 202, body: { id: expect.any(String) } });
    const at = fixture.clock.now().toISOString();
    const reply = { from: sent.to, to: 'LOJA', text, messageId: sent.messageId, receivedAt: at };
    const notified = () => fixture.notified.flatMap(({ json }) => (json?.reply?.from === sent.to ? [json] : []));
    await eventually(notified).toEqual([{ id: first.body.id, type: 'message_reply', createdAt: at, reply }]);
    await fixture.call(`${path}?bare=1`, { text: 'STOP' });
    await eventually(notified).toMatchObject([{ reply }, { reply: { ...reply, text: 'STOP', messageId: null } }]);
    // A message whose delivery reports are lost accepts replies too.
    await fixture.call(`/messages/${silent.messageId}/reply`, { text: 'PARAR' });
    await eventually(() => fixture.about(silent.messageId).length).toBe(1);
    for (const id of [rejected.messageId, randomUUID(), 'x'])
      expect(await fixture.call(`/messages/${id}/reply`, { text: 'PARAR' })).toMatchObject({
        status: 404,
        body: { code: 'UNKNOWN_MESSAGE' },
      });
    for (const body of [{}, { text: '' }, { text: 7 }, { text: 'x'.repeat(1_531) }])
      expect((await fixture.call(path, body)).status).toBe(400);
  });

  test('is delivered although its delivery came due while the simulator was down', async () => {
    const all = Array.from({ length: 60 }, () => messageOrder());
    await Promise.all(all.map(fixture.sms.send));
    const occurredAt = inMs(1_000).toISOString();
    const back = fixture.restart();
    fixture.clock.leap(60_000);
    await back;
    await eventually(() => all.filter((sent) => reports(sent).length > 0).length).toBe(all.length);
    for (const sent of all)
      expect(reports(sent)).toMatchObject([{ json: { message: { status: 'DELIVERED', decidedAt: occurredAt } } }]);
  });

  test.each(REQUEST_FAULTS)(
    'with the fault sms_send/%s returns %s, is accepted: %s, and goes out once when repeated',
    async (kind, reason, isTaken) => {
      const sent = messageOrder();
      await fixture.orderFault({ on: 'sms_send', kind, delayMs: 2 * CLIENT_TIMEOUT_MS, phone: sent.to });
      expect(await fixture.sms.send(messageOrder())).toEqual(ACCEPTED);
      const outcome = fixture.sms.send(sent);
      if (reason === 'timeout') {
        await eventually(async () => (await booksOf(sent.messageId)).length).toBe(1);
        await fixture.clock.advance(CLIENT_TIMEOUT_MS);
      }
      expect(await outcome).toEqual(unknown(reason));
      expect((await fixture.sms.query(sent.messageId)).result === 'not_found').toBe(!isTaken);
      await fixture.sms.send(sent);
      expect(await booksOf(sent.messageId)).toMatchObject([{ calls: isTaken ? 2 : 1 }]);
      expect(await letters(sent)).toHaveLength(1);
    },
  );

  test('has separate faults for its query and for its delivery report', async () => {
    const sent = messageOrder();
    await fixture.sms.send(sent);
    await fixture.orderFault({ on: 'sms_query', kind: 'reset_before', phone: sent.to });
    expect(await fixture.sms.query(randomUUID())).toEqual(NOT_FOUND);
    expect([await fixture.sms.query(sent.messageId), await fixture.sms.query(sent.messageId)]).toEqual([
      unknown('connection'),
      ACCEPTED,
    ]);
    await fixture.orderFault({ on: 'sms_notification', kind: 'duplicate', phone: sent.to });
    await fixture.clock.advance(1_000);
    await eventually(() => reports(sent).length).toBe(3);
  });
});
