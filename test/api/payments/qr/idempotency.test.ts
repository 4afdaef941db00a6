import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startAppBehind, until, type Reply, type TestApp } from '../../../support/app.ts';
import { readPayment } from '../../../support/notify.ts';
import { travelToStatus, webframe } from '../../../support/payments.ts';
import { callForImage, qrcode, readPng, type Image } from '../../../support/qrcodes.ts';
import { startRail, type Rail } from '../../../support/rail.ts';
import { leavesNothing } from '../../../support/rows.ts';

const AS_JSON = { prefer: 'return=representation' };
/** The sum of the rail's timeout and 5 s. */
const LEASE_S = 15;

let app: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startRail));
});
afterEach(() => {
  rail.calls.holdAt(null);
  rail.calls.release();
});

const post = (key: string, body: object, headers = {}): Promise<Reply> =>
  app.call('/api/payments', { body, headers: { 'idempotency-key': key, ...headers } });
const postForImage = (key: string, body: object, headers = {}): Promise<Image> =>
  callForImage(app, '/api/payments', { body, headers: { 'idempotency-key': key, ...headers } });

const countMakings = () =>
  rail.calls.seen.filter(({ method, path }) => method === 'POST' && path === '/v1/qrcodes').length;
/** Holds the next creation of a QR code at the rail. The returned function waits for its call. */
function holdMaking(): () => Promise<unknown> {
  const before = countMakings();
  rail.calls.holdAt('request');
  // Calls of other operations may be held too.
  return () => until(() => rail.calls.held() > 0 && countMakings() > before, 'the call of the rail');
}
const readKey = async (key: string) => (await app.sql('select * from idempotency_keys where key = $1', [key]))[0];

/** Returns the headers without those that differ in every response. */
const headersOf = ({ headers }: { headers: Headers }) =>
  Object.fromEntries(
    [...headers].filter(([name]) => !['date', 'x-request-id', 'idempotency-replayed', 'etag'].includes(name)),
  );

