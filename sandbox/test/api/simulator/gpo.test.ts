// The GPO rail of docs/rail.md and its simulator: messages, answers and faults.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { signMessage } from '../../../../server/http/signature.ts';
import type {
  CaptureOrder,
  PushOrder,
  QrOrder,
  TerminalOrder,
  VoidOrder,
} from '../../../../server/providers/provider.ts';
import { startSimulator } from '../../../simulator/start.ts';
import { querySql } from '../../../../test/support/database.ts';
import {
  eventually,
  REQUEST_FAULTS,
  RAIL_KEYS,
  CLIENT_TIMEOUT_MS,
  openSimulatorFixture,
  type SimulatorFixture,
} from '../../../../test/support/simulator-fixture.ts';

const SOMEBODY = '+244923456789';
const WHOSE = { gpoMerchantId: 'M-1', gpoPosId: 'POS-1' };

let fixture: SimulatorFixture;
beforeAll(async () => {
  fixture = await openSimulatorFixture();
});
afterEach(() => fixture.call('/faults', {}, 'DELETE'));

/** Each order has its own reference, by which the test finds it in the rail's records. */
let serial = 0;
const references = new Map<string, string>();
function whose() {
  const [attemptId, reference] = [randomUUID(), `PED-${++serial}`];
  references.set(attemptId, reference);
  return { ...WHOSE, attemptId, reference };
}

function push(phone = SOMEBODY, kind: PushOrder['kind'] = 'purchase'): PushOrder {
  return {
    kind,
    ...whose(),
    phone,
    amountMinor: 150_000,
    currency: 'AOA',
    description: 'Café',
    wallet: null,
    notifyUrl: '',
  };
}

function capture(authorizationId: string, amountMinor = 150_000): CaptureOrder {
  const money = { amountMinor, currency: 'AOA', description: null };
  return { kind: 'capture', ...whose(), authorizationId, ...money };
}

function voiding(targetId: string, target: VoidOrder['target'] = 'authorization'): VoidOrder {
  return { kind: 'void', attemptId: randomUUID(), gpoMerchantId: 'M-1', target, targetId };
}

function code(more: Partial<QrOrder> = {}): QrOrder {
  const money = { amountMinor: 150_000, currency: 'AOA', description: 'Café' };
  const endDate = new Date(fixture.clock.now().getTime() + 86_400_000);
  return { ...whose(), ...money, type: 'DYNAMIC', maxTransactions: 3, endDate, notifyUrl: '', ...more };
}

function move(action: 'open' | 'close', more: Partial<TerminalOrder> = {}): TerminalOrder {
  return { operationId: randomUUID(), posId: 'POS-2', action, supervisorId: null, ...more };
}

const verdict = async (id: string, what: 'approve' | 'decline', body: object = {}) =>
  (await fixture.call(`/pushes/${id}/${what}`, body)).status;

/** An authorization that its payer has approved. */
async function authorize(): Promise<string> {
  const asked = push(SOMEBODY, 'authorization');
  await fixture.gpo.send(asked);
  expect(await verdict(asked.attemptId, 'approve')).toBe(200);
  return asked.attemptId;
}

/** Creates a code and returns its id and content. */
async function makeCode(more: Partial<QrOrder> = {}) {
  const order = code(more);
  const { content } = await fixture.gpo.createQrCode(order);
  return { id: order.attemptId, content: content! };
}

const scan = (content: string, phone = SOMEBODY) => fixture.call('/scans', { content, phone });
const bookOf = async (list: string, id: string) =>
  (await fixture.books(references.get(id)))[list].find((row: any) => row.id === id);
const countAbout = (id: string) => fixture.about(id).length;

/** Waits for open calls and leaps. A leap during an open call would make the call time out and repeat. */
async function reach(atMs: number): Promise<void> {
  await fixture.untilRecorded();
  fixture.clock.leap(atMs - fixture.clock.now().getTime());
}

/** Waits for a new notification, which the simulator sends after all earlier ones or together with the last. */
async function seeLast(): Promise<void> {
  const last = push('+244900000008');
  await fixture.gpo.send(last);
  await eventually(() => countAbout(last.attemptId)).toBe(1);
}

