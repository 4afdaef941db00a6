// What docs/rail.md promises of the PPR and SMS rails and their simulator: references, machines, the list of payments, messages, answers.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SmsOrder } from '../../../../server/providers/message.ts';
import type { ReferenceOrder } from '../../../../server/providers/provider.ts';
import { until } from '../../../../test/support/app.ts';
import { querySql } from '../../../../test/support/database.ts';
import { countWaiting, holdLock } from '../../../../test/support/locks.ts';
import { messageOrder } from '../../../../test/support/messages.ts';
import { payAtRail, referenceOrder, type Digits, type Paying } from '../../../../test/support/references.ts';
import {
  eventually,
  REQUEST_FAULTS,
  STAGE_TIMEOUT_MS,
  startStage,
  type Stage,
} from '../../../../test/support/simulator-stage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage?.stop());
afterEach(() => stage.call('/faults', {}, 'DELETE'));

const ACTIVE = { result: 'active', details: { railStatus: 'ACTIVE' } };
const WITHDRAWN = { result: 'ended', details: { railStatus: 'WITHDRAWN' } };
const PAID = { result: 'ended', details: { railStatus: 'PAID' } };
const conflict = (code: string) => ({ status: 409, body: { code } });

const order = (more: Partial<ReferenceOrder> = {}) => referenceOrder(stage.clock, more);
const again = (first: ReferenceOrder, more: Partial<ReferenceOrder> = {}) => ({
  ...first,
  referenceId: randomUUID(),
  ...more,
});
const inMs = (ms: number) => new Date(stage.clock.now().getTime() + ms);
const pay = (digits: Digits, paying?: Paying) => payAtRail(stage.url, digits, paying);
const read = async ({ entity, reference }: Digits) => (await stage.call('/atm/read', { entity, reference })).body;
const toldOf = ({ reference }: Digits) => stage.about(reference).map(({ json }) => json);

/** A registered reference. */
async function register(more: Partial<ReferenceOrder> = {}): Promise<ReferenceOrder> {
  const made = order(more);
  expect(await stage.ppr.register(made)).toEqual(ACTIVE);
  return made;
}

const charging = (more: Partial<ReferenceOrder> = {}) =>
  register({ type: 'Charging', amountMinor: 0, expiresAt: new Date('2099-12-31T23:59:59.000Z'), ...more });

/** Everything the rail took after a cursor, page by page, with the last cursor. */
async function listAfter(cursor: string | null = null): Promise<{ ids: string[]; cursor: string | null }> {
  const ids: string[] = [];
  for (;;) {
    const { payments, next } = await stage.ppr.listPayments(cursor);
    cursor = next ?? cursor;
    if (payments.length === 0) return { ids, cursor };
    ids.push(...payments.map(({ providerRef }) => providerRef));
  }
}

