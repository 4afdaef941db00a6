// GET /api/errors: what a merchant's systems were refused, kept beside the answer for a week.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { creepUntil, webframe } from '../../support/payments.ts';
import { faultsOf } from '../../support/ppr.ts';

let app: TestApp;
let shop: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
  shop = await openCallbackFixture(app);
});

const list = async (query = '', on = shop) => (await on.call(`/api/errors${query}`)).json.data as any[];
const refuse = (headers = {}) => shop.call('/api/payments', { body: webframe({ amount: -1, currency: 'x' }), headers });
const untilKept = (count: number, query = '') =>
  creepUntil(app, async () => (await list(query)).length >= count, `${count} being kept`, 250);

describe('what was refused', () => {
  test('is there with code, pointers and the request’s id, and without what was sent', async () => {
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

  test('is found by each filter, and by pages', async () => {
    const found = async (query: string) => (await list(query)).map(({ status }) => status);
    expect(await found('?status=404')).toEqual([404]);
    expect(await found('?code=validation_failed')).toEqual([400]);
    expect(await found('?requestId=one')).toEqual([400]);
    expect(await found(`?to=${(await list())[1].occurredAt}`)).toEqual([]);
    const first = (await shop.call('/api/errors?limit=1')).json;
    expect((await list(`?limit=1&after=${first.next}`)).map(({ status }) => status)).toEqual([400]);
  });

  test('of a flood the first ten of a second, of which none holds up an answer', async () => {
    await app.clock.advance(1_000);
    const before = (await list('?code=validation_failed')).length;
    await Promise.all(Array.from({ length: 25 }, () => refuse()));
    await untilKept(before + 10, '?code=validation_failed');
    await app.clock.advance(1_000);
    expect(await list('?code=validation_failed')).toHaveLength(before + 10);
  });
});

describe('refuse and access', () => {
  test('each wrong filter is named', async () => {
    const reply = await shop.call('/api/errors?status=200&limit=0&after=x&from=x');
    expect(reply.status).toBe(400);
    expect(faultsOf(reply).map((fault) => fault.split(' ')[0])).toEqual([
      '/query/after',
      '/query/limit',
      '/query/status',
      '/query/from',
    ]);
  });

  test('needs merchant:read; another merchant’s are nobody else’s', async () => {
    expect((await app.call('/api/errors', { token: null })).status).toBe(401);
    expect((await app.call('/api/errors', { token: await shop.tokenFor({ scope: 'sms:read' }) })).status).toBe(403);
    expect(await list('', await openCallbackFixture(app))).toEqual([]);
  });
});