describe('a purchase', () => {
  const request = () => ({
    id: randomUUID(),
    merchantId: 'M',
    terminalId: 'T',
    reference: 'PED-1',
    phone: SOMEBODY,
    amount: '100.00',
    currency: 'AOA',
    description: 'Café',
  });

  test('is recorded once for concurrent and repeated requests, which return the status of the purchase', async () => {
    const purchase = request();
    const { merchantId: _, reference: __, description: ___, ...echoed } = purchase;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => fixture.sign('gpo', 'POST', '/v1/purchases', purchase)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 202]);
    const nothing = { reason: null, transactionId: null, transactionNumber: null, clearingPeriod: null };
    const createdAt = fixture.clock.now().toISOString();
    const pending = { ...echoed, status: 'PENDING', ...nothing, createdAt, decidedAt: null };
    for (const { body } of answers) expect(body).toEqual(pending);
    expect(await fixture.sign('gpo', 'GET', `/v1/purchases/${purchase.id}`)).toEqual({ status: 200, body: pending });
    expect(await verdict(purchase.id, 'approve')).toBe(200);
    const approved = await fixture.sign('gpo', 'POST', '/v1/purchases', purchase);
    expect(approved).toMatchObject({ status: 200, body: { status: 'APPROVED', decidedAt: createdAt } });
    expect(approved.body.transactionId).toMatch(/^\d{18}$/);
    expect(await bookOf('data', purchase.id)).toMatchObject({ calls: 11, status: 'APPROVED' });
  });

  test('with a used id is refused without a change, and a query of an unknown id returns 404', async () => {
    const purchase = request();
    await fixture.sign('gpo', 'POST', '/v1/purchases', purchase);
    for (const change of [{ amount: '100.01' }, { phone: '+244911111111' }, { description: null }, { reference: 'X' }])
      expect(await fixture.sign('gpo', 'POST', '/v1/purchases', { ...purchase, ...change })).toMatchObject({
        status: 409,
        body: { code: 'PURCHASE_CHANGED' },
      });
    expect(await bookOf('data', purchase.id)).toMatchObject({ amount: '100.00', phone: SOMEBODY, reference: 'PED-1' });
    // An id belongs to one kind of order.
    for (const other of [push(SOMEBODY, 'authorization'), capture(randomUUID()), voiding(randomUUID())])
      expect(await fixture.gpo.send({ ...other, attemptId: purchase.id })).toMatchObject({
        result: 'unknown',
        details: { railCode: `${other.kind.toUpperCase()}_CHANGED` },
      });
    const missing = await fixture.sign('gpo', 'GET', `/v1/purchases/${randomUUID()}`);
    expect(missing).toMatchObject({ status: 404, body: { code: 'UNKNOWN_PURCHASE' } });
    for (const kind of ['purchase', 'authorization', 'capture', 'void'] as const)
      expect(await fixture.gpo.query(kind, randomUUID())).toMatchObject({ result: 'not_found' });
  });

  test('is refused without a valid recent signature', async () => {
    const purchase = request();
    const message = { method: 'POST', path: '/v1/purchases', body: JSON.stringify(purchase) };
    const now = fixture.clock.now();
    for (const headers of [
      {},
      signMessage('another key', message, now),
      signMessage(RAIL_KEYS.ppr, message, now),
      signMessage(RAIL_KEYS.gpo, { ...message, path: '/rail/v1/purchases' }, now),
      signMessage(RAIL_KEYS.gpo, { ...message, body: `${message.body} ` }, now),
      signMessage(RAIL_KEYS.gpo, message, new Date(now.getTime() - 301_000)),
    ])
      expect(await fixture.sign('gpo', 'POST', '/v1/purchases', purchase, headers)).toMatchObject({
        status: 401,
        body: { code: 'BAD_SIGNATURE' },
      });
    expect((await fixture.sign('gpo', 'GET', `/v1/purchases/${purchase.id}`, undefined, {})).status).toBe(401);
    expect(await bookOf('data', purchase.id)).toBeUndefined();
  });

  test('returns 400 for an unreadable body and 413 for a large one', async () => {
    for (const change of [
      { id: 'x' },
      { phone: '923456789' },
      { amount: '100' },
      { amount: '100.005' },
      { amount: '0.00' },
      { amount: 100 },
      { currency: 'kz' },
      { reference: 'A'.repeat(16) },
      { terminalId: '\0' },
    ])
      expect(await fixture.sign('gpo', 'POST', '/v1/purchases', { ...request(), ...change })).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST' },
      });
    expect((await fixture.sign('gpo', 'POST', '/v1/purchases', 'x'.repeat(70_000))).status).toBe(413);
  });
});

