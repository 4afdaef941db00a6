// The simulated rail's QR codes and scans: places counted one by one, magic phones, withdrawals, faults.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readNotification } from '../../server/providers/gpo/notification.ts';
import type { QrOrder, VoidOrder } from '../../server/providers/provider.ts';
import { testClock } from '../support/clock.ts';
import { startGpoRail, type GpoStage } from '../support/rail.ts';

const SOMEBODY = '923456789';
const DAY_MS = 86_400_000;

const clock = testClock();
let stage: GpoStage;
let books: GpoStage['books'];
let rail: GpoStage['rail'];

beforeAll(async () => {
  stage = await startGpoRail(clock, 20_000);
  ({ books, rail } = stage);
});
afterAll(() => stage?.stop());

function codeOrder(more: Partial<QrOrder> = {}): QrOrder {
  const whose = { attemptId: randomUUID(), gpoMerchantId: 'M-1', gpoPosId: 'POS-1', reference: 'PED-1' };
  const money = { amountMinor: 150_000, currency: 'AOA', description: 'Café' };
  const endDate = new Date(clock.now().getTime() + DAY_MS);
  return { ...whose, ...money, type: 'DYNAMIC', maxTransactions: 3, endDate, ...more };
}

/** A code's id and content. */
async function makeCode(more: Partial<QrOrder> = {}) {
  const order = codeOrder(more);
  const { result, content } = await rail.createQrCode(order);
  expect(result).toBe('made');
  return { id: order.attemptId, content: content as string };
}

function withdrawal(targetId: string): VoidOrder {
  return { kind: 'void', attemptId: randomUUID(), gpoMerchantId: 'M-1', target: 'qrcode', targetId };
}

async function call(path: string, body?: object) {
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const response = await fetch(books.env.GPO_URL + path, init);
  return { status: response.status, body: await response.json() };
}

function tellingsOf(id: string) {
  const told = stage.gateway.bodies.map((body) => readNotification(body));
  return told.filter((news) => news?.about === 'scan' && news.attemptId === id);
}

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 5_000, interval: 5 });

describe('a code', () => {
  test('is made once, and its repetition is answered with how it stands', async () => {
    const order = codeOrder();
    const made = await rail.createQrCode(order);
    expect(made).toMatchObject({ result: 'made', scans: [], details: { railStatus: 'ACTIVE' } });
    expect(made.content).toContain(order.attemptId);
    expect(await rail.createQrCode(order)).toEqual(made);
    expect(await rail.queryQrCode(order.attemptId)).toEqual(made);
    for (const change of [
      { maxTransactions: 4 },
      { amountMinor: 1 },
      { endDate: clock.now() },
      { type: 'STATIC' as const },
    ]) {
      const changed = await rail.createQrCode({ ...order, ...change });
      expect(changed).toMatchObject({ result: 'unknown', details: { railCode: 'QRCODE_CHANGED' } });
    }
    expect(await rail.queryQrCode(randomUUID())).toMatchObject({ result: 'not_found' });
  });

  test('is paid by a scan, which is told and listed', async () => {
    const { id, content } = await makeCode();
    const read = await call('/codes/read', { content: `  ${content}\n` });
    expect(read).toMatchObject({ status: 200, body: { status: 'ACTIVE', amount: '1500.00', description: 'Café' } });
    const scan = await books.scan(` ${content} `, SOMEBODY);
    expect(scan).toMatchObject({ status: 201, body: { status: 'ACCEPTED', qrCodeId: id, phone: '+244923456789' } });
    expect(await call(`/scans/${scan.body.id}`)).toEqual({ status: 200, body: scan.body });
    const { scans } = await rail.queryQrCode(id);
    expect(scans).toMatchObject([{ providerRef: scan.body.transactionId, amountMinor: 150_000 }]);
    expect(scans[0]?.details).toMatchObject({
      transactionType: 'PURCHASE',
      orderOrigin: 'QRCODE',
      terminalId: 'POS-1',
    });
    await eventually(() => tellingsOf(id)).toMatchObject([{ scan: scans[0] }]);
  });

  test('nobody knows is 404; a phone that is none is 400', async () => {
    const { content } = await makeCode();
    expect(await books.scan('something else', SOMEBODY)).toMatchObject({
      status: 404,
      body: { code: 'UNKNOWN_QRCODE' },
    });
    expect(await call('/codes/read', { content: '' })).toMatchObject({ status: 404 });
    expect(await call(`/scans/${randomUUID()}`)).toMatchObject({ status: 404 });
    expect(await books.scan(content, '12345')).toMatchObject({ status: 400 });
  });

  test('through a closed terminal is refused', async () => {
    await books.setTerminal('POS-9', { status: 'CLOSED' });
    const order = codeOrder({ gpoPosId: 'POS-9' });
    expect(await rail.createQrCode(order)).toMatchObject({
      result: 'declined',
      failureCode: 'terminal_closed',
      content: null,
    });
  });

  test('has an end', async () => {
    const { id, content } = await makeCode({ endDate: new Date(clock.now().getTime() + 60_000) });
    await books.scan(content, SOMEBODY);
    await clock.advance(59_999);
    expect(await books.scan(content, SOMEBODY)).toMatchObject({ status: 201 });
    await clock.advance(1);
    expect(await books.scan(content, SOMEBODY)).toMatchObject({ status: 409, body: { code: 'ENDED' } });
    const ended = await rail.queryQrCode(id);
    expect(ended).toMatchObject({ result: 'made', details: { railStatus: 'ENDED' } });
    expect(ended.scans).toHaveLength(2);
  });
});