describe('a repeated QR creation with one Idempotency-Key', () => {
  test('returns the image again with the same status, bytes and headers', async () => {
    const [key, body] = [randomUUID(), qrcode({ qrSize: 'LARGE' })];
    const first = await postForImage(key, body);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    const before = countMakings();
    for (let nth = 0; nth < 2; nth++) {
      const again = await leavesNothing(app, () => postForImage(key, body));
      expect(again.status).toBe(200);
      expect(again.bytes.equals(first.bytes)).toBe(true);
      expect(headersOf(again)).toEqual(headersOf(first));
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    expect(countMakings()).toBe(before);
    expect(readPng(first.bytes).width).toBe(600);
  });

  test('returns the code with the payment in its current state', async () => {
    const [key, body] = [randomUUID(), qrcode({ custom: { a: '1' } })];
    const first = await post(key, body, AS_JSON);
    expect(first.status).toBe(201);
    await rail.scan(first.json.qrCode.content, '923000009');
    await until(async () => (await readPayment(app, first.json.id)).status === 'Paid', 'Paid');
    const again = await leavesNothing(app, () => post(key, body, AS_JSON));
    const now = await readPayment(app, first.json.id);
    expect(now.status).toBe('Paid');
    expect([again.status, again.json]).toEqual([201, { ...now, qrCode: first.json.qrCode }]);
    expect(headersOf(again)).toEqual({ ...headersOf(first), 'content-length': String(Buffer.byteLength(again.text)) });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test.each([
    { first: {}, again: AS_JSON, status: 200 },
    { first: AS_JSON, again: {}, status: 201 },
  ])('returns an image or JSON like the first response ($status)', async ({ first, again, status }) => {
    const [key, body] = [randomUUID(), qrcode()];
    const one = await postForImage(key, body, first);
    const two = await postForImage(key, body, again);
    expect([one.status, two.status]).toEqual([status, status]);
    expect(two.bytes.equals(one.bytes)).toBe(true);
    expect(two.headers.get('content-type')).toBe(one.headers.get('content-type'));
  });

  test('returns the image again after the end date of the code', async () => {
    const endDate = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const [key, body] = [randomUUID(), qrcode({ endDate })];
    const first = await postForImage(key, body);
    app.clock.leap(120_000);
    expect((await app.call('/api/payments', { body })).status).toBe(400);
    const again = await postForImage(key, body);
    expect([again.status, again.bytes.equals(first.bytes)]).toEqual([200, true]);
    expect(headersOf(again)).toEqual(headersOf(first));
    // The node writes the expiry in the background, and later tests count rows.
    await travelToStatus(app, first.headers.get('payment-id') ?? '', 'Expired');
  });

  test('contains the client token, although no row stores it', async () => {
    const [key, body] = [randomUUID(), qrcode()];
    const { json } = await post(key, body, AS_JSON);
    const stored = await readKey(key);
    expect(stored).toMatchObject({ status: 201, in_flight_until: null, payment_id: json.id });
    expect(stored.body).toBeNull();
    expect(JSON.stringify(stored)).not.toContain(json.clientToken);
    expect((await post(key, body, AS_JSON)).json.clientToken).toBe(json.clientToken);
  });

  test('with another body returns 422, both during and after the first request', async () => {
    const [key, body] = [randomUUID(), qrcode()];
    const untilDecided = holdMaking();
    const first = post(key, body);
    await untilDecided();
    for (const other of [qrcode(), webframe()])
      expect(await leavesNothing(app, () => post(key, other))).toMatchObject({
        status: 422,
        json: { code: 'idempotency_key_reused' },
      });
    rail.calls.holdAt(null);
    rail.calls.release();
    expect((await first).status).toBe(200);
    expect((await leavesNothing(app, () => post(key, qrcode()))).status).toBe(422);
  });
});

describe('a QR creation that is still in progress', () => {
  test('makes 19 of 20 concurrent requests return 409, and the rail creates one code', async () => {
    const [key, body, before] = [randomUUID(), qrcode(), countMakings()];
    rail.calls.holdAt('answer');
    const posts = Array.from({ length: 20 }, () => post(key, body, AS_JSON));
    let answered = 0;
    for (const one of posts) void one.then(() => answered++);
    await until(() => answered === 19, 'nineteen answers');
    rail.calls.holdAt(null);
    rail.calls.release();
    const replies = await Promise.all(posts);
    const refused = replies.filter(({ status }) => status === 409);
    expect(refused.map(({ json }) => json.code)).toEqual(Array(19).fill('idempotency_in_progress'));
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe(String(LEASE_S));
    const made = replies.find(({ status }) => status === 201);
    expect((await post(key, body, AS_JSON)).text).toBe(made?.text);
    expect(countMakings() - before).toBe(1);
    expect((await rail.allBooks(String(body['reference']))).qrcodes).toHaveLength(1);
  });

  test('cannot be canceled, and a sync does not change it', async () => {
    const [key, body] = [randomUUID(), qrcode()];
    const untilDecided = holdMaking();
    const first = post(key, body);
    await untilDecided();
    // The proxy does not hold the query of the sync.
    rail.calls.holdAt(null);
    const [{ id }] = await app.sql('select id from payments where reference = $1', [body['reference']]);
    const cancel = await app.call(`/api/payments/${id}/cancel`, { method: 'POST' });
    expect(cancel).toMatchObject({ status: 409, json: { code: 'payment_not_cancelable' } });
    expect((await app.call(`/api/payments/${id}/sync`, { method: 'POST' })).status).toBe(200);
    expect((await readPayment(app, id)).status).toBe('Pending');
    rail.calls.release();
    expect((await first).status).toBe(200);
  });
});

test('a QR creation that returned 503 does not store its key, so that another code can use it', async () => {
  const [key, body] = [randomUUID(), qrcode()];
  await rail.orderFault({ on: 'qrcode', kind: 'unavailable' });
  const refused = await post(key, body);
  expect(refused).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await readKey(key)).toBeUndefined();
  const made = await post(key, body);
  expect(made.status).toBe(200);
  expect(made.headers.has('idempotency-replayed')).toBe(false);
  const rows = await app.sql('select status from payments where reference = $1 order by created_at, id', [
    body['reference'],
  ]);
  expect(rows).toEqual([{ status: 'Failed' }, { status: 'Pending' }]);
  expect(made.headers.get('payment-id')).toBe((await readKey(key)).payment_id);
});