describe('a test phone number', () => {
  /** The outcome, the delay and the notifications of a push to each test number. Other numbers time out. */
  const PUSHES = [
    ['900000000', 1_000, 'approved', null, 1],
    ['900000001', 1_000, 'declined', 'customer_refused', 1],
    ['900000002', 1_000, 'declined', 'insufficient_funds', 1],
    ['900000003', 90_000, 'declined', 'timed_out', 1],
    ['900000005', 10_000, 'approved', null, 1],
    ['900000006', 1_000, 'approved', null, 3],
    ['900000007', 1_000, 'approved', null, 0],
    ['900000008', 0, 'declined', 'number_not_active', 1],
    ['923456789', 90_000, 'declined', 'timed_out', 1],
  ] as const;

  test.each(['purchase', 'authorization'] as const)('decides a %s by the table of test numbers', async (kind) => {
    const { clock, gpo } = fixture;
    const start = clock.now().getTime();
    const asked = PUSHES.map((row) => ({ row, order: push(`+244${row[0]}`, kind) }));
    for (const { row, order } of asked) expect((await gpo.send(order)).result).toBe(row[1] === 0 ? row[2] : 'pending');
    for (const atMs of [999, 1_000, 9_999, 10_000, 89_999, 90_000]) {
      await reach(start + atMs);
      for (const { row, order } of asked) {
        const [phone, afterMs, result, failureCode] = row;
        const outcome = await gpo.query(kind, order.attemptId);
        if (atMs < afterMs) expect([phone, atMs, outcome.result]).toEqual([phone, atMs, 'pending']);
        else expect(outcome).toMatchObject({ result, failureCode, occurredAt: new Date(start + afterMs) });
        if (atMs >= afterMs && result === 'approved')
          expect(outcome).toMatchObject({ amountMinor: 150_000, currency: 'AOA', details: { terminalId: 'POS-1' } });
      }
    }
    await seeLast();
    for (const { row, order } of asked) {
      await eventually(() => [row[0], countAbout(order.attemptId)]).toEqual([row[0], row[4]]);
      const notified = fixture.about(order.attemptId);
      expect(notified.every(({ isSigned, json }) => isSigned && json.type === kind)).toBe(true);
      expect(new Set(notified.map(({ json }) => json.id)).size).toBe(Math.min(row[4], 1));
    }
    const away = push('+244900000004', kind);
    expect(await gpo.send(away)).toMatchObject({ result: 'unknown', details: { httpStatus: '503' } });
    expect(await gpo.query(kind, away.attemptId)).toMatchObject({ result: 'not_found' });
  });

  test('gives a capture or void the same delay and number of notifications as its authorization', async () => {
    const { clock, gpo } = fixture;
    const rows = [
      ['900000000', 1_000, 1],
      ['900000005', 10_000, 1],
      ['900000006', 1_000, 3],
      ['900000007', 1_000, 0],
    ] as const;
    const held = rows.flatMap((row) =>
      [capture, voiding].map((step) => ({ row, step, order: push(`+244${row[0]}`, 'authorization') })),
    );
    for (const { order } of held) await gpo.send(order);
    await clock.advance(10_000);
    const start = clock.now().getTime();
    const steps = held.map(({ row, step, order }) => ({
      row,
      order: step(order.attemptId) as CaptureOrder | VoidOrder,
    }));
    for (const { order } of steps) expect(await gpo.send(order)).toMatchObject({ result: 'pending' });
    for (const atMs of [999, 1_000, 9_999, 10_000]) {
      await reach(start + atMs);
      for (const { row, order } of steps)
        expect(await gpo.query(order.kind, order.attemptId)).toMatchObject(
          atMs < row[1] ? { result: 'pending' } : { result: 'approved', occurredAt: new Date(start + row[1]) },
        );
    }
    await seeLast();
    for (const { row, order } of steps)
      await eventually(() => [row[0], countAbout(order.attemptId)]).toEqual([row[0], row[2]]);
  });

  test('decides a scan, and any other number approves the scan', async () => {
    const { clock } = fixture;
    const start = clock.now().getTime();
    const rows = [
      ['900000000', 1_000, 'ACCEPTED', null, 1],
      ['900000001', 1_000, 'REFUSED', 'CUSTOMER_REFUSED', 0],
      ['900000002', 1_000, 'REFUSED', 'INSUFFICIENT_FUNDS', 0],
      ['900000003', 90_000, 'REFUSED', 'TIMED_OUT', 0],
      ['900000005', 10_000, 'ACCEPTED', null, 1],
      ['900000006', 1_000, 'ACCEPTED', null, 3],
      ['900000007', 1_000, 'ACCEPTED', null, 0],
      ['900000008', 0, 'REFUSED', 'NUMBER_NOT_ACTIVE', 0],
      ['923456789', 0, 'ACCEPTED', null, 1],
    ] as const;
    const scans = [];
    for (const row of rows) {
      const made = await makeCode();
      scans.push({ row, made, id: (await scan(made.content, row[0])).body.id });
    }
    for (const atMs of [0, 999, 1_000, 9_999, 10_000, 89_999, 90_000]) {
      await reach(start + atMs);
      for (const { row, made, id } of scans) {
        const [phone, afterMs, status, reason] = row;
        const { body } = await fixture.call(`/scans/${id}`);
        const expected = atMs < afterMs ? ['PENDING', null] : [status, reason];
        expect([phone, atMs, body.status, body.reason]).toEqual([phone, atMs, ...expected]);
        if (atMs === afterMs || atMs === afterMs - 1)
          expect((await fixture.gpo.queryQrCode(made.id)).scans).toHaveLength(expected[0] === 'ACCEPTED' ? 1 : 0);
      }
    }
    await seeLast();
    for (const { row, made } of scans) await eventually(() => [row[0], countAbout(made.id)]).toEqual([row[0], row[4]]);
    const { id, content } = await makeCode();
    expect((await scan(content, '900000004')).status).toBe(503);
    expect((await bookOf('qrcodes', id)).payments).toEqual([]);
  });
});

describe('a payer at the simulator', () => {
  test('sees the waiting pushes of the phone newest first, and can decide each once before its end', async () => {
    const phone = '+244911000001';
    const [first, second, late] = [push(phone), push(phone, 'authorization'), push(phone)];
    await fixture.gpo.send(first);
    await fixture.clock.advance(1);
    await fixture.gpo.send(second);
    expect((await fixture.call('/phones')).body.data).toContainEqual({ phone, waiting: 2 });
    const shown = { merchantId: 'M-1', description: 'Café', amount: '1500.00', status: 'PENDING' };
    for (const path of ['911000001', phone, '911%20000%20001'])
      expect((await fixture.call(`/phones/${path}/pushes`)).body.data).toMatchObject([
        { ...shown, id: second.attemptId, reference: second.reference, kind: 'authorization' },
        { ...shown, id: first.attemptId, reference: first.reference, kind: 'purchase', expiresAt: expect.any(String) },
      ]);
    expect(await verdict(second.attemptId, 'decline', { reason: 'NO_MOOD' })).toBe(400);
    expect(await verdict(second.attemptId, 'decline', { reason: 'LIMIT_EXCEEDED' })).toBe(200);
    expect(await fixture.gpo.query('authorization', second.attemptId)).toMatchObject({ failureCode: 'limit_exceeded' });
    expect(await verdict(first.attemptId, 'approve')).toBe(200);
    for (const again of ['approve', 'decline'] as const) expect(await verdict(first.attemptId, again)).toBe(409);
    await fixture.gpo.send(late);
    fixture.clock.leap(90_000);
    expect(await verdict(late.attemptId, 'approve')).toBe(409);
    const waiting = (await fixture.call('/phones')).body.data.map((row: { phone: string }) => row.phone);
    expect(waiting).not.toContain(phone);
    expect((await fixture.call(`/phones/${phone}/pushes`)).body.data).toHaveLength(3);
    expect(await verdict(randomUUID(), 'approve')).toBe(404);
    expect((await fixture.call('/phones/12345/pushes')).status).toBe(400);
  });

  test('sees the ten newest decisions', async () => {
    for (let nth = 0; nth < 11; nth++) await fixture.gpo.send(push('+244900000008'));
    expect((await fixture.call('/phones/900000008/pushes')).body.data).toHaveLength(10);
  });

  test('gets one outcome and one notification for concurrent approval, refusal and timeout', async () => {
    const orders = Array.from({ length: 8 }, () => push());
    await Promise.all(orders.map((asked) => fixture.gpo.send(asked)));
    fixture.clock.leap(89_999);
    const race = orders.flatMap(({ attemptId }) => [verdict(attemptId, 'approve'), verdict(attemptId, 'decline')]);
    await fixture.clock.advance(1);
    const answers = await Promise.all(race);
    const rows = await Promise.all(orders.map(({ attemptId }) => bookOf('data', attemptId)));
    const byHand = rows.filter(({ reason }) => reason !== 'TIMED_OUT').length;
    expect(answers.filter((status) => status === 200)).toHaveLength(byHand);
    expect(answers.filter((status) => status === 409)).toHaveLength(16 - byHand);
    await eventually(() => orders.map(({ attemptId }) => countAbout(attemptId))).toEqual(Array(8).fill(1));
    for (const { id, status } of rows)
      expect(fixture.about(id).map(({ json }) => json.purchase.status)).toEqual([status]);
  });
});

