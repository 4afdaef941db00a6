// What is refused of endpoints, webhooks, tests and rotations: each wrong field by pointer and code, and nothing left behind.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../support/app.ts';
import { openShop, type Shop } from '../support/callbacks.ts';
import { faultsOf } from '../support/ppr.ts';
import { ACCESS_KEY } from '../support/receiver.ts';
import { leavesNothing } from '../support/rows.ts';

const URL = 'https://192.0.9.1/hook';
const PUBLIC = { url: URL };

// Without CALLBACK_ALLOW_LOOPBACK: nobody is called at this machine, nor by plain http.
let app: TestApp;
let shop: Shop;
let webhookId: string;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openShop(app);
  webhookId = (await shop.call('/api/webhooks', { body: PUBLIC })).json.id;
});
afterAll(() => app?.stop());

type Send = (body: unknown, headers?: Record<string, string>) => Promise<Reply>;

const setEndpoint: Send = (body, headers) =>
  shop.call(shop.endpointPath, { method: 'PUT', body, headers: { ...headers } });
const createWebhook: Send = (body, headers) => shop.call('/api/webhooks', { body, headers: { ...headers } });
const replaceWebhook: Send = (body, headers) =>
  shop.call(`/api/webhooks/${webhookId}`, { method: 'PUT', body, headers: { ...headers } });

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
  test.each([
    ['http://example.com/hook'],
    ['https://localhost/hook'],
    ['https://127.0.0.1/hook'],
    ['https://[::1]/hook'],
    ['https://[::ffff:10.0.0.1]/hook'],
    ['https://169.254.169.254/latest/meta-data'],
    ['https://10.1.2.3/hook'],
    ['https://2130706433/hook'],
    ['https://user:secret@192.0.9.1/hook'],
    ['https://192.0.9.1:22/hook'],
    ['https://192.0.9.1/hook#part'],
    ['ftp://192.0.9.1/hook'],
    ['not an address'],
    [''],
  ])('may not be called: %s', async (url) => {
    const reply = await refused(() => send({ url, accessKey: ACCESS_KEY }));
    expect([reply.status, reply.json.code]).toEqual([400, 'url_not_allowed']);
    expect(faultsOf(reply)).toEqual(['/url url_not_allowed']);
    expect(reply.json.errors[0].message).toMatch(/\(\w+\)$/);
  });

  test.each<[unknown, string]>([
    [undefined, 'required'],
    [null, 'invalid_type'],
    [7, 'invalid_type'],
    [[URL], 'invalid_type'],
    [`${URL}/${'x'.repeat(2_048)}`, 'too_long'],
  ])('the address cannot be %j', async (url, code) => {
    const reply = await refused(() => send({ url, accessKey: ACCESS_KEY }));
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual([`/url ${code}`]);
  });

  test('needs a JSON object', async () => {
    for (const body of ['[]', '"x"', 'null', '7']) {
      const reply = await refused(() => send(body));
      expect([body, reply.status, faultsOf(reply)[0]]).toEqual([body, 400, ' invalid_type']);
    }
    expect(await refused(() => send('{"url":'))).toMatchObject({ status: 400, json: { code: 'malformed_json' } });
    const nul = await refused(() => send({ url: `${URL}\0`, accessKey: ACCESS_KEY }));
    expect(nul).toMatchObject({ status: 400, json: { code: 'invalid_text' } });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await refused(() => send('url=x', form))).status).toBe(415);
  });
});

describe('the access key', () => {
  test.each<[unknown, string]>([
    [undefined, 'required'],
    [null, 'required'],
    ['', 'invalid_access_key'],
    ['x'.repeat(15), 'invalid_access_key'],
    ['x'.repeat(257), 'invalid_access_key'],
    ['with a space in it', 'invalid_access_key'],
    ['chave-com-acentuação', 'invalid_access_key'],
    ['line\nbreak-0123456789', 'invalid_access_key'],
    [1_234_567_890_123_456, 'invalid_type'],
    [{}, 'invalid_type'],
  ])('cannot be %j', async (accessKey, code) => {
    const reply = await refused(() => setEndpoint({ url: URL, accessKey }));
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual([`/accessKey ${code}`]);
    if (typeof accessKey === 'string' && accessKey) expect(reply.text).not.toContain(accessKey);
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
  });
});

describe.each([
  ['createWebhook', createWebhook],
  ['replaceWebhook', replaceWebhook],
])('%s', (_name, send) => {
  test.each<[object, string[]]>([
    [{ types: [] }, ['/types too_small']],
    [{ types: 'payment.paid' }, ['/types invalid_type']],
    [{ types: ['payment.paid', 'payment.payed'] }, ['/types/1 unknown_event_type']],
    [{ types: ['*', 'payment', 'payment.', '.paid', 'PAYMENT.PAID', 'payments.*', ''] }, allOf(7)],
    [{ types: ['payment.paid', 7] }, ['/types/1 invalid_type']],
    [{ types: Array(65).fill('payment.paid') }, ['/types too_big']],
    [{ description: 'x'.repeat(501) }, ['/description too_long']],
    [{ description: 7 }, ['/description invalid_type']],
    [
      { url: 'https://localhost', types: ['x'], description: 7 },
      ['/types/0 unknown_event_type', '/description invalid_type', '/url url_not_allowed'],
    ],
  ])('with %j', async (more, faults) => {
    const reply = await refused(() => send({ ...PUBLIC, ...more }));
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual(faults);
  });
});

function allOf(count: number): string[] {
  return Array.from({ length: count }, (_, nth) => `/types/${nth} unknown_event_type`);
}

test.each<[unknown, string]>([
  [-1, 'too_small'],
  [169, 'too_big'],
  [1.5, 'invalid_type'],
  ['24', 'invalid_type'],
])('a secret is not rotated with an overlap of %j', async (overlapHours, code) => {
  const body = { overlapHours };
  const reply = await refused(() => shop.call(`/api/webhooks/${webhookId}/rotate-secret`, { body }));
  expect(reply.status).toBe(400);
  expect(faultsOf(reply)).toEqual([`/overlapHours ${code}`]);
});

test.each<[unknown, string]>([
  ['GPO', 'invalid_value'],
  ['', 'invalid_value'],
  [1, 'invalid_type'],
  [null, 'invalid_type'],
])('there is no sample of the type %j', async (type, code) => {
  await setEndpoint({ url: URL, accessKey: ACCESS_KEY });
  const reply = await refused(() => shop.call('/api/callbacks/test', { body: { type } }));
  expect(reply.status).toBe(400);
  expect(faultsOf(reply)).toEqual([`/type ${code}`]);
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
