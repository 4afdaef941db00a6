// Whose callbacks and webhooks, and who may do what: tokens, scopes, other merchants, methods; and what never is told or logged.
import { Writable } from 'node:stream';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { openShop, sell, untilDelivery, type Shop } from '../support/callbacks.ts';
import { creepUntilTold } from '../support/ppr.ts';
import { sendRaw } from '../support/raw.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Receiver } from '../support/receiver.ts';
import { leavesNothing } from '../support/rows.ts';

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
let stranger: Shop;
let secret: string;
/** Of the shop. */
const ids = { merchantId: '', deliveryId: '', webhookId: '' };
let logged = '';

beforeAll(async () => {
  const logTo = new Writable({ write: (chunk, _encoding, done) => ((logged += chunk), done()) });
  app = await startTestApp({ env: RECEIVER_ENV, logTo });
  merchant = await startReceiver();
  shop = await openShop(app, merchant.url);
  stranger = await openShop(app, merchant.url);
  const webhook = (await shop.call('/api/webhooks', { body: { url: merchant.url, types: ['terminal.*'] } })).json;
  await sell(app, shop);
  const { id } = await untilDelivery(shop, 'Delivered');
  await creepUntilTold(app);
  secret = webhook.secret;
  Object.assign(ids, { merchantId: shop.merchantId, deliveryId: id, webhookId: webhook.id });
});
afterAll(async () => {
  await app?.stop();
  await merchant?.stop();
});

type Call = { method: string; path: string; body?: object; scope: 'merchant:read' | 'merchant:write'; own: boolean };

const endpoint = { url: 'https://192.0.9.1/hook', accessKey: ACCESS_KEY };

/** `own`: about something of one merchant's, by its id. */
const CALLS: Call[] = [
  { method: 'GET', path: '/api/merchants/{merchantId}/callback', scope: 'merchant:read', own: true },
  { method: 'PUT', path: '/api/merchants/{merchantId}/callback', body: endpoint, scope: 'merchant:write', own: true },
  { method: 'DELETE', path: '/api/merchants/{merchantId}/callback', scope: 'merchant:write', own: true },
  { method: 'GET', path: '/api/callbacks', scope: 'merchant:read', own: false },
  { method: 'POST', path: '/api/callbacks/test', scope: 'merchant:write', own: false },
  { method: 'POST', path: '/api/callbacks/replay', scope: 'merchant:write', own: false },
  { method: 'GET', path: '/api/callbacks/{deliveryId}', scope: 'merchant:read', own: true },
  { method: 'POST', path: '/api/callbacks/{deliveryId}/replay', scope: 'merchant:write', own: true },
  { method: 'GET', path: '/api/webhooks', scope: 'merchant:read', own: false },
  { method: 'POST', path: '/api/webhooks', body: endpoint, scope: 'merchant:write', own: false },
  { method: 'GET', path: '/api/webhooks/{webhookId}', scope: 'merchant:read', own: true },
  { method: 'PUT', path: '/api/webhooks/{webhookId}', body: endpoint, scope: 'merchant:write', own: true },
  { method: 'DELETE', path: '/api/webhooks/{webhookId}', scope: 'merchant:write', own: true },
  { method: 'POST', path: '/api/webhooks/{webhookId}/rotate-secret', scope: 'merchant:write', own: true },
  { method: 'POST', path: '/api/webhooks/{webhookId}/test', scope: 'merchant:write', own: true },
  { method: 'GET', path: '/api/webhooks/{webhookId}/deliveries', scope: 'merchant:read', own: true },
];

const pathOf = (path: string, known: Record<string, string> = ids) =>
  path.replace(/\{(\w+)\}/, (_, name) => known[name] ?? '');
const send = ({ method, path, body }: Call, token: string | null) => app.call(pathOf(path), { method, body, token });

/** Endpoints and deliveries are as they were, too. */
async function changesNothing<T>(work: () => Promise<T>): Promise<T> {
  const read = async () => [
    await app.sql('select * from endpoints order by id'),
    await app.sql('select * from deliveries order by seq'),
  ];
  const before = await read();
  const result = await leavesNothing(app, work);
  expect(await read()).toEqual(before);
  return result;
}