describe('an authorization', () => {
  const refused = (railReason: string) => ({
    result: 'declined',
    failureCode: 'issuer_refused',
    details: { railReason },
  });
  const holdOf = async (id: string) => {
    const { body } = await fixture.sign('gpo', 'GET', `/v1/authorizations/${id}`);
    return [body.capturedAmount, body.voidedAmount, body.heldAmount];
  };

  test('is captured once in whole or in part, releases the rest, and sends a notification of each step', async () => {
    const id = await authorize();
    const held = await fixture.gpo.query('authorization', id);
    expect(held).toMatchObject({ result: 'approved', amountMinor: 150_000, currency: 'AOA' });
    expect(await holdOf(id)).toEqual(['0.00', '0.00', '1500.00']);
    const taking = capture(id, 40_001);
    const taken = await fixture.gpo.send(taking);
    expect(taken).toMatchObject({ result: 'approved', amountMinor: 40_001 });
    expect(taken.providerRef).not.toBe(held.providerRef);
    expect(await fixture.gpo.send(taking)).toEqual(taken);
    expect(await fixture.gpo.query('capture', taking.attemptId)).toEqual(taken);
    const elsewhere = await fixture.gpo.send({ ...taking, authorizationId: randomUUID() });
    expect(elsewhere).toMatchObject({ details: { railCode: 'CAPTURE_CHANGED' } });
    expect(await holdOf(id)).toEqual(['400.01', '1099.99', '0.00']);
    await eventually(() => [countAbout(id), countAbout(taking.attemptId)]).toEqual([1, 1]);
    const whole = await authorize();
    await fixture.gpo.send(capture(whole));
    expect(await holdOf(whole)).toEqual(['1500.00', '0.00', '0.00']);
  });

  test('refuses captures and voids that do not fit its status', async () => {
    const { gpo } = fixture;
    expect(await gpo.send(capture(randomUUID()))).toMatchObject(refused('UNKNOWN_AUTHORIZATION'));
    const pending = push(SOMEBODY, 'authorization');
    await gpo.send(pending);
    expect(await gpo.send(capture(pending.attemptId))).toMatchObject(refused('AUTHORIZATION_NOT_APPROVED'));
    const id = await authorize();
    expect(await gpo.send(capture(id, 150_001))).toMatchObject(refused('AMOUNT_TOO_HIGH'));
    expect(await gpo.send({ ...capture(id, 100), currency: 'USD' })).toMatchObject(refused('AMOUNT_TOO_HIGH'));
    expect(await gpo.send({ ...capture(id), gpoMerchantId: 'M-2' })).toMatchObject(refused('UNKNOWN_AUTHORIZATION'));
    expect(await gpo.send(capture(id))).toMatchObject({ result: 'approved' });
    expect(await gpo.send(capture(id, 1))).toMatchObject(refused('AUTHORIZATION_CLOSED'));
    expect(await gpo.send(voiding(id))).toMatchObject(refused('ALREADY_CAPTURED'));
    const slow = push('+244900000000', 'authorization');
    await gpo.send(slow);
    await fixture.clock.advance(1_000);
    expect(await gpo.send(capture(slow.attemptId))).toMatchObject({ result: 'pending' });
    for (const step of [capture(slow.attemptId), voiding(slow.attemptId)])
      expect(await gpo.send(step)).toMatchObject(refused('AUTHORIZATION_BUSY'));
  });

  test('is voided while held or pending, before it arrives, repeatedly, and concurrently with its order', async () => {
    const { gpo } = fixture;
    const released = await authorize();
    expect(await gpo.send(voiding(released))).toMatchObject({ result: 'approved', providerRef: null });
    expect(await gpo.send(voiding(released))).toMatchObject({ result: 'approved' });
    expect(await holdOf(released)).toEqual(['0.00', '1500.00', '0.00']);
    expect(await gpo.send(capture(released))).toMatchObject(refused('AUTHORIZATION_CLOSED'));
    const pending = push(SOMEBODY, 'authorization');
    await gpo.send(pending);
    const voided = { id: randomUUID(), merchantId: 'M-1', target: 'authorization', targetId: pending.attemptId };
    const at = fixture.clock.now().toISOString();
    const { merchantId: _, ...echoed } = voided;
    expect(await fixture.sign('gpo', 'POST', '/v1/voids', voided)).toEqual({
      status: 202,
      body: { ...echoed, status: 'APPROVED', reason: null, createdAt: at, decidedAt: at },
    });
    expect(await gpo.query('authorization', pending.attemptId)).toMatchObject(refused('VOIDED'));
    expect(await verdict(pending.attemptId, 'approve')).toBe(409);
    await eventually(() => countAbout(pending.attemptId)).toBe(1);
    const later = push(SOMEBODY, 'authorization');
    expect(await gpo.send(voiding(later.attemptId))).toMatchObject({ result: 'approved' });
    expect(await gpo.send(later)).toMatchObject(refused('VOIDED'));
    const orders = Array.from({ length: 6 }, () => push(SOMEBODY, 'authorization'));
    await Promise.all(orders.flatMap((asked) => [gpo.send(asked), gpo.send(voiding(asked.attemptId))]));
    for (const { attemptId } of orders)
      expect(await gpo.query('authorization', attemptId)).toMatchObject({ result: 'declined' });
  });

  test('is either captured or voided by concurrent orders, and the rail’s books balance', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, authorize));
    for (const outcomes of await Promise.all(
      ids.map((id) => Promise.all([capture(id, 100_000), voiding(id), capture(id, 50_000)].map(fixture.gpo.send))),
    ))
      expect(outcomes.map(({ result }) => result).sort()).toEqual(['approved', 'declined', 'declined']);
    const { totals, authorizations } = await fixture.books();
    const minor = (text: string) => Number(text.replace('.', ''));
    for (const row of [...totals.holds, ...authorizations])
      expect(minor(row.captured) + minor(row.voided) + minor(row.held)).toBe(minor(row.authorized));
    for (const id of ids) expect((await holdOf(id))[2]).toBe('0.00');
  });
});