describe('a reference', () => {
  test('is registered once, however often and however many at once; its repetition is answered with how it stands', async () => {
    const { ppr } = stage;
    const made = order();
    const results = await Promise.all(Array.from({ length: 10 }, () => ppr.register(made)));
    for (const result of results) expect(result).toEqual(ACTIVE);
    expect((await stage.books(made.reference)).references).toMatchObject([{ id: made.referenceId, calls: 10 }]);
    expect(await ppr.query(made.referenceId)).toEqual({ result: 'told', payments: [] });
    for (const change of [
      { amountMinor: 1 },
      { type: 'Charging' as const },
      { description: null },
      { currency: 'USD' },
      { reference: '987654321' },
      { expiresAt: stage.clock.now() },
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
    expect(await stage.sign('ppr', 'PUT', `/v1/references/${id}`, body)).toEqual({
      status: 200,
      body: { id, ...body, status: 'ACTIVE' },
    });
    expect(await ppr.query(randomUUID())).toEqual({ result: 'not_found', payments: [] });
  });

  test('that nobody can read is refused; unsigned is nothing', async () => {
    for (const change of [
      { referenceId: 'x' },
      { entity: '0999' },
      { reference: '12345678' },
      { reference: '1'.repeat(16) },
      { amountMinor: 0 },
      { currency: 'aoa' },
    ])
      expect(await stage.ppr.register(order(change))).toMatchObject({
        result: 'refused',
        details: { reason: 'BAD_REQUEST', httpStatus: '400' },
      });
    for (const [method, path] of [
      ['GET', '/v1/payments'],
      ['DELETE', `/v1/references/${randomUUID()}`],
    ] as const) {
      const answer = await stage.sign('ppr', method, path, undefined, {});
      expect(answer).toMatchObject({ status: 401, body: { code: 'BAD_SIGNATURE' } });
      // Each rail has its own key.
      expect((await stage.sign('gpo', method, path)).status).toBe(401);
    }
  });

  test('has digits that no other one has while it can be paid, also of several at once', async () => {
    const { ppr } = stage;
    const first = await register();
    const taken = { result: 'taken', details: { reason: 'REFERENCE_TAKEN' } };
    expect(await ppr.register(again(first))).toMatchObject(taken);
    expect(await ppr.register(again(first, { entity: '00998' }))).toMatchObject(ACTIVE);
    await ppr.withdraw(first.referenceId);
    const second = again(first);
    expect(await ppr.register(second)).toMatchObject(ACTIVE);
    await pay(second);
    expect(await ppr.register(again(first, { expiresAt: inMs(1_000) }))).toMatchObject(ACTIVE);
    await stage.clock.advance(1_000);
    expect(await ppr.register(again(first))).toMatchObject(ACTIVE);
    const { reference } = order();
    const results = await Promise.all(Array.from({ length: 8 }, () => ppr.register(order({ reference }))));
    expect(results.map(({ result }) => result).sort()).toEqual(['active', ...Array(7).fill('taken')]);
  });

  test('is withdrawn for ever: again, before it came, and at once with its registration', async () => {
    const { ppr } = stage;
    const made = await register();
    for (let calls = 2; calls > 0; calls--) expect(await ppr.withdraw(made.referenceId)).toEqual(WITHDRAWN);
    for (const each of [made, { ...made, amountMinor: 1 }]) expect(await ppr.register(each)).toEqual(WITHDRAWN);
    expect(await pay(made)).toMatchObject(conflict('REFERENCE_WITHDRAWN'));
    const early = order();
    expect(await stage.sign('ppr', 'DELETE', `/v1/references/${early.referenceId}`)).toEqual({
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

  test('that was paid has nothing to withdraw, also while somebody pays; a Charging one ends after its payments', async () => {
    const made = await register();
    const release = await holdLock(stage.databaseUrl, 'lock table simulator.periods in exclusive mode');
    const payment = pay(made);
    await eventually(() => countWaiting(stage.databaseUrl, 'insert into simulator.periods')).toBe(1);
    const withdrawal = stage.ppr.withdraw(made.referenceId);
    const first = Promise.race([withdrawal, until(() => countWaiting(stage.databaseUrl, 'ppr_references'))]);
    await first.finally(release);
    expect([(await payment).status, await withdrawal]).toEqual([201, PAID]);
    expect(await read(made)).toMatchObject({ status: 'PAID' });
    const open = await charging();
    await pay(open, { amount: '10.00' });
    await stage.ppr.withdraw(open.referenceId);
    expect(await read(open)).toMatchObject({ status: 'WITHDRAWN' });
    expect((await stage.ppr.query(open.referenceId)).payments).toHaveLength(1);
  });
});

describe('a machine', () => {
  test('shows what is to be paid, takes it once, and everybody is told the same', async () => {
    const made = await register({ reference: '017756991' });
    const { referenceId, amountMinor: _, ...rest } = made;
    const shown = { ...rest, type: 'DYNAMIC', amount: '1500.00', expiresAt: made.expiresAt.toISOString() };
    expect(await read({ entity: ' 00999', reference: '017 756 991' })).toEqual({ ...shown, status: 'ACTIVE' });
    const paidAt = stage.clock.now();
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
    expect(await stage.call(`/atm/payments/${transactionId}`)).toEqual({ status: 200, body: payment });
    expect((await stage.ppr.query(referenceId)).payments).toMatchObject([
      { providerRef: transactionId, amountMinor: 150_000, occurredAt: paidAt },
    ]);
    await eventually(() => stage.about('017756991')).toMatchObject([
      { rail: 'ppr', isSigned: true, json: { id: expect.any(String), type: 'reference_payment', payment } },
    ]);
    expect((await listAfter()).ids).toContain(transactionId);
    expect(await pay(made)).toMatchObject(conflict('REFERENCE_PAID'));
    const book = await stage.books('017756991');
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

  test('knows neither digits that nobody registered, nor payments that nobody made', async () => {
    const unknown = { status: 404, body: { code: 'UNKNOWN_REFERENCE' } };
    const { entity, reference } = await register();
    for (const digits of [
      { entity, reference: '999999999' },
      { entity, reference: reference.replace(/^0/, '') },
      { entity: '00998', reference },
      { entity: '', reference: ' ' },
    ])
      expect(await pay(digits)).toMatchObject(unknown);
    expect(await stage.call('/atm/read', { entity: '', reference: ' ' })).toMatchObject(unknown);
    expect(await stage.call('/atm/payments/1')).toMatchObject({ status: 404, body: { code: 'UNKNOWN_PAYMENT' } });
    expect((await stage.call('/atm/payments/1/repeat', {})).status).toBe(404);
  });

  test('takes what is asked, and any amount where the payer chooses, until it expires', async () => {
    const wrong = { status: 400, body: { code: 'WRONG_AMOUNT' } };
    const fixed = await charging({ amountMinor: 50_000 });
    for (const amount of ['499.99', '500.01', '0', '-500.00', 'much'])
      expect(await pay(fixed, { amount })).toMatchObject(wrong);
    for (const amount of ['500.00', '500', null]) expect((await pay(fixed, { amount })).status).toBe(201);
    expect((await stage.books(fixed.reference)).referenceTotals).toMatchObject([{ count: 3, amount: '1500.00' }]);
    const open = await charging({ expiresAt: inMs(60_000) });
    expect(await read(open)).toMatchObject({ type: 'CHARGING', amount: null });
    for (const amount of [null, '0.00', '1.005']) expect(await pay(open, { amount })).toMatchObject(wrong);
    for (const amount of ['0.01', '2500']) expect((await pay(open, { amount })).status).toBe(201);
    const { referencePayments } = await stage.books(open.reference);
    expect(referencePayments.map(({ amount }: { amount: string }) => amount)).toEqual(['0.01', '2500.00']);
    stage.clock.leap(59_999);
    expect((await pay(open, { amount: '1.00' })).status).toBe(201);
    await stage.clock.advance(1);
    expect(await pay(open, { amount: '1.00' })).toMatchObject(conflict('REFERENCE_EXPIRED'));
    expect(await stage.ppr.register(open)).toEqual({ result: 'ended', details: { railStatus: 'EXPIRED' } });
  });

  test('pays the live one of several with the same digits', async () => {
    const old = await register();
    await stage.ppr.withdraw(old.referenceId);
    const live = again(old, { amountMinor: 200_000 });
    await stage.ppr.register(live);
    // Registered last, and ended: the live one is not the newest.
    const ended = again(old);
    await stage.ppr.withdraw(ended.referenceId);
    await stage.ppr.register(ended);
    expect((await pay(old)).body.payments).toMatchObject([{ amount: '2000.00' }]);
    expect((await stage.ppr.query(live.referenceId)).payments).toHaveLength(1);
  });

  test('of many payers at once takes one for a Dynamic one, all for a Charging one, numbered in its entity and period', async () => {
    const dynamic = await register();
    const answers = await Promise.all(Array.from({ length: 10 }, () => pay(dynamic)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    const [open, other] = [await charging({ entity: '00777' }), await charging({ entity: '00778' })];
    await Promise.all(Array.from({ length: 10 }, () => pay(open, { amount: '10.00' })));
    const { referencePayments: paid } = await stage.books(open.reference);
    const numbers = paid.map(({ number }: { number: string }) => Number(number)).sort((a: number, b: number) => a - b);
    expect(numbers).toEqual(Array.from({ length: 10 }, (_, nth) => nth + 1));
    expect(new Set(paid.map(({ transactionId }: { transactionId: string }) => transactionId)).size).toBe(10);
    await eventually(() => toldOf(open).length).toBe(10);
    const place = async (digits: ReferenceOrder) => {
      const [{ period, number }] = (await pay(digits, { amount: '1.00' })).body.payments;
      return [Number(period), number];
    };
    // The banking day closes at 20:00 in Luanda.
    const evening = Date.parse(`${stage.clock.now().toISOString().slice(0, 10)}T18:59:59.999Z`);
    stage.clock.leap(evening + DAY_MS - stage.clock.now().getTime());
    const [period] = await place(open);
    expect([await place(open), await place(other)]).toEqual([
      [period, '2'],
      [period, '1'],
    ]);
    await stage.clock.advance(1);
    expect([await place(open), await place(open)]).toEqual([
      [Number(period) + 1, '1'],
      [Number(period) + 1, '2'],
    ]);
  });
});

describe('the list of payments', () => {
  test('goes on where it ended, stays there, and takes no cursor that it did not give', async () => {
    const { cursor } = await listAfter();
    expect(await stage.ppr.listPayments(cursor)).toEqual({
      result: 'told',
      payments: [],
      unreadable: [],
      next: cursor,
    });
    const open = await charging();
    const ids = [];
    for (const amount of ['1.00', '2.00', '3.00'])
      ids.push((await pay(open, { amount })).body.payments[0].transactionId);
    const page = await stage.sign('ppr', 'GET', `/v1/payments?after=${cursor}&limit=2`);
    expect(page.body.payments.map(({ amount }: { amount: string }) => amount)).toEqual(['1.00', '2.00']);
    expect((await listAfter(page.body.next)).ids).toEqual(ids.slice(2));
    expect((await listAfter()).ids.slice(-3)).toEqual(ids);
    expect(await stage.ppr.listPayments('x')).toMatchObject({ result: 'unknown', next: null });
  });

  test('hides nothing behind a cursor, however many pay while it is read', async () => {
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

describe('what goes wrong at a machine', () => {
  test('twice, late, wrong amount, lost', async () => {
    const twice = await register();
    const ids = (await pay(twice, { fault: 'twice' })).body.payments.map((paid: any) => paid.transactionId);
    expect(new Set(ids).size).toBe(2);
    expect((await stage.ppr.query(twice.referenceId)).payments.map(({ providerRef }) => providerRef)).toEqual(ids);
    await eventually(() => toldOf(twice).length).toBe(2);

    const [withdrawn, paid, expired] = [await register(), await register(), await register({ expiresAt: inMs(1_000) })];
    await stage.ppr.withdraw(withdrawn.referenceId);
    await pay(paid);
    await stage.clock.advance(1_000);
    for (const each of [withdrawn, paid, expired]) {
      expect((await pay(each)).status).toBe(409);
      expect((await pay(each, { fault: 'late' })).status).toBe(201);
    }
    expect((await stage.ppr.query(paid.referenceId)).payments).toHaveLength(2);
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
    const told = await register();
    await pay(told);
    await eventually(() => toldOf(told).length).toBe(1);
    expect(toldOf(lost)).toEqual([]);
    expect((await stage.ppr.query(lost.referenceId)).payments).toMatchObject([{ providerRef: transactionId }]);
    expect((await listAfter()).ids).toContain(transactionId);
  });

  test('notify later: taken at once, known to nobody but the machines for an hour, also over a restart', async () => {
    const made = await register();
    const { cursor } = await listAfter();
    const paidAt = stage.clock.now();
    const [{ transactionId }] = (await pay(made, { fault: 'notify_later' })).body.payments;
    expect(await pay(made)).toMatchObject(conflict('REFERENCE_PAID'));
    const [quick] = (await pay(await register())).body.payments;
    const seeUnknown = async () => {
      expect(await stage.ppr.query(made.referenceId)).toEqual({ result: 'told', payments: [] });
      expect(await stage.ppr.register(made)).toEqual(ACTIVE);
      expect((await listAfter(cursor)).ids).toEqual([quick.transactionId]);
      expect((await stage.books(made.reference)).referencePayments).toMatchObject([{ transactionId, isPublic: false }]);
      expect(toldOf(made)).toEqual([]);
    };
    await seeUnknown();
    stage.clock.leap(HOUR_MS - 1);
    await seeUnknown();
    await stage.restart();
    // Nobody asks: it is told by itself.
    await stage.clock.advance(1);
    await eventually(() => toldOf(made)).toMatchObject([{ payment: { transactionId } }]);
    expect((await stage.ppr.query(made.referenceId)).payments).toMatchObject([
      { providerRef: transactionId, occurredAt: paidAt },
    ]);
    expect((await listAfter(cursor)).ids).toEqual([quick.transactionId, transactionId]);
    expect(await stage.ppr.register(made)).toEqual(PAID);
  });

  test('each request has its fault, once; the machine for these digits', async () => {
    const { ppr } = stage;
    const made = order();
    const cut = { result: 'unknown', details: { reason: 'connection' } };
    await stage.orderFault({ on: 'reference_register', kind: 'reset_after', reference: made.reference });
    expect(await ppr.register(made)).toMatchObject(cut);
    await stage.orderFault({ on: 'reference_query', kind: 'garbage' });
    const asked = [await ppr.query(made.referenceId), await ppr.query(made.referenceId)];
    expect(asked).toEqual([
      { result: 'unknown', payments: [] },
      { result: 'told', payments: [] },
    ]);
    await stage.orderFault({ on: 'payments_list', kind: 'unavailable' });
    const listed = [await ppr.listPayments(null), await ppr.listPayments(null)];
    expect(listed).toMatchObject([{ result: 'unknown', next: null }, { result: 'told' }]);
    await stage.orderFault({ on: 'atm', kind: 'unavailable', reference: made.reference });
    expect((await pay(await register())).status).toBe(201);
    expect(await pay(made)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    await stage.orderFault({ on: 'reference_withdraw', kind: 'reset_after', reference: made.reference });
    expect(await ppr.withdraw(made.referenceId)).toMatchObject(cut);
    expect(await read(made)).toMatchObject({ status: 'WITHDRAWN' });
    expect(await ppr.withdraw(made.referenceId)).toEqual(WITHDRAWN);
  });

  test('a notification is dropped, and comes again after clearing, with its id or another', async () => {
    const [dropped, made] = [await register(), await register()];
    await stage.orderFault({ on: 'reference_notification', kind: 'drop', reference: dropped.reference });
    await pay(dropped);
    const [{ transactionId }] = (await pay(made)).body.payments;
    // Not only received: what the simulator has not yet noted as taken comes again after the leap.
    await eventually(() => stage.books(made.reference)).toMatchObject({ referencePayments: [{ notified: 1 }] });
    expect(toldOf(dropped)).toEqual([]);
    stage.clock.leap(3 * DAY_MS);
    const [first] = toldOf(made);
    const path = `/atm/payments/${transactionId}/repeat`;
    expect(await stage.call(path, {})).toEqual({ status: 201, body: { id: first.id } });
    await eventually(() => toldOf(made).length).toBe(2);
    const { body } = await stage.call(path, { newId: true });
    expect(body.id).not.toBe(first.id);
    await eventually(() => toldOf(made).map(({ id }) => id)).toEqual([first.id, first.id, body.id]);
    for (const { payment } of toldOf(made)) expect(payment).toEqual(first.payment);
    expect((await stage.books(made.reference)).referencePayments).toMatchObject([{ notifications: 3 }]);
  });
});

describe('a message', () => {
  const ACCEPTED = { result: 'accepted', reason: null, occurredAt: null };
  const NOT_FOUND = { result: 'not_found', reason: null, occurredAt: null };
  const unknown = (reason: string) => ({ result: 'unknown', reason, occurredAt: null });
  const booksOf = async (id: string) => (await stage.books(id)).messages;
  const reports = ({ messageId }: SmsOrder) =>
    stage.about(messageId).filter(({ json }) => json.type === 'message_status');
  /** What the inbox holds of it. */
  const letters = ({ messageId }: SmsOrder) =>
    querySql(stage.databaseUrl, `select text from simulator.inbox where kind = 'sms' and id = $1`, [messageId]);
  const magic = (digit: number) => messageOrder({ to: `+24490000000${digit}` });

  test('is sent once, however often and however many at once; its repetition is answered with how it stands', async () => {
    const { sms } = stage;
    const sent = messageOrder({ text: `${'é'.repeat(1_520)}\n"{}"🇦🇴` });
    const { messageId: id, ...content } = sent;
    const at = stage.clock.now().toISOString();
    const status = { status: 'QUEUED', reason: null, createdAt: at, decidedAt: null };
    const { text, ...echoed } = content;
    expect(await stage.sign('sms', 'POST', '/v1/messages', { id, ...content })).toEqual({
      status: 202,
      body: { id, ...echoed, ...status },
    });
    for (const result of await Promise.all(Array.from({ length: 9 }, () => sms.send(sent))))
      expect(result).toEqual(ACCEPTED);
    expect(await booksOf(sent.to)).toEqual([{ id, ...content, ...status, calls: 10, notifications: 0, notified: 0 }]);
    expect(await letters(sent)).toEqual([{ text }]);
    for (const change of [{ text: 'Outra' }, { sender: 'LOJA' }, { to: '+244923456789' }])
      expect(await sms.send({ ...sent, ...change })).toEqual(unknown('rail_refused'));
    const changed = await stage.sign('sms', 'POST', '/v1/messages', { id, ...content, text: 'Outra' });
    expect(changed).toMatchObject(conflict('MESSAGE_CHANGED'));
    await stage.clock.advance(1_000);
    await eventually(() => reports(sent).length).toBe(1);
    expect(await sms.send(sent)).toEqual({ result: 'delivered', reason: null, occurredAt: stage.clock.now() });
    expect(await booksOf(id)).toMatchObject([{ status: 'DELIVERED', calls: 15, text: sent.text }]);
    for (const missing of [randomUUID(), 'x/../y?z']) expect(await sms.query(missing)).toEqual(NOT_FOUND);
  });

  test('that nobody can read is refused, and was not sent; unsigned it is nothing', async () => {
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
      expect(await stage.sms.send(sent)).toEqual({ result: 'failed', reason: 'rail_refused', occurredAt: null });
      expect(await booksOf(sent.messageId)).toEqual([]);
    }
    const unsigned = await stage.sign('sms', 'POST', '/v1/messages', { id: randomUUID() }, {});
    expect(unsigned).toMatchObject({ status: 401, body: { code: 'BAD_SIGNATURE' } });
    expect((await stage.sign('gpo', 'GET', `/v1/messages/${randomUUID()}`)).status).toBe(401);
  });

  test('to a magic phone does what the table says', async () => {
    const { clock, sms } = stage;
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

  test('is answered: told with what it is about, or without; to what nobody got there is no answer', async () => {
    const [sent, silent, rejected] = [messageOrder({ sender: 'LOJA' }), magic(7), magic(1)];
    for (const each of [sent, silent, rejected]) await stage.sms.send(each);
    const path = `/messages/${sent.messageId}/reply`;
    const text = 'Parar, por favor\n🙏';
    const first = await stage.call(path, { text });
    expect(first).toEqual({ status: 202, body: { id: expect.any(String) } });
    const at = stage.clock.now().toISOString();
    const reply = { from: sent.to, to: 'LOJA', text, messageId: sent.messageId, receivedAt: at };
    const told = () => stage.told.flatMap(({ json }) => (json?.reply?.from === sent.to ? [json] : []));
    await eventually(told).toEqual([{ id: first.body.id, type: 'message_reply', createdAt: at, reply }]);
    await stage.call(`${path}?bare=1`, { text: 'STOP' });
    await eventually(told).toMatchObject([{ reply }, { reply: { ...reply, text: 'STOP', messageId: null } }]);
    // Whose reports are lost is answered for all that.
    await stage.call(`/messages/${silent.messageId}/reply`, { text: 'PARAR' });
    await eventually(() => stage.about(silent.messageId).length).toBe(1);
    for (const id of [rejected.messageId, randomUUID(), 'x'])
      expect(await stage.call(`/messages/${id}/reply`, { text: 'PARAR' })).toMatchObject({
        status: 404,
        body: { code: 'UNKNOWN_MESSAGE' },
      });
    for (const body of [{}, { text: '' }, { text: 7 }, { text: 'x'.repeat(1_531) }])
      expect((await stage.call(path, body)).status).toBe(400);
  });

  test('that came due while the rail was away is delivered then, at its time, however many', async () => {
    const all = Array.from({ length: 60 }, () => messageOrder());
    await Promise.all(all.map(stage.sms.send));
    const occurredAt = inMs(1_000).toISOString();
    const back = stage.restart();
    stage.clock.leap(60_000);
    await back;
    await eventually(() => all.filter((sent) => reports(sent).length > 0).length).toBe(all.length);
    for (const sent of all)
      expect(reports(sent)).toMatchObject([{ json: { message: { status: 'DELIVERED', decidedAt: occurredAt } } }]);
  });

  test.each(REQUEST_FAULTS)(
    'sms_send/%s: %s, taken on: %s; sent again it goes out once',
    async (kind, reason, isTaken) => {
      const sent = messageOrder();
      await stage.orderFault({ on: 'sms_send', kind, delayMs: 2 * STAGE_TIMEOUT_MS, phone: sent.to });
      expect(await stage.sms.send(messageOrder())).toEqual(ACCEPTED);
      const outcome = stage.sms.send(sent);
      if (reason === 'timeout') {
        await eventually(async () => (await booksOf(sent.messageId)).length).toBe(1);
        await stage.clock.advance(STAGE_TIMEOUT_MS);
      }
      expect(await outcome).toEqual(unknown(reason));
      expect((await stage.sms.query(sent.messageId)).result === 'not_found').toBe(!isTaken);
      await stage.sms.send(sent);
      expect(await booksOf(sent.messageId)).toMatchObject([{ calls: isTaken ? 2 : 1 }]);
      expect(await letters(sent)).toHaveLength(1);
    },
  );

  test('has a fault of its query, and of its report', async () => {
    const sent = messageOrder();
    await stage.sms.send(sent);
    await stage.orderFault({ on: 'sms_query', kind: 'reset_before', phone: sent.to });
    expect(await stage.sms.query(randomUUID())).toEqual(NOT_FOUND);
    expect([await stage.sms.query(sent.messageId), await stage.sms.query(sent.messageId)]).toEqual([
      unknown('connection'),
      ACCEPTED,
    ]);
    await stage.orderFault({ on: 'sms_notification', kind: 'duplicate', phone: sent.to });
    await stage.clock.advance(1_000);
    await eventually(() => reports(sent).length).toBe(3);
  });
});
