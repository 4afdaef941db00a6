// GET /api/references/ppr: pages, order and filters; GET of one, and of what nobody has.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../../support/app.ts';
import { travelUntil } from '../../../support/payments.ts';
import { createReference, digits, faultsOf, pay, PPR, untilRegistered } from '../../../support/ppr.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
/** Of one merchant, the oldest first; the last ten were made at the same moment. */
const made: any[] = [];

const ask = (path: string, options = {}): Promise<Reply> =>
  app.call(`${PPR}${path}`, { token: shop.token, ...options });
const digitsOf = ({ json }: Reply): string[] => json.data.map((item: any) => item.reference);
/** The digits of made ones by their numbers, the newest first. */
const nths = (...numbers: number[]) => numbers.map((nth) => made[nth].reference);

beforeAll(async () => {
  app = await startTestApp();
  shop = await app.addMerchant();
  await createReference(app);
  const token = shop.token;
  const soon = new Date(app.clock.now().getTime() + 30_000).toISOString();
  /** 0 Dynamic canceled, 1 Charging canceled, 2 Dynamic paid, 3 Charging paid, 4 Dynamic expired, 5 legacy. */
  const open = { referenceType: 'Charging', amount: 0 };
  for (const fields of [{}, open, {}, open, { expiryDate: soon }]) {
    const { reference } = await createReference(app, { reference: digits(), ...fields }, { token });
    made.push(await untilRegistered(app, reference, token));
    await app.clock.advance(1_000);
  }
  made.push(await createReference(app, { customMetadata: { n: 5 } }, { token, path: `${PPR}/legacy` }));
  for (const nth of [0, 1]) await ask(`/${made[nth].reference}/cancel`, { method: 'POST' });
  await pay(app, made[2]);
  await pay(app, made[3], { amount: '7.00' });
  await travelUntil(
    app,
    async () => {
      const { json } = await ask('?pageSize=100');
      const states = json.data.map((item: any) => `${item.status} ${item.referenceStatus}`);
      return ['Paid Paid', 'Paid Pending', 'Expired Expired'].every((state) => states.includes(state));
    },
    'the references being paid and expired',
  );
  const bulk = { references: Array.from({ length: 10 }, () => ({ amount: 1 })) };
  made.push(...(await ask('/bulk', { body: bulk })).json.data);
  const isRegistered = async () => (await ask('?pageSize=10')).json.data.every((item: any) => item.registeredAt);
  await travelUntil(app, isRegistered, 'the last ten being registered');
});

describe('the list', () => {
  test('has the newest first, twenty a page, only the merchant’s own', async () => {
    const reply = await ask('');
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.json)).toEqual(['data', 'pageNumber', 'pageSize', 'totalPages', 'totalItems', 'next']);
    expect(reply.json).toMatchObject({ pageNumber: 1, pageSize: 20, totalPages: 1, totalItems: 16 });
    expect(digitsOf(reply)).toEqual(made.map((item) => item.reference).toReversed());
    expect(reply.json.data[10]).toMatchObject({ contract: 'legacy', customMetadata: { n: 5 } });
    expect(Object.keys(reply.json.data[0])).toEqual(Object.keys(made[0]));
  });

  test('each is what its own endpoint says', async () => {
    for (const item of (await ask('')).json.data) expect((await ask(`/${item.reference}`)).json).toEqual(item);
  });

  test('pages follow one another without gap or repeat, also among those of one moment', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 6; page++) {
      const reply = await ask(`?page=${page}&pageSize=3`);
      expect(reply.json).toMatchObject({ pageNumber: page, pageSize: 3, totalPages: 6, totalItems: 16 });
      seen.push(...digitsOf(reply));
    }
    expect(seen).toEqual(made.map((item) => item.reference).toReversed());
  });

  test('a page behind the last one is empty', async () => {
    const { status, json } = await ask('?page=7&pageSize=3');
    expect(status).toBe(200);
    expect(json).toMatchObject({ data: [], pageNumber: 7, totalPages: 6, totalItems: 16 });
  });

  test('of a merchant who has none is empty', async () => {
    const { token } = await app.addMerchant();
    const { status, json } = await app.call(PPR, { token });
    expect(status).toBe(200);
    expect(json).toEqual({ data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0, next: null });
  });
});