describe('a QR code', () => {
  test('is created once and shown, counts its scans with notifications and a list, and ends', async () => {
    const { gpo } = fixture;
    const order = code({ endDate: new Date(fixture.clock.now().getTime() + 60_000) });
    const made = await gpo.createQrCode(order);
    expect(made).toMatchObject({ result: 'made', scans: [], details: { railStatus: 'ACTIVE' } });
    expect(made.content).toContain(order.attemptId);
    expect([await gpo.createQrCode(order), await gpo.queryQrCode(order.attemptId)]).toEqual([made, made]);
    for (const change of [
      { maxTransactions: 4 },
      { amountMinor: 1 },
      { endDate: fixture.clock.now() },
      { type: 'STATIC' as const },
    ])
      expect(await gpo.createQrCode({ ...order, ...change })).toMatchObject({
        details: { railCode: 'QRCODE_CHANGED' },
      });
    expect(await gpo.queryQrCode(randomUUID())).toMatchObject({ result: 'not_found' });
    const read = await fixture.call('/codes/read', { content: `  ${made.content}\n` });
    const { reference } = order;
    const shown = { merchantId: 'M-1', reference, description: 'Café', amount: '1500.00', currency: 'AOA' };
    expect(read).toMatchObject({ status: 200, body: { ...shown, status: 'ACTIVE', accepted: 0, maxTransactions: 3 } });
    const { status, body } = await scan(` ${made.content} `);
    expect([status, body.status, body.qrCodeId, body.phone]).toEqual([201, 'ACCEPTED', order.attemptId, SOMEBODY]);
    const { scans } = await gpo.queryQrCode(order.attemptId);
    expect(scans).toMatchObject([{ providerRef: body.transactionId, amountMinor: 150_000 }]);
    expect(scans[0]?.details).toMatchObject({
      transactionType: 'PURCHASE',
      orderOrigin: 'QRCODE',
      terminalId: 'POS-1',
    });
    await eventually(() => fixture.about(order.attemptId)).toMatchObject([
      { isSigned: true, json: { type: 'qrcode_payment', payment: body } },
    ]);
    fixture.clock.leap(60_000);
    expect(await scan(made.content!)).toMatchObject({ status: 409, body: { code: 'ENDED' } });
    const ended = await gpo.queryQrCode(order.attemptId);
    expect(ended).toMatchObject({ result: 'made', scans: [expect.anything()], details: { railStatus: 'ENDED' } });
  });

  test('accepts at most its maximum of concurrent scans, and pending scans do not count', async () => {
    const { id, content } = await makeCode({ maxTransactions: 5 });
    const slow = await scan(content, '900000000');
    const phones = Array.from({ length: 25 }, (_, nth) => `9111111${String(nth).padStart(2, '0')}`);
    const answers = await Promise.all(phones.map((phone) => scan(content, phone)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status, body }) => status === 409 && body.code === 'USED_UP')).toHaveLength(20);
    await fixture.clock.advance(1_000);
    expect((await fixture.call(`/scans/${slow.body.id}`)).body).toMatchObject({ status: 'REFUSED', reason: 'USED_UP' });
    const { scans, details } = await fixture.gpo.queryQrCode(id);
    expect([new Set(scans.map(({ providerRef }) => providerRef)).size, details.railStatus]).toEqual([5, 'USED_UP']);
    expect(await bookOf('qrcodes', id)).toMatchObject({ accepted: 5, status: 'USED_UP' });
    await eventually(() => countAbout(id)).toBe(5);
  });

  test('stays withdrawn after scans, before its creation arrives, and concurrently with its creation', async () => {
    const { gpo } = fixture;
    const { id, content } = await makeCode();
    await scan(content);
    const order = voiding(id, 'qrcode');
    for (const each of [order, order, voiding(id, 'qrcode')])
      expect(await gpo.send(each)).toMatchObject({ result: 'approved', amountMinor: null });
    expect(await scan(content)).toMatchObject({ status: 409, body: { code: 'WITHDRAWN' } });
    const withdrawn = await gpo.queryQrCode(id);
    expect(withdrawn).toMatchObject({ result: 'declined', failureCode: 'issuer_refused', scans: [expect.anything()] });
    const orders = Array.from({ length: 6 }, () => code());
    await gpo.send(voiding(orders[0]!.attemptId, 'qrcode'));
    await Promise.all(orders.flatMap((made) => [gpo.createQrCode(made), gpo.send(voiding(made.attemptId, 'qrcode'))]));
    for (const { attemptId } of orders)
      expect(await gpo.queryQrCode(attemptId)).toMatchObject({
        result: 'declined',
        details: { railStatus: 'WITHDRAWN' },
      });
    // A void of a code does not void an authorization with the same id.
    const other = push(SOMEBODY, 'authorization');
    await gpo.send(voiding(other.attemptId, 'qrcode'));
    expect(await gpo.send(other)).toMatchObject({ result: 'pending' });
  });

  test('returns 404 if it is unknown and 400 for an invalid phone', async () => {
    const unknown = { status: 404, body: { code: 'UNKNOWN_QRCODE' } };
    expect(await scan('something else')).toMatchObject(unknown);
    expect(await fixture.call('/codes/read', { content: '' })).toMatchObject(unknown);
    expect((await fixture.call(`/scans/${randomUUID()}`)).status).toBe(404);
    expect((await scan((await makeCode()).content, '12345')).status).toBe(400);
  });
});