test('the list here is the whole list', () => {
  const declared = app.node.app.routes.filter(({ tag }) => tag === 'Callbacks' || tag === 'Webhooks');
  const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  expect(CALLS.map(nameOf).toSorted()).toEqual(declared.map(nameOf).toSorted());
});

describe.each(CALLS)('$method $path', (call) => {
  test('needs a token', async () => {
    for (const token of [null, 'forged']) {
      const reply = await changesNothing(() => send(call, token));
      expect([reply.status, reply.json.code]).toEqual([401, 'invalid_token']);
    }
  });

  test('needs its scope', async () => {
    const { scope: needed } = call;
    const others = ['payments:read', 'payments:write', 'references:write', 'merchant:read', 'merchant:write'];
    const scope = others.filter((name) => name !== needed).join(' ');
    const token = await shop.tokenFor({ scope });
    const reply = await changesNothing(() => send(call, token));
    expect([reply.status, reply.json.code]).toEqual([403, 'insufficient_scope']);
    expect(reply.headers.get('www-authenticate')).toContain(`scope="${needed}"`);
  });
});

test.each(CALLS.filter(({ own }) => own))(
  '$method $path is 404 for another merchant, and for what nobody has',
  async (call) => {
    const token = await stranger.tokenFor({});
    const theirs = await changesNothing(() => send(call, token));
    const nobodys = Object.fromEntries(Object.keys(ids).map((name) => [name, randomUUID()]));
    const { method, path, body } = call;
    const unknown = await changesNothing(() => app.call(pathOf(path, nobodys), { method, body, token }));
    for (const { status, json } of [theirs, unknown]) expect([status, json.code]).toEqual([404, 'not_found']);
    const { instance: _, ...told } = theirs.json;
    expect(unknown.json).toMatchObject(told);
  },
);

test('lists tell of nobody else’s', async () => {
  for (const path of ['/api/callbacks', '/api/webhooks', `/api/callbacks?paymentId=${randomUUID()}`])
    expect((await stranger.call(path)).json).toMatchObject({ data: [], totalItems: 0 });
  const body = { status: 'Delivered' };
  const replayed = await changesNothing(() => stranger.call('/api/callbacks/replay', { body }));
  expect([replayed.status, replayed.json]).toEqual([202, { replayed: 0 }]);
});

test.each([
  ['POST', '/api/merchants/{merchantId}/callback', 'DELETE, GET, PUT'],
  ['DELETE', '/api/callbacks/{deliveryId}', 'GET'],
  ['GET', '/api/callbacks/{deliveryId}/replay', 'POST'],
  ['PUT', '/api/callbacks', 'GET'],
  ['POST', '/api/webhooks/{webhookId}', 'DELETE, GET, PUT'],
  ['GET', '/api/webhooks/{webhookId}/test', 'POST'],
  ['DELETE', '/api/webhooks', 'GET, POST'],
])('%s %s is 405', async (method, path, allowed) => {
  const token = await shop.tokenFor({});
  const reply = await sendRaw(app.url, `${method} ${pathOf(path)}`, [`Authorization: Bearer ${token}`]);
  expect(reply.status).toBe(405);
  const methods = (reply.headers.get('allow') ?? '').split(', ').filter((name) => name !== 'HEAD');
  expect(methods.toSorted().join(', ')).toBe(allowed);
});

test('access keys and secrets are told by no read, kept by no log, and in no row as they are', async () => {
  const reads = CALLS.filter(({ method }) => method === 'GET');
  const told = await Promise.all(reads.map((call) => shop.call(pathOf(call.path))));
  expect(told.map(({ status }) => status)).toEqual(reads.map(() => 200));
  const texts = told.map(({ text }) => text).join('\n');
  const tables = ['endpoints', 'deliveries', 'delivery_attempts', 'events', 'idempotency_keys'];
  const rows = await Promise.all(tables.map((table) => app.sql(`select * from ${table}`)));
  for (const hidden of [ACCESS_KEY, secret, secret.replace('whsec_', '')]) {
    expect(texts).not.toContain(hidden);
    expect(logged).not.toContain(hidden);
    expect(JSON.stringify(rows)).not.toContain(hidden);
  }
  // What was looked through is what there is to see.
  expect(logged).toContain('/api/merchants/{merchantId}/callback');
  expect(merchant.requests[0]?.headers['access-key']).toBe(ACCESS_KEY);
});
