import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { readAttempts, readEventTypes, readPayment, PENDING_PHONE, untilSent } from '../../support/notify.ts';
import {
  create,
  orderFault,
  purchase,
  readBooks,
  travelToStatus,
  travelUntil,
  webframe,
} from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  await fetch(`${app.url}/sandbox/rail/faults`, { method: 'DELETE' });
});

/** The rail's clock for the push starts with its response to the call. */
const untilDecided = (id: string) =>
  until(async () => (await readAttempts(app, id))[0]?.status !== 'Unsent', 'the rail having answered');

const PAID = ['payment.created', 'payment.processing', 'payment.paid'];
const FAILED = ['payment.created', 'payment.processing', 'payment.attempt_failed', 'payment.failed'];

describe('a push to the test phone', () => {
  test.each([
    ['900000000', 'approves after a second', 'Paid', 1_000, null],
    ['900000005', 'approves after ten seconds', 'Paid', 10_000, null],
    ['900000006', 'approves and is notified three times', 'Paid', 1_000, null],
    ['900000007', 'approves, the notification is lost', 'Paid', 1_000, null],
    ['900000001', 'refuses', 'Failed', 1_000, 'customer_refused'],
    ['900000002', 'has no money', 'Failed', 1_000, 'insufficient_funds'],
    ['900000003', 'never answers', 'Failed', 90_000, 'timed_out'],
    ['900000008', 'has no Multicaixa Express', 'Failed', 0, 'number_not_active'],
  ])('%s %s', async (phone, _about, status, decidedAfterMs, failure) => {
    const created = await create(app, purchase(phone));
    expect(created).toMatchObject({ status: 'Processing', failure: null, completedAt: null });
    await untilDecided(created.id);
    const payment = await travelToStatus(app, created.id, status);
    const afterMs = Date.parse(payment.completedAt) - Date.parse(created.createdAt);
    expect(afterMs).toBeGreaterThanOrEqual(decidedAfterMs);
    expect(payment.failure).toEqual(failure && { code: failure, message: expect.stringMatching(/^The .+\.$/) });
    const isPaid = status === 'Paid';
    expect(payment).toMatchObject({ amountPaid: isPaid ? 1500 : 0, flags: [] });
    expect(payment.transactions).toEqual(isPaid ? [await expectedTransaction(payment, decidedAfterMs)] : []);
    expect(await readEventTypes(app, created.id)).toEqual(isPaid ? PAID : FAILED);
    const [book] = await readBooks(app, created.reference);
    expect(book).toMatchObject({ status: isPaid ? 'APPROVED' : 'DECLINED', calls: 1 });
  });

  /** These values depend on the rail's clock and numbering. */
  async function expectedTransaction(payment: any, decidedAfterMs: number) {
    const [book] = await readBooks(app, payment.reference);
    return {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      amount: 1500,
      currency: 'AOA',
      status: 'Accepted',
      late: false,
      occurredAt: new Date(Date.parse(payment.createdAt) + decidedAfterMs).toISOString(),
      transactionNumber: String(book.transactionNumber),
      clearingPeriod: String(book.clearingPeriod),
      terminalId: 'demo-pos',
    };
  }

  test('900000006 stores one notification and one transaction although the rail notifies three times', async () => {
    const { id, reference } = await create(app, purchase('900000006'));
    await travelUntil(app, async () => (await readBooks(app, reference))[0]?.notified === 3, 'three notifications');
    const [attempt] = await readAttempts(app, id);
    const readInbox = () => app.sql('select applied_at from inbox where body like $1', [`%${attempt.id}%`]);
    await until(async () => (await readInbox())[0]?.applied_at, 'the notification being applied');
    expect(await readInbox()).toHaveLength(1);
    expect((await readPayment(app, id)).transactions).toHaveLength(1);
  });

  test('900000007 becomes Paid by a poll because the notification is lost', async () => {
    const { id, reference } = await create(app, purchase('900000007'));
    await travelToStatus(app, id, 'Paid');
    expect((await readBooks(app, reference))[0]).toMatchObject({ notifications: 0 });
    const { json } = await app.call(`/api/payments/${id}/events`);
    expect(json.data.at(-1)).toMatchObject({ type: 'payment.paid', details: { via: 'poll' } });
  });

  test('900000004 becomes Failed only when the rail cannot know the push any more', async () => {
    const created = await create(app, purchase('900000004'));
    await app.clock.advance(15_000);
    expect(await readPayment(app, created.id)).toMatchObject({ status: 'Processing', failure: null });
    const failed = await travelToStatus(app, created.id, 'Failed');
    expect(failed.failure.code).toBe('rail_unavailable');
    expect(Date.parse(failed.completedAt) - Date.parse(created.createdAt)).toBeGreaterThanOrEqual(30_000);
    expect(await readBooks(app, created.reference)).toEqual([]);
  });
});

