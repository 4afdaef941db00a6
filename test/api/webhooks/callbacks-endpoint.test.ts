// GET, PUT, DELETE /api/merchants/{merchantId}/callback: set, changed, removed; the access key goes in and never comes out.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openShop, sell, untilDelivery, type Shop } from '../../support/callbacks.ts';
import { faultsOf } from '../../support/ppr.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, TAKEN, type Receiver } from '../../support/receiver.ts';

const URL = 'https://192.0.9.1/hook';

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  merchant = await startReceiver();
});
beforeEach(async () => {
  shop = await openShop(app);
  merchant.say(TAKEN);
  merchant.requests.length = 0;
});

const put = (body: unknown, headers = {}) => shop.call(shop.endpointPath, { method: 'PUT', body, headers });
const read = () => shop.call(shop.endpointPath);
const remove = (headers = {}) => shop.call(shop.endpointPath, { method: 'DELETE', headers });
const rows = () => app.sql('select * from endpoints where merchant_id = $1 order by created_at, id', [shop.merchantId]);

describe('setting it', () => {
  test('answers what was set, but the access key, and so does reading it', async () => {
    expect((await read()).status).toBe(404);
    const reply = await put({ url: URL, accessKey: ACCESS_KEY, later: 'ignored' });
    const now = app.clock.now().toISOString();
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      url: URL,
      hasAccessKey: true,
      status: 'active',
      failingSince: null,
      failures: 0,
      createdAt: now,
      updatedAt: now,
    });
    expect(await read()).toMatchObject({ status: 200, json: reply.json });
  });

  test('the key is sealed in the database, anew each time', async () => {
    await put({ url: URL, accessKey: ACCESS_KEY });
    const [first] = await rows();
    expect(JSON.stringify(first)).not.toContain(ACCESS_KEY);
    expect(app.node.core.keyring.open(first.access_key, 'callback access key')).toBe(ACCESS_KEY);
    await put({ url: URL, accessKey: ACCESS_KEY });
    const [second] = await rows();
    expect(second.id).toBe(first.id);
    expect(second.access_key).not.toBe(first.access_key);
  });

  test('a key that is left out stays, an address that is changed changes', async () => {
    const made = (await put({ url: URL, accessKey: ACCESS_KEY })).json;
    await app.clock.advance(1_000);
    for (const accessKey of [undefined, null]) {
      const reply = await put({ url: `${URL}/2`, accessKey });
      expect(reply.json).toEqual({ ...made, url: `${URL}/2`, updatedAt: app.clock.now().toISOString() });
    }
    const [row] = await rows();
    expect(app.node.core.keyring.open(row.access_key, 'callback access key')).toBe(ACCESS_KEY);
  });

  test.each(['x'.repeat(16), '!'.repeat(256), '~"\\{}!#$%&/()=?+'])('a key may be %s', async (accessKey) => {
    expect((await put({ url: URL, accessKey })).status).toBe(200);
  });

  test('the merchant’s id may be in capitals', async () => {
    const path = shop.endpointPath.replace(shop.merchantId, shop.merchantId.toUpperCase());
    expect((await shop.call(path, { method: 'PUT', body: { url: URL, accessKey: ACCESS_KEY } })).status).toBe(200);
    expect((await shop.call(path)).json.url).toBe(URL);
  });

  test('many at once make one endpoint', async () => {
    const urls = Array.from({ length: 8 }, (_, nth) => `${URL}/${nth}`);
    const replies = await Promise.all(urls.map((url) => put({ url, accessKey: ACCESS_KEY })));
    expect(replies.map(({ status }) => status)).toEqual(urls.map(() => 200));
    expect(replies.map(({ json }) => json.url)).toEqual(urls);
    expect(await rows()).toHaveLength(1);
    expect(urls).toContain((await read()).json.url);
  });
});

