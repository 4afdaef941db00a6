// /api/webhooks: made, listed, changed, removed; events are sent there signed, and secrets rotate without a gap.
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { openShop, sell, type Shop } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Received, type Receiver } from '../../support/receiver.ts';

const PATH = '/api/webhooks';
const HOUR_MS = 3_600_000;

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
beforeAll(async () => {
  // The library that verifies signatures knows the machine's own time only.
  app = await startTestApp({ env: RECEIVER_ENV, clock: testClock(new Date().toISOString()) });
  merchant = await startReceiver();
});
beforeEach(async () => {
  shop = await openShop(app);
  merchant.say(TAKEN);
  merchant.requests.length = 0;
});

type Options = { method?: string; headers?: Record<string, string> };

const make = (body: object = { url: `${merchant.url}/events` }) => shop.call(PATH, { body });
const ask = (id: string, { method = 'GET', headers = {} }: Options = {}) =>
  shop.call(`${PATH}/${id}`, { method, headers });
const put = (id: string, body: object, headers = {}) => shop.call(`${PATH}/${id}`, { method: 'PUT', body, headers });
const rotate = (id: string, body?: object) =>
  shop.call(`${PATH}/${id}/rotate-secret`, { method: 'POST', ...(body && { body }) });
const withKey = () => ({ 'idempotency-key': randomUUID() });
const now = () => app.clock.now().toISOString();

const typesOf = (requests: Received[]) => requests.map(({ json }) => json.type);

/** What the official library signs for these bytes with this secret. */
function signed({ headers, body }: Received, secret: string): string {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  return new Webhook(secret).sign(String(headers['webhook-id']), at, body);
}

const signaturesOf = ({ headers }: Received) => String(headers['webhook-signature']).split(' ');

describe('making one', () => {
  test('tells its secret, once', async () => {
    const body = { url: `${merchant.url}/x`, types: ['payment.paid', 'reference.*'], description: 'ERP' };
    const reply = await make(body);
    expect(reply.status).toBe(201);
    const { id, secret, ...rest } = reply.json;
    expect(reply.headers.get('location')).toBe(`${PATH}/${id}`);
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    const health = { status: 'active', failingSince: null, failures: 0 };
    expect(rest).toEqual({ ...body, ...health, createdAt: now(), updatedAt: now() });
    for (const read of [await ask(id), await shop.call(PATH)]) {
      expect(read.status).toBe(200);
      expect(read.text).not.toContain('whsec_');
    }
    expect((await ask(id)).json).toEqual({ id, ...rest });
    const [row] = await app.sql('select * from endpoints where id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(JSON.parse(app.node.core.keyring.open(row.secrets, 'webhook secrets'))).toEqual([{ secret, until: null }]);
  });

  test.each([
    [{}, null, null],
    [{ types: null, description: null }, null, null],
    [{ types: ['payment.*', 'payment.*'], description: '' }, ['payment.*'], ''],
    [{ types: ['webhook.endpoint_failing'], secret: 'whsec_mine' }, ['webhook.endpoint_failing'], null],
  ])('with %j', async (more, types, description) => {
    const { json } = await make({ url: merchant.url, ...more });
    expect(json).toMatchObject({ types, description });
    expect(json.secret).not.toBe('whsec_mine');
  });

  test('sixteen, and no more: also of many at once', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => make()));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(16);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, json }) => `${status} ${json.code}`)).toEqual(Array(4).fill('409 too_many_webhooks'));
    const first = replies.find(({ status }) => status === 201) as Reply;
    expect((await ask(first.json.id, { method: 'DELETE' })).status).toBe(204);
    expect((await make()).status).toBe(201);
    expect(new Set(replies.map(({ json }) => json.secret)).size).toBe(17);
  });

  test('the callback endpoint is none of them', async () => {
    await shop.setEndpoint(merchant.url);
    expect((await shop.call(PATH)).json).toMatchObject({ data: [], totalItems: 0 });
    const [{ id }] = await app.sql('select id from endpoints where merchant_id = $1', [shop.merchantId]);
    for (const method of ['GET', 'DELETE']) expect((await ask(id, { method })).status).toBe(404);
    expect((await put(id, { url: merchant.url })).status).toBe(404);
    expect((await rotate(id)).status).toBe(404);
  });
});

test('the list has the newest first, in pages', async () => {
  const made: string[] = [];
  for (let nth = 0; nth < 5; nth++) made.push((await make()).json.id);
  const seen: string[] = [];
  for (let page = 1; page <= 3; page++) {
    const { json } = await shop.call(`${PATH}?page=${page}&pageSize=2`);
    expect(json).toMatchObject({ pageNumber: page, pageSize: 2, totalPages: 3, totalItems: 5 });
    seen.push(...json.data.map(({ id }: { id: string }) => id));
  }
  expect(seen).toEqual(made.toReversed());
});

