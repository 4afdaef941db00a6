import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { NOTIFY_ENV, createPushed, declined, notify } from '../../support/notify.ts';
import { create, webframe } from '../../support/payments.ts';
import { createPayable, digits } from '../../support/ppr.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
/** Creates 25 payments of one merchant, one second apart, the oldest first. */
const ids: string[] = [];

const listAs = (query: string): Promise<Reply> => app.call(`/api/payments${query}`, { token: shop.token });

beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
  shop = await app.addMerchant();
  for (let n = 0; n < 25; n++) {
    const body = webframe({ reference: `LIST-${n}`, metadata: { custom: { n } } });
    const reply = await app.call('/api/payments', { body, token: shop.token });
    ids.push(reply.json.id);
    if (n < 23) await app.clock.advance(1_000);
  }
});

async function createdAtOf(id: string): Promise<string> {
  const [row] = await app.sql<{ created_at: string }>('select created_at from payments where id = $1', [id]);
  return new Date(row!.created_at).toISOString();
}

const UNTOUCHED = { attention: null, standing: 'pending', flags: [], refundStatus: 'none' };

describe('GET /api/payments', () => {
  test('lists the newest payments first, 20 per page, with totals', async () => {
    const { status, json } = await listAs('');
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual([
      'data',
      'pageNumber',
      'pageSize',
      'totalPages',
      'totalItems',
      'next',
      'isTotalExact',
    ]);
    expect(json).toMatchObject({ pageNumber: 1, pageSize: 20, totalPages: 2, totalItems: 25 });
    expect(json.data.map((item: any) => item.id)).toEqual(ids.toReversed().slice(0, 20));
    expect(json.data[0]).toEqual({
      id: ids[24],
      internalId: ids[24],
      reference: 'LIST-24',
      amount: 1500,
      currency: 'AOA',
      paymentType: 'GPO',
      paymentMethod: 'webframe',
      status: 'Pending',
      createdAt: await createdAtOf(ids[24]!),
      createdBy: null,
      customMetadata: { n: 24 },
      ...UNTOUCHED,
    });
  });

  test('returns each payment on exactly one page, also if payments have the same time', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 13; page++) {
      const { json } = await listAs(`?page=${page}&pageSize=2`);
      expect(json).toMatchObject({ pageNumber: page, pageSize: 2, totalPages: 13, totalItems: 25 });
      seen.push(...json.data.map((item: any) => item.id));
    }
    expect(seen).toEqual(ids.toReversed());
  });

  test('returns an empty page behind the last one', async () => {
    const { status, json } = await listAs('?page=14&pageSize=2');
    expect(status).toBe(200);
    expect(json).toMatchObject({ data: [], pageNumber: 14, totalPages: 13, totalItems: 25 });
  });

  test('returns up to 100 payments per page', async () => {
    expect((await listAs('?pageSize=100')).json.data).toHaveLength(25);
  });

  test('returns one 400 with all invalid parameters', async () => {
    const { json } = await listAs('?page=0&pageSize=101&status=x');
    expect(json.errors.map((fault: any) => fault.pointer)).toEqual(['/query/page', '/query/pageSize', '/query/status']);
  });
});

describe('the query of GET /api/payments', () => {
  test.each([
    ['?reference=LIST-7', [7]],
    ['?reference=LIST', []],
    ['?status=Pending&pageSize=1', [24]],
    ['?status=pending&pageSize=1', [24]],
    ['?status=Paid', []],
    ['?paymentType=gpo&reference=LIST-3', [3]],
    ['?paymentType=PPR', []],
    ['?from=2026-03-02T09:00:21.000Z', [24, 23, 22, 21]],
    ['?from=2026-03-02T10:00:21%2B01:00', [24, 23, 22, 21]],
    ['?to=2026-03-02T09:00:02.000Z', [1, 0]],
    ['?from=2026-03-02T09:00:02Z&to=2026-03-02T09:00:04Z', [3, 2]],
    ['?from=2026-03-02T09:00:04Z&to=2026-03-02T09:00:02Z', []],
  ])('%s finds the payments with the numbers %j', async (query, expected) => {
    const { status, json } = await listAs(query);
    expect(status).toBe(200);
    expect(json.data.map((item: any) => item.id)).toEqual(expected.map((n) => ids[n]));
    if (!query.includes('pageSize')) expect(json.totalItems).toBe(expected.length);
  });
});

describe('GET /api/payments/{paymentId}', () => {
  test('returns the same payment as the response to its creation', async () => {
    const created = await create(app, webframe({ description: 'Café', metadata: { custom: { a: 1 } } }));
    const reply = await app.call(`/api/payments/${created.id}`);
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual(created);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  test('accepts the id in upper case', async () => {
    const created = await create(app, webframe());
    expect((await app.call(`/api/payments/${created.id.toUpperCase()}`)).json).toEqual(created);
  });

  test('does not find a GPO payment by its reference', async () => {
    const { reference: own } = await create(app, webframe({ reference: digits() }));
    expect((await app.call(`/api/payments/${own}`)).status).toBe(404);
    const { internalId } = await createPayable(app, { reference: own });
    expect((await app.call(`/api/payments/${own}`)).json.internalId).toBe(internalId);
  });

  test.each(['', '/events', '/sync', '/cancel'])('returns 404 for an unknown id and the path …%s', async (path) => {
    for (const id of [randomUUID(), 'LIST-7', '0', "'; drop table payments", '%00', 'a%2Fb', '__proto__']) {
      const reply = await app.call(`/api/payments/${id}${path}`, /sync|cancel/.test(path) ? { method: 'POST' } : {});
      expect(reply.status, id).toBe(404);
      expect(reply.json.code).toBe('not_found');
    }
  });
});

describe('the event history of a payment', () => {
  test('contains every event, the oldest first, with its time and details', async () => {
    const { payment, attemptId } = await createPushed(app);
    await app.clock.advance(3_000);
    await notify(app, attemptId, declined('LIMIT_EXCEEDED'));
    const { status, json } = await app.call(`/api/payments/${payment.id}/events`);
    expect(status).toBe(200);
    const failedAt = new Date(Date.parse(payment.createdAt) + 3_000).toISOString();
    const details = { attemptId, failureCode: 'limit_exceeded', via: 'notification' };
    const step = (type: string, status: string, occurredAt: string, about: object) => ({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type,
      status,
      occurredAt,
      details: about,
      actor: null,
    });
    expect(json.data).toEqual([
      {
        ...step('payment.created', 'Processing', payment.createdAt, {}),
        actor: { kind: 'client', id: 'demo', name: 'Demo' },
      },
      step('payment.processing', 'Processing', payment.createdAt, {}),
      step('payment.attempt_failed', 'Processing', failedAt, details),
      step('payment.failed', 'Failed', failedAt, details),
    ]);
    expect(new Set(json.data.map((event: any) => event.id)).size).toBe(4);
  });
});
