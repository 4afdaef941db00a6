// /api/articles creates, lists, changes, orders and deletes the articles of a merchant.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';

const PATH = '/api/articles';
const COFFEE = { name: 'Café', price: 350, currency: 'AOA' };

let app: TestApp;
let shop: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openCallbackFixture(app);
});

const make = (changes: object = {}, headers = {}) => shop.call(PATH, { body: { ...COFFEE, ...changes }, headers });
const change = (id: string, body: object, headers = {}) => shop.call(`${PATH}/${id}`, { method: 'PUT', body, headers });
const remove = (id: string) => shop.call(`${PATH}/${id}`, { method: 'DELETE' });
const list = async (query = '', from = shop) => (await from.call(`${PATH}${query}`)).json.data as any[];
const namesOf = async (query = '') => (await list(query)).map(({ position, name }) => `${position} ${name}`);
const faultsOf = ({ json }: Reply) => json.errors.map((fault: any) => `${fault.pointer} ${fault.code}`);
const auditOf = async (id: string) =>
  (await shop.call(`/api/merchants/${shop.merchantId}/audit`)).json.data.filter((entry: any) => entry.target === id);

async function makeNamed(...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await make({ name })).json.id as string);
  return ids;
}

describe('POST /api/articles', () => {
  test('returns the article at the end of the list, and records an audit entry', async () => {
    await makeNamed('Pão');
    const reply = await make({ name: '  Café   com\u0020leite ' });
    expect(reply.status, reply.text).toBe(201);
    const now = app.clock.now().toISOString();
    const { id } = reply.json;
    const expected = { id, ...COFFEE, name: 'Café com leite', position: 2, isActive: true };
    expect(reply.json).toEqual({ ...expected, createdAt: now, updatedAt: now });
    expect((await list())[1]).toMatchObject(expected);
    expect(await auditOf(id)).toMatchObject([{ action: 'article.created' }]);
  });

  test('inserts the article at the given position', async () => {
    await makeNamed('A', 'B');
    expect((await make({ name: 'C', position: 1 })).json.position).toBe(1);
    expect(await namesOf()).toEqual(['1 C', '2 A', '3 B']);
  });

  test('returns the first article for a repeated Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = [await make({}, headers), await make({}, headers)];
    expect(second.json).toEqual(first.json);
    expect(await list()).toHaveLength(1);
  });

  test('refuses the name of another active article', async () => {
    await make();
    const reply = await make();
    expect([reply.status, reply.json.code]).toEqual([409, 'article_name_taken']);
    expect((await make({ isActive: false })).status).toBe(201);
  });

  test('refuses the 201st article', async () => {
    await app.sql(
      `insert into articles (id, merchant_id, name, price_minor, currency, position, is_active, created_at, updated_at)
       select gen_random_uuid(), $1, 'Artigo ' || n, 100, 'AOA', n, n % 2 = 0, now(), now()
       from generate_series(1, 200) as n`,
      [shop.merchantId],
    );
    const reply = await make();
    expect([reply.status, reply.json.code]).toEqual([409, 'too_many_articles']);
    expect(await list()).toHaveLength(200);
  });
});

describe('PUT /api/articles/{articleId}', () => {
  test('changes only the given fields, and records the change', async () => {
    const { json } = await make();
    await app.clock.advance(1_000);
    const reply = await change(json.id, { price: 400.5 });
    expect(reply.status, reply.text).toBe(200);
    const updatedAt = app.clock.now().toISOString();
    expect(reply.json).toEqual({ ...json, price: 400.5, updatedAt });
    expect(await auditOf(json.id)).toMatchObject([
      { action: 'article.changed', changes: { priceMinor: { before: 35000, after: 40050 } } },
      { action: 'article.created' },
    ]);
  });

  test('moves an article, and the others close the gap', async () => {
    const [a, , c] = (await makeNamed('A', 'B', 'C')) as [string, string, string];
    await change(c, { position: 1 });
    expect(await namesOf()).toEqual(['1 C', '2 A', '3 B']);
    await change(a, { position: 200 });
    expect(await namesOf()).toEqual(['1 C', '2 B', '3 A']);
  });

  test('hides an article, and its name is free', async () => {
    const { json } = await make();
    await change(json.id, { isActive: false });
    expect(await namesOf('?isActive=true')).toEqual([]);
    expect((await make()).status).toBe(201);
    const reply = await change(json.id, { isActive: true });
    expect([reply.status, reply.json.code]).toEqual([409, 'article_name_taken']);
    expect(await namesOf('?isActive=false')).toEqual(['1 Café']);
  });

  test('refuses a change of an article that changed since its entity tag was read', async () => {
    const { json } = await make();
    const [{ etag }] = (await list()) as [{ etag: string }];
    const first = await change(json.id, { price: 400 }, { 'if-match': etag });
    expect(first.headers.get('etag')).toBe((await list())[0].etag);
    const reply = await change(json.id, { price: 500 }, { 'if-match': etag });
    expect([reply.status, reply.json.code]).toEqual([412, 'precondition_failed']);
    expect((await list())[0].price).toBe(400);
  });

  test('refuses a price with more decimals than the currency of the article', async () => {
    const { json } = await make({ currency: 'JPY' });
    const reply = await change(json.id, { price: 1.5 });
    expect([reply.status, faultsOf(reply)]).toEqual([400, ['/price amount_precision']]);
  });
});

describe('DELETE /api/articles/{articleId}', () => {
  test('deletes one article, and the others close the gap', async () => {
    const [a] = (await makeNamed('A', 'B')) as [string];
    expect((await remove(a)).status).toBe(204);
    expect(await namesOf()).toEqual(['1 B']);
    expect((await remove(a)).status).toBe(404);
    expect((await change(a, { price: 1 })).status).toBe(404);
  });
});

test('another merchant neither lists nor changes nor deletes an article', async () => {
  const { json } = await make();
  const stranger = await openCallbackFixture(app);
  expect(await list('', stranger)).toEqual([]);
  const target = `${PATH}/${json.id}`;
  expect((await stranger.call(target, { method: 'PUT', body: { price: 1 } })).status).toBe(404);
  expect((await stranger.call(target, { method: 'DELETE' })).status).toBe(404);
  expect(await list()).toMatchObject([{ id: json.id, price: 350 }]);
});

test('20 concurrent articles get 20 positions, and of equal names one is created', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, (_, nth) => make({ name: `Artigo ${nth}` })));
  expect(made.map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect((await list()).map(({ position }) => position)).toEqual(Array.from({ length: 20 }, (_, nth) => nth + 1));
  const equal = await Promise.all([1, 2, 3].map(() => make()));
  expect(equal.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
});