describe('a terminal', () => {
  test('opens and closes once for each operation id, and every opening begins one period', async () => {
    const { gpo } = fixture;
    expect(await fixture.sign('gpo', 'GET', '/v1/terminals/POS-2')).toEqual({
      status: 200,
      body: { posId: 'POS-2', status: 'OPEN', period: '1', supervisorRequired: false },
    });
    expect(await gpo.moveTerminal(move('open'))).toMatchObject({ status: 'Open', period: '1' });
    const closing = move('close');
    for (const each of [closing, move('close')])
      expect(await gpo.moveTerminal(each)).toMatchObject({ status: 'Closed', period: '1' });
    const openings = await Promise.all(Array.from({ length: 5 }, () => gpo.moveTerminal(move('open'))));
    for (const opened of openings) expect(opened).toMatchObject({ status: 'Open', period: '2' });
    expect(await gpo.moveTerminal(closing)).toMatchObject({ result: 'told', status: 'Open', period: '2' });
    const changed = await gpo.moveTerminal({ ...closing, action: 'open' });
    expect(changed).toMatchObject({ result: 'unknown', details: { railCode: 'MOVE_CHANGED' } });
    expect(await gpo.queryTerminal('no such terminal')).toMatchObject({ result: 'not_found' });
  });

  test('refuses purchases, authorizations and codes while it is closed, but no captures', async () => {
    const held = await authorize();
    await fixture.call('/terminals/POS-1', { status: 'CLOSED' }, 'PUT');
    for (const kind of ['purchase', 'authorization'] as const)
      expect(await fixture.gpo.send(push(SOMEBODY, kind))).toMatchObject({ failureCode: 'terminal_closed' });
    expect(await fixture.gpo.createQrCode(code())).toMatchObject({ failureCode: 'terminal_closed', content: null });
    expect(await fixture.gpo.send(capture(held))).toMatchObject({ result: 'approved' });
    await fixture.gpo.moveTerminal(move('open', { posId: 'POS-1' }));
    expect(await fixture.gpo.send(push())).toMatchObject({ result: 'pending' });
  });

  test('with supervisors requires one, and sends a notification when the rail opens or closes it', async () => {
    const posId = 'POS-3';
    const set = await fixture.call(`/terminals/${posId}`, { supervisors: ['S-1', 'S-2'] }, 'PUT');
    expect(set.body).toMatchObject({ supervisorRequired: true });
    const closing = move('close', { posId });
    expect(await fixture.gpo.moveTerminal(closing)).toMatchObject({ refusal: 'supervisor_required' });
    const wrong = await fixture.gpo.moveTerminal({ ...closing, supervisorId: 'S-3' });
    expect(wrong).toMatchObject({ result: 'refused', refusal: 'wrong_supervisor' });
    expect(await fixture.gpo.moveTerminal({ ...closing, supervisorId: 'S-2' })).toMatchObject({ status: 'Closed' });
    for (const change of [{ status: 'OPENING' }, { status: 'OPEN', notify: true }])
      await fixture.call(`/terminals/${posId}`, change, 'PUT');
    const notified = () => fixture.notified.filter(({ json }) => json?.terminal?.posId === posId);
    await eventually(notified).toMatchObject([
      { isSigned: true, json: { type: 'terminal', terminal: { status: 'OPEN' } } },
    ]);
  });
});