test('a hundred scans at once on a code of ten: ten are accepted, booked and told', async () => {
  const { id, content } = await makeCode({ maxTransactions: 10 });
  const phones = Array.from({ length: 100 }, (_, index) => `9111111${String(index).padStart(2, '0')}`);
  const answers = await Promise.all(phones.map((phone) => books.scan(content, phone)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.every(({ status, body }) => status === 409 && body.code === 'USED_UP')).toBe(true);
  const { scans, details } = await rail.queryQrCode(id);
  expect(new Set(scans.map(({ providerRef }) => providerRef)).size).toBe(10);
  expect(details.railStatus).toBe('USED_UP');
  const book = (await books.allBooks()).qrcodes.find((row) => row.id === id);
  expect(book).toMatchObject({ accepted: 10, status: 'USED_UP' });
  expect(book?.payments).toHaveLength(10);
  await eventually(() => tellingsOf(id).length).toBe(10);
});

describe('a withdrawn code', () => {
  test('takes no more scans, and keeps those it had', async () => {
    const { id, content } = await makeCode();
    await books.scan(content, SOMEBODY);
    const order = withdrawal(id);
    expect(await rail.send(order)).toMatchObject({ result: 'approved', amountMinor: null });
    expect(await rail.send(order)).toMatchObject({ result: 'approved' });
    expect(await rail.send(withdrawal(id))).toMatchObject({ result: 'approved' });
    expect(await books.scan(content, SOMEBODY)).toMatchObject({ status: 409, body: { code: 'WITHDRAWN' } });
    const withdrawn = await rail.queryQrCode(id);
    expect(withdrawn).toMatchObject({ result: 'declined', failureCode: 'issuer_refused' });
    expect(withdrawn.scans).toHaveLength(1);
  });

  test('may be withdrawn before it is made', async () => {
    const order = codeOrder();
    expect(await rail.send(withdrawal(order.attemptId))).toMatchObject({ result: 'approved' });
    expect(await rail.createQrCode(order)).toMatchObject({ result: 'declined', details: { railStatus: 'WITHDRAWN' } });
  });

  test('made and withdrawn at once is withdrawn', async () => {
    const orders = Array.from({ length: 10 }, () => codeOrder());
    await Promise.all(orders.flatMap((order) => [rail.createQrCode(order), rail.send(withdrawal(order.attemptId))]));
    for (const { attemptId } of orders) expect(await rail.queryQrCode(attemptId)).toMatchObject({ result: 'declined' });
  });
});

describe('magic phones', () => {
  test.each([
    ['900000000', 1_000, 1],
    ['900000005', 10_000, 1],
    ['900000006', 1_000, 3],
    ['900000007', 1_000, 0],
  ])('%s is accepted after %i ms, and told %i times', async (phone, afterMs, copies) => {
    const { id, content } = await makeCode({ maxTransactions: 2 });
    const { body } = await books.scan(content, phone);
    expect(body).toMatchObject({ status: 'PENDING', transactionId: null });
    await clock.advance(afterMs - 1);
    expect(await call(`/scans/${body.id}`)).toMatchObject({ body: { status: 'PENDING' } });
    expect((await rail.queryQrCode(id)).scans).toEqual([]);
    await clock.advance(1);
    expect(await call(`/scans/${body.id}`)).toMatchObject({ body: { status: 'ACCEPTED' } });
    // A later notification arrives last: by then all of this one's are here.
    const last = (await books.scan(content, SOMEBODY)).body.transactionId;
    const toldOf = (ref: string | null) =>
      tellingsOf(id).filter((news) => news?.about === 'scan' && news.scan.providerRef === ref);
    await eventually(() => toldOf(last).length).toBe(1);
    await eventually(() => tellingsOf(id).length).toBe(copies + 1);
  });

  test.each([
    ['900000001', 1_000, 'CUSTOMER_REFUSED'],
    ['900000002', 1_000, 'INSUFFICIENT_FUNDS'],
    ['900000003', 90_000, 'TIMED_OUT'],
    ['900000008', 0, 'NUMBER_NOT_ACTIVE'],
  ])('%s is refused after %i ms: %s, and no money', async (phone, afterMs, reason) => {
    const { id, content } = await makeCode();
    const { body } = await books.scan(content, phone);
    await clock.advance(afterMs);
    expect(await call(`/scans/${body.id}`)).toMatchObject({ body: { status: 'REFUSED', reason } });
    expect(await rail.queryQrCode(id)).toMatchObject({ result: 'made', scans: [] });
  });

  test('900000004: 503, and no scan', async () => {
    const { id, content } = await makeCode();
    expect(await books.scan(content, '900000004')).toMatchObject({ status: 503 });
    expect((await books.allBooks()).qrcodes.find((row) => row.id === id)?.payments).toEqual([]);
  });

  test('a pending scan holds no place: who is accepted first has it', async () => {
    const { id, content } = await makeCode({ maxTransactions: 1 });
    const slow = await books.scan(content, '900000000');
    const fast = await books.scan(content, SOMEBODY);
    expect(fast).toMatchObject({ status: 201, body: { status: 'ACCEPTED' } });
    await clock.advance(1_000);
    expect(await call(`/scans/${slow.body.id}`)).toMatchObject({ body: { status: 'REFUSED', reason: 'USED_UP' } });
    expect((await rail.queryQrCode(id)).scans).toMatchObject([{ providerRef: fast.body.transactionId }]);
  });
});

describe('faults', () => {
  test.each([
    ['unavailable', 'rail_error', false],
    ['reset_before', 'connection', false],
    ['reset_after', 'connection', true],
    ['garbage', 'unreadable', true],
    ['hang', 'timeout', true],
    ['delay', 'timeout', true],
  ])('qrcode/%s: %s, recorded: %s; the making waits 10 s at most', async (kind, reason, isRecorded) => {
    await books.orderFault({ on: 'qrcode', kind, delayMs: 15_000 });
    const order = codeOrder();
    const answer = rail.createQrCode(order);
    if (reason === 'timeout') {
      await eventually(async () => (await rail.queryQrCode(order.attemptId)).result).toBe('made');
      await clock.advance(10_000);
    }
    expect(await answer).toMatchObject({ result: 'unknown', details: { reason } });
    expect(await rail.queryQrCode(order.attemptId)).toMatchObject({ result: isRecorded ? 'made' : 'not_found' });
    expect(await rail.createQrCode(order)).toMatchObject({ result: 'made' });
  });

  test('a query of a code, once; a scan, by its phone', async () => {
    const { id, content } = await makeCode();
    await books.orderFault({ on: 'query', kind: 'garbage' });
    expect(await rail.queryQrCode(id)).toMatchObject({ result: 'unknown', details: { reason: 'unreadable' } });
    await books.orderFault({ on: 'scan', kind: 'unavailable', phone: SOMEBODY });
    expect(await books.scan(content, '911111111')).toMatchObject({ status: 201 });
    expect(await books.scan(content, SOMEBODY)).toMatchObject({ status: 503 });
    expect(await books.scan(content, SOMEBODY)).toMatchObject({ status: 201 });
    expect((await rail.queryQrCode(id)).scans).toHaveLength(2);
    expect(await call('/faults', { on: 'scan', kind: 'hang' })).toMatchObject({ status: 400 });
  });

  test('a scan’s notification is dropped for its phone', async () => {
    const { id, content } = await makeCode();
    await books.orderFault({ on: 'notification', kind: 'drop', phone: '911111112' });
    await books.scan(content, '911111112');
    const last = await books.scan(content, SOMEBODY);
    await eventually(() => tellingsOf(id)).toMatchObject([{ scan: { providerRef: last.body.transactionId } }]);
  });
});
