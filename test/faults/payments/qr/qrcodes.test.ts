import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../../support/app.ts';
import { testClock } from '../../../support/clock.ts';
import { readEventTypes, readPayment } from '../../../support/notify.ts';
import { travelToStatus, travelUntil } from '../../../support/payments.ts';
import { createCode, qrcode, SCANNER, untilCodeHeld } from '../../../support/qrcodes.ts';
import { startRail, type Rail } from '../../../support/rail.ts';

/** The longest time that a creation request waits for the QR code. */
const PATIENCE_MS = 10_000;
/** The lease of a call is the rail's timeout plus 5 s. */
const LEASE_MS = 25_000;

let app: TestApp;
let rail: Rail;
beforeAll(async () => {
  const clock = testClock();
  rail = await startRail({ clock, gatewayUrl: () => app.url });
  // Other calls may take longer than the wait for a code.
  app = await startTestApp({ clock, env: { ...rail.env, GPO_TIMEOUT_S: '20' } });
});
afterEach(() => {
  rail.calls.holdAt(null);
  rail.calls.release();
});

/** A QR creation in progress, with the API's response if it has arrived. */
function post(body: object, key: string) {
  const request = { reply: null as Reply | null, whole: null as unknown as Promise<Reply> };
  request.whole = app.call('/api/payments', { body, headers: { 'idempotency-key': key } }).then((reply) => {
    request.reply = reply;
    return reply;
  });
  return request;
}

const codesOf = async (reference: string) => (await rail.allBooks(reference)).qrcodes;
const findPayment = async (reference: string) => {
  const [row] = await app.sql('select id from payments where reference = $1 order by created_at desc limit 1', [
    reference,
  ]);
  return readPayment(app, row.id);
};
const countKeys = async (key: string) => (await app.sql('select from idempotency_keys where key = $1', [key])).length;

describe('a QR creation with the rail fault', () => {
  test.each([
    { kind: 'unavailable', isMade: false, waitMs: 0 },
    { kind: 'reset_before', isMade: false, waitMs: 0 },
    { kind: 'reset_after', isMade: true, waitMs: 0 },
    { kind: 'garbage', isMade: true, waitMs: 0 },
    { kind: 'hang', isMade: true, waitMs: PATIENCE_MS },
    { kind: 'delay', isMade: true, waitMs: PATIENCE_MS },
  ])('$kind returns 503, keeps its key free and withdraws the code', async ({ kind, isMade, waitMs }) => {
    await rail.orderFault({ on: 'qrcode', kind, delayMs: 60_000 });
    const [key, body] = [randomUUID(), qrcode()];
    const reference = String(body['reference']);
    const request = post(body, key);
    if (waitMs > 0) {
      await until(async () => (await codesOf(reference)).length === 1, 'the rail making the code');
      await app.clock.pass(waitMs - 1);
      expect(request.reply).toBeNull();
      await app.clock.advance(1);
    }
    const refused = await request.whole;
    expect(refused).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);

    const payment = await findPayment(reference);
    expect(payment).toMatchObject({ status: 'Failed', failure: { code: 'rail_unavailable' }, transactions: [] });
    expect(await readEventTypes(app, payment.id)).toEqual(['payment.created', 'payment.failed']);
    expect(await countKeys(key)).toBe(0);
    const isLetGo = async () => (await rail.allBooks()).voids.some(({ targetId }) => targetId === maker);
    const [{ id: maker }] = await app.sql(`select id from attempts where payment_id = $1 and kind = 'qrcode'`, [
      payment.id,
    ]);
    await travelUntil(app, isLetGo, 'the withdrawal');
    const codes = await codesOf(reference);
    expect(codes).toMatchObject(isMade ? [{ id: maker, status: 'WITHDRAWN', accepted: 0 }] : []);
    for (const { content } of codes)
      expect(await rail.scan(String(content), SCANNER)).toMatchObject({ status: 409, body: { code: 'WITHDRAWN' } });

    const again = await post(body, key).whole;
    expect(again.status).toBe(200);
    expect(again.headers.has('idempotency-replayed')).toBe(false);
    expect((await codesOf(reference)).filter(({ status }) => status === 'ACTIVE')).toHaveLength(1);
  });

  test('"lost request" withdraws the code before the request reaches the rail: the code is never payable', async () => {
    const [key, body] = [randomUUID(), qrcode()];
    const reference = String(body['reference']);
    rail.calls.holdAt('request');
    const request = post(body, key);
    await untilCodeHeld(rail.calls, reference);
    rail.calls.holdAt(null);
    await app.clock.pass(PATIENCE_MS);
    expect((await request.whole).status).toBe(503);
    const { id } = await findPayment(reference);
    const isLetGo = async () =>
      (await app.sql(`select from attempts where payment_id = $1 and kind = 'void' and status = 'Approved'`, [id]))
        .length;
    await travelUntil(app, isLetGo, 'the withdrawal');
    expect(await codesOf(reference)).toEqual([]);
    rail.calls.release();
    const [code] = await until(async () => {
      const codes = await codesOf(reference);
      return codes.length > 0 ? codes : null;
    }, 'the late arrival');
    expect(code).toMatchObject({ status: 'WITHDRAWN', accepted: 0 });
    expect((await readPayment(app, id)).status).toBe('Failed');
  });
});