describe('a notification', () => {
  test('is repeated unchanged for a day: after 5 s, 15 s, 1 min, 5 min, then every 30 min', async () => {
    const asked = push('+244900000008');
    fixture.refuse(asked.attemptId, [500, 404, 301, 503, ...Array<number>(100).fill(500)]);
    await fixture.gpo.send(asked);
    const waited: number[] = [];
    for (;;) {
      await eventually(() => countAbout(asked.attemptId)).toBe(waited.length + 1);
      // After this time the lease of a running attempt has ended.
      let waitMs: number | null = 0;
      await eventually(async () => {
        const [row] = await querySql(
          fixture.databaseUrl,
          'select due_at from simulator.notifications where purchase_id = $1',
          [asked.attemptId],
        );
        waitMs = row.due_at && row.due_at.getTime() - fixture.clock.now().getTime();
        return waitMs !== 20_000 && waitMs !== 0;
      }).toBe(true);
      if (waitMs === null) break;
      waited.push(waitMs / 1_000);
      fixture.clock.leap(waitMs);
    }
    expect(waited).toEqual([5, 15, 60, 300, ...Array<number>(47).fill(1_800)]);
    expect(new Set(fixture.about(asked.attemptId).map(({ text }) => text)).size).toBe(1);
  });

  test('survives a crash of the simulator, and does not wait for a hanging request', async () => {
    const [declined, approved, hung] = [push('+244900000008'), push('+244900000000'), push()];
    fixture.refuse(declined.attemptId, [500]);
    await fixture.gpo.send(declined);
    await eventually(() => countAbout(declined.attemptId)).toBe(1);
    await fixture.gpo.send(approved);
    const occurredAt = new Date(fixture.clock.now().getTime() + 1_000);
    await fixture.orderFault({ on: 'purchase', kind: 'hang' });
    await fixture.orderFault({ on: 'purchase', kind: 'unavailable' });
    const hanging = fixture.gpo.send(hung);
    await eventually(() => bookOf('data', hung.attemptId)).toBeTruthy();
    fixture.clock.leap(60_000);
    await fixture.restart();
    expect(await hanging).toMatchObject({ result: 'unknown' });
    await eventually(() => [countAbout(declined.attemptId), countAbout(approved.attemptId)]).toEqual([2, 1]);
    expect(await fixture.gpo.query('purchase', approved.attemptId)).toMatchObject({ result: 'approved', occurredAt });
    expect(await fixture.gpo.send(push())).toMatchObject({ details: { reason: 'rail_error' } });
    await fixture.untilRecorded([declined.attemptId]);
    fixture.clock.leap(600_000);
    await seeLast();
    expect(countAbout(declined.attemptId)).toBe(2);
  });

  test('is sent once by two simulators on one database, and survives a lost database connection', async () => {
    const second = await startSimulator({
      ...fixture.options,
      databaseUrl: fixture.databaseUrl,
      host: '127.0.0.1',
      port: 0,
      log: () => {},
    });
    const orders = Array.from({ length: 8 }, () => push('+244900000000'));
    await Promise.all(orders.map(fixture.gpo.send));
    await fixture.clock.advance(1_000);
    await seeLast();
    await eventually(() => orders.map(({ attemptId }) => countAbout(attemptId))).toEqual(Array(8).fill(1));
    const rows = await Promise.all(orders.map(({ attemptId }) => bookOf('data', attemptId)));
    for (const key of ['transactionId', 'transactionNumber']) expect(new Set(rows.map((row) => row[key])).size).toBe(8);
    await second.stop();
    const asked = push('+244900000005');
    await fixture.gpo.send(asked);
    await querySql(
      fixture.databaseUrl,
      'select pg_terminate_backend(pid) from pg_stat_activity ' +
        'where datname = current_database() and pid <> pg_backend_pid()',
    );
    // A loop that lost its database waits before it retries.
    await eventually(async () => {
      await fixture.clock.advance(500);
      return countAbout(asked.attemptId);
    }).toBe(1);
  });
});