describe('filters', () => {
  test.each<[string, number[]]>([
    ['?type=Charging', [3, 1]],
    ['?type=charging', [3, 1]],
    ['?type=DYNAMIC&pageSize=3', [15, 14, 13]],
    ['?status=Canceled', [1, 0]],
    ['?status=canceled&type=charging', [1]],
    // The reference's own status: a Charging one that was paid can be paid still.
    ['?status=Paid', [2]],
    ['?status=PAID&type=Charging', []],
    ['?status=Pending&type=Charging', [3]],
    ['?status=expired', [4]],
    ['?status=Pending&type=Dynamic&page=2&pageSize=6', [9, 8, 7, 6, 5]],
  ])('%s', async (query, expected) => {
    const reply = await ask(query);
    expect(reply.status).toBe(200);
    expect(digitsOf(reply)).toEqual(nths(...expected));
    if (!query.includes('page')) expect(reply.json.totalItems).toBe(expected.length);
  });

  test('a filtered list counts its own', async () => {
    expect((await ask('?type=Dynamic&pageSize=5')).json).toMatchObject({ totalItems: 14, totalPages: 3 });
  });

  test.each([
    ['type=Static', '/query/type invalid_value'],
    ['type=', '/query/type invalid_value'],
    ['status=Authorized', '/query/status invalid_value'],
    ['status=', '/query/status invalid_value'],
    ['type=Dynamic&type=Charging', '/query/type invalid_type'],
    ['page=0', '/query/page too_small'],
    ['page=x', '/query/page invalid_format'],
    ['page=-1', '/query/page invalid_format'],
    ['pageSize=0', '/query/pageSize too_small'],
    ['pageSize=101', '/query/pageSize too_big'],
    ['pageSize=1.5', '/query/pageSize invalid_format'],
    ['status=a%00', '/query/status'],
  ])('?%s is refused', async (query, fault) => {
    const reply = await ask(`?${query}`);
    expect(reply.status).toBe(400);
    expect(faultsOf(reply).every((found) => found.startsWith(fault))).toBe(true);
  });

  test('all wrong parameters are named at once', async () => {
    const reply = await ask('?page=0&pageSize=101&status=x&type=y');
    expect(faultsOf(reply).map((fault) => fault.split(' ')[0])).toEqual([
      '/query/page',
      '/query/pageSize',
      '/query/type',
      '/query/status',
    ]);
  });
});

describe('one reference', () => {
  test('says nothing may keep it', async () => {
    const reply = await ask(`/${made[0].reference}`);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.json).toMatchObject({ status: 'Canceled', referenceStatus: 'Canceled', amountPaid: 0 });
  });

  test.each(['', '/history', '/cancel'])('what nobody knows is 404 at …%s', async (path) => {
    const wrong = [
      randomUUID(),
      '999999999',
      '0',
      '1'.repeat(16),
      "'; drop table payments",
      '%00',
      'a%2Fb',
      '__proto__',
    ];
    // A number without its zeros is another reference.
    for (const own of [...wrong, String(Number(made[0].reference)), made[0].internalId, made[0].clientToken]) {
      const reply = await ask(`/${own}${path}`, path === '/cancel' ? { method: 'POST' } : {});
      expect([own, reply.status, reply.json.code]).toEqual([own, 404, 'not_found']);
    }
  });

  test('in the payments’ list it is one of PPR, by its reference', async () => {
    const list = async (query: string) => (await app.call(`/api/payments${query}`, { token: shop.token })).json;
    const { data, totalItems } = await list('?paymentType=PPR&pageSize=1&page=16');
    expect(totalItems).toBe(16);
    const { internalId, reference } = made[0];
    const money = { amount: 1500, currency: 'AOA', paymentType: 'PPR', paymentMethod: 'reference', status: 'Canceled' };
    const createdAt = expect.any(String);
    const UNTOUCHED = { attention: null, flags: [], refundStatus: 'none' };
    expect(data).toEqual([
      { id: reference, internalId, reference, ...money, createdAt, customMetadata: null, ...UNTOUCHED },
    ]);
    expect((await list('?paymentType=GPO')).totalItems).toBe(0);
    expect((await list('?status=Expired')).data.map((item: any) => item.id)).toEqual(nths(4));
  });
});