test('a QR creation returns 503 if the rail is unreachable, and the rail receives the withdrawal later', async () => {
  await rail.calls.stop();
  const [key, body] = [randomUUID(), qrcode()];
  const refused = await post(body, key).whole;
  await rail.calls.start();
  expect(refused).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
  const { id } = await findPayment(String(body['reference']));
  const open = `select from attempts where payment_id = $1 and resolved_at is null`;
  await travelUntil(app, async () => (await app.sql(open, [id])).length === 0, 'the withdrawal');
  expect((await post(body, key).whole).status).toBe(200);
});

describe('a scan before the rail responded to the QR creation', () => {
  /** A QR creation whose rail response the proxy holds while a payer pays the code once. */
  async function payBeforeAnswer(maxTransactions: number) {
    const [key, body] = [randomUUID(), qrcode({ maxTransactions })];
    const reference = String(body['reference']);
    rail.calls.holdAt('answer');
    const request = post(body, key);
    // The proxy may also hold the query of an earlier code.
    const code = await until(
      async () => (rail.calls.held() > 0 ? (await codesOf(reference))[0] : null),
      'the answer being held',
    );
    rail.calls.holdAt(null);
    expect(await rail.scan(String(code.content), SCANNER)).toMatchObject({ status: 201 });
    const payment = await until(async () => {
      const now = await findPayment(reference);
      return now.acceptedTransactions === 1 && now;
    }, 'the scan being recorded');
    return { key, body, request, payment };
  }

  test.each([
    { maxTransactions: 1, status: 'Paid' },
    { maxTransactions: 3, status: 'Pending' },
  ])(
    'makes a code for $maxTransactions payments $status, and the creation returns the image',
    async ({ maxTransactions, status }) => {
      const { key, body, request, payment } = await payBeforeAnswer(maxTransactions);
      rail.calls.release();
      expect((await request.whole).status).toBe(200);
      expect(await readPayment(app, payment.id)).toMatchObject({ status, amountPaid: 1500, late: false, flags: [] });
      expect((await app.call(`/api/payments/${payment.id}/qrcode`)).status).toBe(200);
      expect((await post(body, key).whole).headers.get('idempotency-replayed')).toBe('true');
    },
  );

  test.each([
    { maxTransactions: 1, status: 'Paid' },
    { maxTransactions: 3, status: 'Pending' },
  ])(
    'counts for a code of $maxTransactions payments even if the response is lost, and the key returns the code later',
    async (row) => {
      const { key, body, request, payment } = await payBeforeAnswer(row.maxTransactions);
      rail.calls.cut();
      expect((await request.whole).status).toBe(503);
      expect(await readPayment(app, payment.id)).toMatchObject({ status: row.status, amountPaid: 1500 });
      expect(await post(body, key).whole).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
      await app.clock.pass(LEASE_MS);
      const made = await post(body, key).whole;
      expect(made.status).toBe(200);
      expect(made.headers.get('payment-id')).toBe(payment.id);
      expect(await readPayment(app, payment.id)).toMatchObject({ status: row.status, acceptedTransactions: 1 });
    },
  );
});

test('a scan during an outage of the rail is recorded after the outage', async () => {
  const code = await createCode(app, { maxTransactions: 2 });
  rail.notifications.holdAt('request');
  expect((await rail.scan(code.content, SCANNER)).status).toBe(201);
  await until(() => rail.notifications.held() === 1, 'the notification');
  rail.notifications.holdAt(null);
  rail.notifications.cut();
  await rail.calls.stop();
  const sync = await app.call(`/api/payments/${code.id}/sync`, { method: 'POST' });
  expect(sync).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
  expect(await readPayment(app, code.id)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  await rail.calls.start();
  app.clock.leap(25 * 3_600_000);
  const paid = await travelToStatus(app, code.id, 'Paid');
  expect(paid).toMatchObject({ amountPaid: 1500, acceptedTransactions: 1 });
});