describe('what is sent', () => {
  test('every event as the feed has it, signed so that the official library believes it', async () => {
    const { id, secret } = (await make()).json;
    await sell(app, shop);
    const reference = ['registered', 'paid', 'withdrawn'].map((happening) => `reference.${happening}`);
    const types = ['payment.created', 'payment.paid', ...reference];
    const requests = await merchant.received(types.length);
    expect(typesOf(requests).toSorted()).toEqual(types.toSorted());
    const { data: events } = (await shop.call('/api/events')).json;
    for (const request of requests) {
      expect(new Webhook(secret).verify(request.body, request.headers as Record<string, string>)).toEqual(request.json);
      expect(request.headers['webhook-id']).toBe(request.json.id);
      const { cursor: _, data, ...event } = events.find((told: { id: string }) => told.id === request.json.id);
      // Whether a reference can be paid is told as of now.
      const { status, amountPaid, internalId } = data;
      expect(request.json).toMatchObject({ ...event, data: { status, amountPaid, internalId } });
      expect(Object.keys(request.json)).toEqual(Object.keys({ ...event, data }));
    }
    await until(async () => {
      const { json } = await shop.call(`${PATH}/${id}/deliveries?status=Delivered`);
      return json.totalItems === types.length;
    }, 'all being delivered');
  });

  test('only the types that were chosen, and only from then on', async () => {
    await sell(app, shop);
    await make({ url: `${merchant.url}/paid`, types: ['payment.paid'] });
    await make({ url: `${merchant.url}/payments`, types: ['payment.*', 'terminal.*'] });
    await sell(app, shop);
    const told = (await merchant.received(3)).map(({ path, json }) => `${path} ${json.type}`);
    expect(told.toSorted()).toEqual(['/paid payment.paid', '/payments payment.created', '/payments payment.paid']);
  });

  test('any 2xx will do, whatever it says', async () => {
    merchant.say({ status: 204, body: '' });
    const { id } = (await make({ url: merchant.url, types: ['payment.paid'] })).json;
    await sell(app, shop);
    await until(async () => (await shop.call(`${PATH}/${id}/deliveries`)).json.data[0]?.status === 'Delivered');
  });
});

describe('changing one', () => {
  test('changes all of it, but the secret', async () => {
    const { id, secret, createdAt } = (await make({ url: merchant.url, types: ['payment.paid'], description: 'a' }))
      .json;
    await app.clock.advance(1_000);
    const reply = await put(id, { url: `${merchant.url}/new` });
    const health = { status: 'active', failingSince: null, failures: 0 };
    const changed = { id, url: `${merchant.url}/new`, types: null, description: null, ...health, createdAt };
    expect([reply.status, reply.json]).toEqual([200, { ...changed, updatedAt: now() }]);
    expect((await ask(id)).json).toEqual(reply.json);
    const sample = await shop.call(`${PATH}/${id}/test`, { method: 'POST' });
    expect(sample.json).toMatchObject({ status: 'Delivered', url: `${merchant.url}/new` });
    const [request] = merchant.requests as [Received];
    expect(signaturesOf(request)).toEqual([signed(request, secret)]);
  });

  test('another address ends what is known of failures, the same does not', async () => {
    const { id } = (await make()).json;
    await app.sql('update endpoints set failures = 7, failing_since = now(), probe_at = now() where id = $1', [id]);
    expect((await put(id, { url: `${merchant.url}/events` })).json).toMatchObject({ status: 'failing', failures: 7 });
    const fresh = { status: 'active', failures: 0, failingSince: null };
    expect((await put(id, { url: `${merchant.url}/other` })).json).toMatchObject(fresh);
  });

  test('under a key: once', async () => {
    const { id } = (await make()).json;
    const headers = withKey();
    const first = await put(id, { url: `${merchant.url}/1` }, headers);
    await put(id, { url: `${merchant.url}/2` });
    const again = await put(id, { url: `${merchant.url}/1` }, headers);
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expect((await ask(id)).json.url).toBe(`${merchant.url}/2`);
    expect((await put(id, { url: `${merchant.url}/3` }, headers)).status).toBe(422);
  });
});

describe('removing one', () => {
  test('it is gone, and what was to be sent there is skipped', async () => {
    merchant.say({ status: 500 });
    const { id } = (await make({ url: merchant.url, types: ['payment.paid'] })).json;
    await sell(app, shop);
    await until(async () => (await shop.deliveries()).some(({ tries }: any) => tries === 1), 'a failed attempt');
    const headers = withKey();
    for (let nth = 0; nth < 2; nth++) {
      expect(await ask(id, { method: 'DELETE', headers })).toMatchObject({ status: 204, text: '' });
    }
    for (const path of [id, `${id}/deliveries`]) expect((await ask(path)).status).toBe(404);
    expect((await ask(id, { method: 'DELETE' })).status).toBe(404);
    const told = (await shop.deliveries()).filter(({ kind }: any) => kind === 'webhook');
    expect(told.map(({ status, due_at }: any) => [status, due_at])).toEqual([['Skipped', null]]);
    const [row] = await app.sql('select secrets from endpoints where id = $1', [id]);
    expect(row.secrets).toBeNull();
  });

  test('others stay', async () => {
    const [one, two] = [(await make()).json, (await make()).json];
    await ask(one.id, { method: 'DELETE' });
    expect((await shop.call(PATH)).json.data.map(({ id }: any) => id)).toEqual([two.id]);
  });
});