describe('a rail fault', () => {
  test.each(['reset_after', 'hang', 'garbage', 'delay'])(
    '%s: the money that the rail took is recorded once',
    async (kind) => {
      await orderFault(app, { on: 'purchase', kind, delayMs: 20_000 });
      const { id, reference } = await create(app, purchase('900000000'));
      const payment = await travelToStatus(app, id, 'Paid');
      expect(payment).toMatchObject({ amountPaid: 1500, flags: [] });
      const books = await readBooks(app, reference);
      expect(books).toMatchObject([{ status: 'APPROVED' }]);
    },
  );

  test('reset_before: a push that never reached the rail fails without money', async () => {
    await orderFault(app, { on: 'purchase', kind: 'reset_before', times: 20 });
    const { id, reference } = await create(app, purchase('900000000'));
    const payment = await travelToStatus(app, id, 'Failed');
    expect(payment.failure.code).toBe('rail_unavailable');
    expect(await readBooks(app, reference)).toEqual([]);
  });

  test('unavailable: a poll that fails is repeated', async () => {
    await orderFault(app, { on: 'query', kind: 'unavailable', times: 3 });
    const { id } = await create(app, purchase('900000007'));
    expect((await travelToStatus(app, id, 'Paid')).amountPaid).toBe(1500);
  });
});

describe('a sync', () => {
  const sync = (id: string, headers: Record<string, string> = {}) =>
    app.call(`/api/payments/${id}/sync`, { method: 'POST', headers });

  test('for a payment without a push returns a message and does not query the rail', async () => {
    const { id } = await create(app, webframe());
    const reply = await sync(id);
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ message: 'The payment is still Pending.' });
  });

  test('records an outcome before the first poll is due', async () => {
    const { id } = await create(app, purchase('900000007'));
    await untilSent(app, id);
    // The first poll is due 2 s after the push.
    await app.clock.advance(1_500);
    const reply = await sync(id, { prefer: 'return=representation' });
    expect(reply.json).toEqual({ message: 'The payment is Paid.', status: 'Paid' });
    const { json } = await app.call(`/api/payments/${id}/events`);
    expect(json.data.at(-1)).toMatchObject({ type: 'payment.paid', details: { via: 'sync' } });
  });

  test('changes nothing during the payer’s time to decide, and records an outcome only once', async () => {
    const { id } = await create(app, purchase('900000007'));
    await untilSent(app, id);
    expect((await sync(id)).json).toEqual({ message: 'The payment is still Processing.' });
    await app.clock.advance(1_500);
    await Promise.all([sync(id), sync(id), sync(id)]);
    expect(await readEventTypes(app, id)).toEqual(PAID);
  });

  test('returns 503 if the rail is unavailable, and changes nothing', async () => {
    const { id } = await create(app, purchase(PENDING_PHONE));
    await untilSent(app, id);
    await orderFault(app, { on: 'query', kind: 'unavailable' });
    const reply = await sync(id);
    expect(reply.status).toBe(503);
    expect(reply.json.code).toBe('rail_unavailable');
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await readPayment(app, id)).status).toBe('Processing');
    expect((await sync(id)).status).toBe(200);
  });

  test('ignores an Idempotency-Key', async () => {
    const { id } = await create(app, webframe());
    const key = { 'idempotency-key': 'sync-1' };
    await sync(id, key);
    const again = await sync(id, key);
    expect(again.status).toBe(200);
    expect(again.headers.has('idempotency-replayed')).toBe(false);
    expect(await app.sql(`select from idempotency_keys where key = 'sync-1'`)).toEqual([]);
  });
});

test('an unpaid payment expires at expiresAt and not earlier', async () => {
  const { id, createdAt } = await create(app, webframe({ metadata: { expiresInMinutes: 5 } }));
  await app.clock.pass(5 * 60_000 - 2_000);
  expect((await readPayment(app, id)).status).toBe('Pending');
  const expired = await travelToStatus(app, id, 'Expired');
  expect(Date.parse(expired.completedAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(5 * 60_000);
  expect(await readEventTypes(app, id)).toEqual(['payment.created', 'payment.expired']);
  await until(async () => (await app.sql('select due_at from payments where id = $1', [id]))[0].due_at === null);
});