describe('a simulated fault', () => {
  test('can be listed, counted down, limited to a phone and cleared, and returns 400 if it is invalid', async () => {
    const listed = { on: 'purchase', kind: 'unavailable', phone: '+244911111111', delayMs: 5_000, times: 3 };
    const notified = await fixture.call('/faults', {
      on: 'purchase',
      kind: 'unavailable',
      times: 3,
      phone: '911 111 111',
    });
    expect(notified).toEqual({ status: 201, body: { data: [listed] } });
    expect(await fixture.gpo.send(push())).toMatchObject({ result: 'pending' });
    expect(await fixture.gpo.send(push('+244911111111'))).toMatchObject({ result: 'unknown' });
    expect((await fixture.call('/faults')).body.data).toEqual([{ ...listed, times: 2 }]);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => fixture.gpo.send(push('+244911111111'))));
    expect(outcomes.filter(({ result }) => result === 'unknown')).toHaveLength(2);
    await fixture.orderFault({ on: 'purchase', kind: 'unavailable' });
    expect((await fixture.call('/faults', {}, 'DELETE')).status).toBe(204);
    expect(await fixture.gpo.send(push())).toMatchObject({ result: 'pending' });
    for (const wrong of [
      { on: 'purchase', kind: 'drop' },
      { on: 'notification', kind: 'hang' },
      { on: 'scan', kind: 'hang' },
      { on: 'atm', kind: 'hang' },
      { on: 'lunch', kind: 'delay' },
      { on: 'query', kind: 'delay', times: 0 },
    ])
      expect((await fixture.call('/faults', wrong)).status).toBe(400);
  });

  test.each(REQUEST_FAULTS)(
    'purchase/%s gives the client %s, and the purchase is recorded and moves money: %s',
    async (kind, reason, isRecorded) => {
      await fixture.orderFault({ on: 'purchase', kind, delayMs: 2 * CLIENT_TIMEOUT_MS });
      const asked = push('+244900000000');
      const answer = fixture.gpo.send(asked);
      if (reason === 'timeout') {
        await eventually(() => bookOf('data', asked.attemptId)).toBeTruthy();
        await fixture.clock.advance(CLIENT_TIMEOUT_MS);
      } else await fixture.clock.advance(0);
      expect(await answer).toMatchObject({ result: 'unknown', details: { reason } });
      expect(!!(await bookOf('data', asked.attemptId))).toBe(isRecorded);
      await fixture.clock.advance(1_000);
      const now = isRecorded ? 'approved' : 'not_found';
      expect(await fixture.gpo.query('purchase', asked.attemptId)).toMatchObject({ result: now });
      expect(await fixture.gpo.send(asked)).toMatchObject({ result: isRecorded ? 'approved' : 'pending' });
    },
  );

  test('purchase/delay below the client’s timeout sends the response after the notification', async () => {
    await fixture.orderFault({ on: 'purchase', kind: 'delay', delayMs: 3_000 });
    const asked = push('+244900000000');
    const answer = fixture.gpo.send(asked);
    await eventually(() => bookOf('data', asked.attemptId)).toBeTruthy();
    await fixture.clock.advance(1_000);
    await eventually(() => countAbout(asked.attemptId)).toBe(1);
    expect(await Promise.race([answer, 'still waiting'])).toBe('still waiting');
    await fixture.clock.advance(2_000);
    expect(await answer).toMatchObject({ details: { terminalId: 'POS-1' } });
  });

  test('for any other request fails the request once and keeps the request’s effect', async () => {
    const { gpo } = fixture;
    const held = await authorize();
    const [reserving, taking, releasing] = [push(SOMEBODY, 'authorization'), capture(held), voiding(await authorize())];
    for (const order of [reserving, taking, releasing]) {
      await fixture.orderFault({ on: order.kind, kind: 'reset_after', phone: SOMEBODY });
      expect(await gpo.send(order)).toMatchObject({ result: 'unknown', details: { reason: 'connection' } });
      expect(await gpo.query(order.kind, order.attemptId)).toMatchObject({
        result: order === reserving ? 'pending' : 'approved',
      });
    }
    await fixture.orderFault({ on: 'query', kind: 'garbage', phone: SOMEBODY });
    expect(await gpo.query('purchase', randomUUID())).toMatchObject({ result: 'not_found' });
    expect(await gpo.query('capture', taking.attemptId)).toMatchObject({ details: { reason: 'unreadable' } });
    expect(await gpo.query('capture', taking.attemptId)).toMatchObject({ result: 'approved' });
    const order = code();
    await fixture.orderFault({ on: 'qrcode', kind: 'reset_after' });
    expect(await gpo.createQrCode(order)).toMatchObject({ result: 'unknown', details: { reason: 'connection' } });
    const made = await gpo.queryQrCode(order.attemptId);
    expect(made).toMatchObject({ result: 'made' });
    await fixture.orderFault({ on: 'scan', kind: 'unavailable', phone: SOMEBODY });
    expect((await scan(made.content!, '911111111')).status).toBe(201);
    expect([(await scan(made.content!)).status, (await scan(made.content!)).status]).toEqual([503, 201]);
    await fixture.orderFault({ on: 'terminal', kind: 'reset_after' });
    expect(await gpo.moveTerminal(move('close'))).toMatchObject({
      result: 'unknown',
      details: { reason: 'connection' },
    });
    await fixture.orderFault({ on: 'query', kind: 'unavailable' });
    expect(await gpo.queryTerminal('POS-2')).toMatchObject({ result: 'unknown', details: { httpStatus: '503' } });
    expect(await gpo.queryTerminal('POS-2')).toMatchObject({ status: 'Closed' });
  });

  test('drops, triples, delays, garbles or reorders a notification', async () => {
    const ids: Record<string, string> = {};
    await seeLast();
    const before = fixture.notified.length;
    for (const kind of ['reorder', 'drop', 'delay', 'garbage', 'duplicate']) {
      await fixture.orderFault({ on: 'notification', kind, delayMs: 60_000 });
      const asked = push('+244900000008');
      ids[kind] = asked.attemptId;
      await fixture.gpo.send(asked);
      await eventually(async () => (await fixture.call('/faults')).body.data).toEqual([]);
    }
    await eventually(() => countAbout(ids['duplicate']!)).toBe(3);
    // Delayed notifications are sent as time passes.
    await fixture.clock.advance(1_000);
    await eventually(() => countAbout(ids['reorder']!)).toBe(1);
    await fixture.untilRecorded([ids['garbage']!]);
    fixture.clock.leap(58_999);
    await seeLast();
    expect(countAbout(ids['delay']!)).toBe(0);
    await fixture.clock.advance(1);
    await eventually(() => countAbout(ids['delay']!)).toBe(1);
    for (const kind of ['drop', 'garbage']) expect(countAbout(ids[kind]!)).toBe(0);
    const notified = fixture.notified.slice(before);
    const place = (id: string) => notified.findIndex(({ json }) => json?.purchase?.id === id);
    const overtaking = notified.findIndex(({ json }) => json?.purchase?.id !== ids['reorder']);
    expect(overtaking).toBeLessThan(place(ids['reorder']!));
    expect(notified.filter(({ json }) => json === null)).toMatchObject([{ isSigned: true }]);
  });
});