describe('what it is for', () => {
  test('callbacks go there with the key of now', async () => {
    await put({ url: `${merchant.url}/a`, accessKey: ACCESS_KEY });
    await sell(app, shop);
    await untilDelivery(shop, 'Delivered');
    await put({ url: `${merchant.url}/b`, accessKey: 'another-key-of-this-shop' });
    await sell(app, shop);
    await merchant.received(2);
    const seen = merchant.requests.map(({ method, path, headers }) => [method, path, headers['access-key']]);
    expect(seen).toEqual([
      ['POST', '/a', ACCESS_KEY],
      ['POST', '/b', 'another-key-of-this-shop'],
    ]);
  });

  test('it fails openly: failures are counted, and the circuit is told', async () => {
    merchant.say({ status: 500 });
    await put({ url: merchant.url, accessKey: ACCESS_KEY });
    for (let nth = 1; nth <= 5; nth++) await sell(app, shop);
    await merchant.received(5);
    const since = app.clock.now().toISOString();
    await expect.poll(async () => (await read()).json).toMatchObject({ status: 'failing', failures: 5 });
    expect((await read()).json.failingSince <= since).toBe(true);
    // Another address knows nothing of that, and what is due goes there at once.
    const other = await put({ url: `${merchant.url}/other` });
    expect(other.json).toMatchObject({ status: 'active', failures: 0, failingSince: null });
  });

  test('the same address again changes nothing of what is known, another key does', async () => {
    await put({ url: URL, accessKey: ACCESS_KEY });
    const failed = `update endpoints set failures = 7, failing_since = now(), probe_at = now() where merchant_id = $1`;
    await app.sql(failed, [shop.merchantId]);
    expect((await put({ url: URL })).json).toMatchObject({ status: 'failing', failures: 7 });
    const fresh = { status: 'active', failures: 0, failingSince: null };
    expect((await put({ url: URL, accessKey: ACCESS_KEY })).json).toMatchObject(fresh);
  });
});

describe('removing it', () => {
  test('there is none then; again is 204 as well', async () => {
    await put({ url: URL, accessKey: ACCESS_KEY });
    for (let nth = 0; nth < 2; nth++) {
      const reply = await remove();
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect((await read()).status).toBe(404);
    }
    const [row] = await rows();
    expect(row).toMatchObject({ access_key: null });
    expect(row.deleted_at).not.toBeNull();
  });

  test('another one is another: it needs a key of its own', async () => {
    await put({ url: URL, accessKey: ACCESS_KEY });
    await remove();
    expect(faultsOf(await put({ url: URL }))).toEqual(['/accessKey required']);
    expect((await put({ url: URL, accessKey: ACCESS_KEY })).status).toBe(200);
    const [first, second] = await rows();
    expect(first.id).not.toBe(second.id);
  });

  test('what was to be delivered is skipped, what was delivered stays', async () => {
    await put({ url: merchant.url, accessKey: ACCESS_KEY });
    await sell(app, shop);
    await untilDelivery(shop, 'Delivered');
    merchant.say({ status: 500 });
    await sell(app, shop);
    await expect.poll(async () => (await shop.deliveries()).at(-1)?.tries).toBe(1);
    await remove();
    const told = (await shop.deliveries()).map(({ status, due_at }) => [status, due_at]);
    expect(told).toEqual([
      ['Delivered', null],
      ['Skipped', null],
    ]);
    await sell(app, shop);
    expect((await shop.deliveries()).at(-1)).toMatchObject({ status: 'Skipped', endpoint_id: null });
  });
});

describe('Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });

  test('a repeat answers as before, and sets nothing again', async () => {
    const headers = key();
    const body = { url: URL, accessKey: ACCESS_KEY };
    const first = await put(body, headers);
    await put({ url: `${URL}/2` });
    const again = await put(body, headers);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await read()).json.url).toBe(`${URL}/2`);
    expect(await put({ url: URL }, headers)).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
  });

  test('a repeated removal removes no later endpoint', async () => {
    const headers = key();
    await put({ url: URL, accessKey: ACCESS_KEY });
    expect((await remove(headers)).status).toBe(204);
    await put({ url: URL, accessKey: ACCESS_KEY });
    const again = await remove(headers);
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([204, '', 'true']);
    expect((await read()).status).toBe(200);
  });

  test('two at once are one', async () => {
    const headers = key();
    const body = { url: URL, accessKey: ACCESS_KEY };
    const replies = await Promise.all([put(body, headers), put(body, headers)]);
    expect(replies[0].text).toBe(replies[1].text);
    expect(replies.filter((reply) => reply.headers.get('idempotency-replayed'))).toHaveLength(1);
  });

  test('a refusal keeps nothing: the key stays free', async () => {
    const headers = key();
    expect((await put({ url: URL }, headers)).status).toBe(400);
    expect((await put({ url: URL, accessKey: ACCESS_KEY }, headers)).status).toBe(200);
  });

  test('the answers that are kept have no key in them', async () => {
    await put({ url: URL, accessKey: ACCESS_KEY }, key());
    const kept = await app.sql('select * from idempotency_keys where merchant_id = $1', [shop.merchantId]);
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(ACCESS_KEY);
  });
});