describe('rotating the secret', () => {
  /** The signatures of a sample sent now. */
  async function sample(id: string): Promise<Received> {
    await shop.call(`${PATH}/${id}/test`, { method: 'POST' });
    return merchant.requests.at(-1) as Received;
  }

  test('both sign for the overlap, the new one first; then the new one alone', async () => {
    const { id, secret: old } = (await make()).json;
    const reply = await rotate(id, { overlapHours: 2 });
    expect(reply.status).toBe(200);
    const overlapUntil = new Date(app.clock.now().getTime() + 2 * HOUR_MS).toISOString();
    expect(reply.json).toEqual({ secret: expect.stringMatching(/^whsec_/), overlapUntil });
    const { secret } = reply.json;
    expect(secret).not.toBe(old);
    const during = await sample(id);
    expect(signaturesOf(during)).toEqual([signed(during, secret), signed(during, old)]);
    for (const known of [old, secret])
      expect(new Webhook(known).verify(during.body, during.headers as Record<string, string>)).toEqual(during.json);
    app.clock.leap(2 * HOUR_MS);
    const after = await sample(id);
    expect(signaturesOf(after)).toEqual([signed(after, secret)]);
  });

  test.each([
    [undefined, 24],
    [{}, 24],
    [{ overlapHours: null }, 24],
    [{ overlapHours: 168 }, 168],
    [{ overlapHours: 0 }, 0],
  ])('%j', async (body, hours) => {
    const { id } = (await make()).json;
    const { overlapUntil } = (await rotate(id, body)).json;
    expect(overlapUntil).toBe(new Date(app.clock.now().getTime() + hours * HOUR_MS).toISOString());
    expect(signaturesOf(await sample(id))).toHaveLength(hours ? 2 : 1);
  });

  test('without an overlap every older secret ends at once', async () => {
    const { id } = (await make()).json;
    await rotate(id, { overlapHours: 100 });
    await rotate(id, { overlapHours: 50 });
    expect(signaturesOf(await sample(id))).toHaveLength(3);
    const { secret } = (await rotate(id, { overlapHours: 0 })).json;
    const request = await sample(id);
    expect(signaturesOf(request)).toEqual([signed(request, secret)]);
  });

  test('an older secret is not given longer than it had', async () => {
    const { id, secret: first } = (await make()).json;
    const { secret: second } = (await rotate(id, { overlapHours: 1 })).json;
    const { secret: third } = (await rotate(id, { overlapHours: 100 })).json;
    app.clock.leap(HOUR_MS);
    const request = await sample(id);
    expect(signaturesOf(request)).toEqual([signed(request, third), signed(request, second)]);
    expect(signaturesOf(request)).not.toContain(signed(request, first));
  });

  test('of many at once each is told a secret that signs; eight sign at most', async () => {
    const { id } = (await make()).json;
    const told = await Promise.all(Array.from({ length: 7 }, () => rotate(id)));
    const secrets = told.map(({ json }) => json.secret);
    expect(new Set(secrets).size).toBe(7);
    const request = await sample(id);
    expect(signaturesOf(request)).toHaveLength(8);
    for (const secret of secrets) expect(signaturesOf(request)).toContain(signed(request, secret));
    const { secret } = (await rotate(id)).json;
    const last = await sample(id);
    expect(signaturesOf(last)).toHaveLength(8);
    expect(signaturesOf(last)[0]).toBe(signed(last, secret));
  });

  test('secrets are told by nothing but creation and rotation, keys or not', async () => {
    const headers = withKey();
    const made = await shop.call(PATH, { body: { url: merchant.url }, headers });
    const again = await shop.call(PATH, { body: { url: merchant.url }, headers });
    expect([made.status, again.status]).toEqual([201, 201]);
    expect(again.json.id).not.toBe(made.json.id);
    await rotate(made.json.id);
    await put(made.json.id, { url: merchant.url }, withKey());
    await shop.call(`${PATH}/${made.json.id}/test`, { method: 'POST', headers: withKey() });
    const kept = await app.sql('select * from idempotency_keys where merchant_id = $1', [shop.merchantId]);
    expect(kept).toHaveLength(2);
    expect(JSON.stringify(kept)).not.toContain('whsec_');
  });
});
