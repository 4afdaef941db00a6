// GET /api/errors lists a merchant's refused requests of the last week.
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { creepUntil, webframe } from '../../support/payments.ts';
import { readFieldFaults } from '../../support/ppr.ts';
import { sendRaw } from '../../support/raw.ts';

let app: TestApp;
let shop: CallbackFixture;
const lines: any[] = [];
beforeAll(async () => {
  const logTo = new PassThrough();
  logTo.on('data', (chunk) => {
    for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
  });
  app = await startTestApp({ logTo });
  shop = await openCallbackFixture(app);
});

const list = async (query = '', on = shop) => (await on.call(`/api/errors${query}`)).json.data as any[];
const refuse = (headers = {}) => shop.call('/api/payments', { body: webframe({ amount: -1, currency: 'x' }), headers });
const untilKept = (count: number, query = '') =>
  creepUntil(app, async () => (await list(query)).length >= count, `${count} being kept`, 250);

describe('GET /api/errors', () => {
  test('lists refused requests with code, pointers and request id, without the sent values', async () => {
    expect((await refuse({ 'x-request-id': 'one' })).status).toBe(400);
    await shop.call('/api/payments/00000000-0000-4000-8000-000000000000');
    await untilKept(2);
    const [missing, wrong] = await list();
    expect(missing).toMatchObject({
      method: 'GET',
      path: '/api/payments/{paymentId}',
      status: 404,
      code: 'not_found',
      faults: [],
    });
    expect(wrong).toEqual({
      id: expect.any(String),
      occurredAt: expect.any(String),
      method: 'POST',
      path: '/api/payments',
      status: 400,
      code: 'validation_failed',
      faults: [
        { pointer: '/currency', code: expect.any(String) },
        { pointer: '/amount', code: expect.any(String) },
      ],
      requestId: 'one',
      clientId: expect.any(String),
    });
  });

  test('filters by status, code, request id and time, and returns pages', async () => {
    const found = async (query: string) => (await list(query)).map(({ status }) => status);
    expect(await found('?status=404')).toEqual([404]);
    expect(await found('?code=validation_failed')).toEqual([400]);
    expect(await found('?requestId=one')).toEqual([400]);
    expect(await found(`?to=${(await list())[1].occurredAt}`)).toEqual([]);
    const first = (await shop.call('/api/errors?limit=1')).json;
    expect((await list(`?limit=1&after=${first.next}`)).map(({ status }) => status)).toEqual([400]);
  });

  test('lists only the first ten refusals of a second', async () => {
    await app.clock.advance(1_000);
    const before = (await list('?code=validation_failed')).length;
    await Promise.all(Array.from({ length: 25 }, () => refuse()));
    await untilKept(before + 10, '?code=validation_failed');
    await app.clock.advance(1_000);
    expect(await list('?code=validation_failed')).toHaveLength(before + 10);
  });
});

test('GET /api/errors does not list an aborted upload, which the log has as 499', async () => {
  const before = await list();
  const gone = new AbortController();
  const headers = [`Authorization: Bearer ${shop.token}`, 'Content-Type: application/json', 'X-Request-Id: gone'];
  const sent = sendRaw(app.url, 'POST /api/payments', [...headers, 'Content-Length: 500'], '{"amount":', gone.signal);
  // The response to another request shows that the node has read the first part of the upload.
  await app.call('/api/payments');
  gone.abort();
  await sent;
  const line = await until(() => lines.find(({ requestId }) => requestId === 'gone'), 'the log line');
  expect(line).toMatchObject({ status: 499, aborted: true, level: 30 });
  await app.clock.advance(1_000);
  await refuse({ 'x-request-id': 'last' });
  await untilKept(1, '?requestId=last');
  expect(await list()).toHaveLength(before.length + 1);
});

describe('the access to GET /api/errors', () => {
  test('is refused with a fault for each invalid filter', async () => {
    const reply = await shop.call('/api/errors?status=302&limit=0&after=x&from=x');
    expect(reply.status).toBe(400);
    expect(readFieldFaults(reply).map((fault) => fault.split(' ')[0])).toEqual([
      '/query/after',
      '/query/limit',
      '/query/status',
      '/query/from',
    ]);
  });

  test('needs the scope merchant:read, and returns only errors of the own merchant', async () => {
    expect((await app.call('/api/errors', { token: null })).status).toBe(401);
    expect((await app.call('/api/errors', { token: await shop.tokenFor({ scope: 'sms:read' }) })).status).toBe(403);
    expect(await list('', await openCallbackFixture(app))).toEqual([]);
  });
});
