// What is refused of endpoints, webhooks, tests and rotations: each wrong field by pointer and code, and nothing left behind.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { faultsOf } from '../../support/ppr.ts';
import { ACCESS_KEY } from '../../support/receiver.ts';
import { leavesNothing } from '../../support/rows.ts';

const URL = 'https://192.0.9.1/hook';
const PUBLIC = { url: URL };

// Without CALLBACK_ALLOW_LOOPBACK: nobody is called at this machine, nor by plain http.
let app: TestApp;
let shop: Shop;
let webhookId: string;
// Refusals leave it as it is: all share it.
beforeAll(async () => {
  app = await startTestApp();
  shop = await openShop(app);
  webhookId = (await shop.call('/api/webhooks', { body: PUBLIC })).json.id;
});

type Send = (body: unknown, headers?: Record<string, string>) => Promise<Reply>;

const setEndpoint: Send = (body, headers) =>
  shop.call(shop.endpointPath, { method: 'PUT', body, headers: { ...headers } });
const createWebhook: Send = (body, headers) => shop.call('/api/webhooks', { body, headers: { ...headers } });
const replaceWebhook: Send = (body, headers) =>
  shop.call(`/api/webhooks/${webhookId}`, { method: 'PUT', body, headers: { ...headers } });

/** One of each kind that guard.test tells apart. */
const HOSTILE = [
  'http://example.com/hook',
  'https://localhost/hook',
  'https://127.0.0.1/hook',
  'https://[::1]/hook',
  'https://[::ffff:10.0.0.1]/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://10.1.2.3/hook',
  'https://2130706433/hook',
  'https://user:secret@192.0.9.1/hook',
  'https://192.0.9.1:22/hook',
  'https://192.0.9.1/hook#part',
  'ftp://192.0.9.1/hook',
  'not an address',
  '',
  '/url url_not_allowed',
];
const WEBHOOK_FAULTS = ['/types/0 unknown_event_type', '/description invalid_type'];

const ADDRESSED: Record<string, Send> = { setEndpoint, createWebhook, replaceWebhook };

/** Endpoints and deliveries too are as they were. */
async function refused(send: () => Promise<Reply>): Promise<Reply> {
  const read = () => app.sql('select * from endpoints where merchant_id = $1 order by id', [shop.merchantId]);
  const before = await read();
  const reply = await leavesNothing(app, send);
  expect(await read()).toEqual(before);
  expect(await shop.deliveries()).toEqual([]);
  return reply;
}

describe.each(Object.entries(ADDRESSED))('%s', (_name, send) => {
  test('may not be told to call what is not on the public internet', async () => {
    for (const url of HOSTILE) {
      const reply = await refused(() => send({ url, accessKey: ACCESS_KEY }));
      expect([url, reply.status, reply.json.code]).toEqual([url, 400, 'url_not_allowed']);
      expect(faultsOf(reply)).toEqual(['/url url_not_allowed']);
      expect(reply.json.errors[0].message).toMatch(/\(\w+\)$/);
    }
  });

  test('names all that is wrong at once', async () => {
    const reply = await refused(() =>
      send({ url: 'https://localhost', types: ['x'], description: 7, accessKey: 'short' }),
    );
    const others = send === setEndpoint ? ['/accessKey invalid_access_key'] : WEBHOOK_FAULTS;
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed']);
    expect(faultsOf(reply)).toEqual([...others, '/url url_not_allowed']);
  });
});

describe('the access key', () => {
  test.each<[unknown, string]>([
    [undefined, 'required'],
    [null, 'required'],
    ['chave-com-acentuação', 'invalid_access_key'],
  ])('cannot be %j', async (accessKey, code) => {
    const reply = await refused(() => setEndpoint({ url: URL, accessKey }));
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual([`/accessKey ${code}`]);
    if (accessKey) expect(reply.text).not.toContain(accessKey);
  });

  test('is told beside what is wrong with the address', async () => {
    const local = 'https://localhost/hook';
    const faultsFor = async (body: object) => faultsOf(await refused(() => setEndpoint(body)));
    expect(await faultsFor({ url: local, accessKey: 'short' })).toEqual([
      '/accessKey invalid_access_key',
      '/url url_not_allowed',
    ]);
    expect(await faultsFor({ url: local })).toEqual(['/url url_not_allowed', '/accessKey required']);
    expect(await faultsFor({})).toEqual(['/url required', '/accessKey required']);
    await setEndpoint({ url: URL, accessKey: ACCESS_KEY });
    expect(await faultsFor({})).toEqual(['/url required']);
    expect((await shop.call(shop.endpointPath, { method: 'DELETE' })).status).toBe(204);
  });
});

test.each([
  [
    'a secret is not rotated with an overlap',
    (): string => `/api/webhooks/${webhookId}/rotate-secret`,
    'overlapHours',
    169,
    'too_big',
  ],
  ['there is no sample of a type', (): string => '/api/callbacks/test', 'type', 'GPO', 'invalid_value'],
] as const)('%s that cannot be', async (_name, path, field, value, code) => {
  const reply = await refused(() => shop.call(path(), { body: { [field]: value } }));
  expect(reply.status).toBe(400);
  expect(faultsOf(reply)).toEqual([`/${field} ${code}`]);
});

test.each(['', 'x'.repeat(256), 'ção'.normalize(), '"open'])('a key %j is none', async (key) => {
  const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') };
  const reply = await refused(() => setEndpoint({ url: URL, accessKey: ACCESS_KEY }, headers));
  expect([reply.status, reply.json.code]).toEqual([400, 'idempotency_key_invalid']);
});

test('the sandbox’s own receiver may be called all the same, and no other address of this node', async () => {
  const hook = `${app.node.core.publicUrl}/sandbox/callbacks/hook`;
  expect((await setEndpoint({ url: hook, accessKey: ACCESS_KEY })).status).toBe(200);
  for (const url of [`${hook}/..`, `${hook}?x`, hook.replace('hook', 'clear'), hook.replace('/hook', '')])
    expect([url, faultsOf(await setEndpoint({ url }))]).toEqual([url, ['/url url_not_allowed']]);
});
