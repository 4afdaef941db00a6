import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { readFieldFaults } from '../../support/ppr.ts';
import { ACCESS_KEY } from '../../support/receiver.ts';
import { leavesNothing } from '../../support/rows.ts';

const URL = 'https://192.0.9.1/hook';
const PUBLIC = { url: URL };

// Without CALLBACK_ALLOW_LOOPBACK, the gateway refuses loopback addresses and plain http.
let app: TestApp;
let fixture: CallbackFixture;
let webhookId: string;
beforeAll(async () => {
  app = await startTestApp();
  fixture = await openCallbackFixture(app);
  webhookId = (await fixture.call('/api/webhooks', { body: PUBLIC })).json.id;
});

type Send = (body: unknown, headers?: Record<string, string>) => Promise<Reply>;

const setEndpoint: Send = (body, headers) =>
  fixture.call(fixture.endpointPath, { method: 'PUT', body, headers: { ...headers } });
const createWebhook: Send = (body, headers) => fixture.call('/api/webhooks', { body, headers: { ...headers } });
const replaceWebhook: Send = (body, headers) =>
  fixture.call(`/api/webhooks/${webhookId}`, { method: 'PUT', body, headers: { ...headers } });

const WEBHOOK_FAULTS = ['/types/0 unknown_event_type', '/description invalid_type'];

const ADDRESSED: Record<string, Send> = { setEndpoint, createWebhook, replaceWebhook };

/** Expects that the request changed neither endpoints nor deliveries. */
async function refused(send: () => Promise<Reply>): Promise<Reply> {
  const read = () => app.sql('select * from endpoints where merchant_id = $1 order by id', [fixture.merchantId]);
  const before = await read();
  const reply = await leavesNothing(app, send);
  expect(await read()).toEqual(before);
  expect(await fixture.deliveries()).toEqual([]);
  return reply;
}

describe.each(Object.entries(ADDRESSED))('%s', (_name, send) => {
  test('returns 400 for a URL whose host is not in the public internet', async () => {
    const reply = await refused(() => send({ url: 'https://[::ffff:10.0.0.1]/hook', accessKey: ACCESS_KEY }));
    expect([reply.status, reply.json.code]).toEqual([400, 'url_not_allowed']);
    expect(readFieldFaults(reply)).toEqual(['/url url_not_allowed']);
    expect(reply.json.errors[0].message).toMatch(/\(\w+\)$/);
  });

  test('returns one 400 with all faults', async () => {
    const reply = await refused(() =>
      send({ url: 'https://localhost', types: ['x'], description: 7, accessKey: 'short' }),
    );
    const others = send === setEndpoint ? ['/accessKey invalid_access_key'] : WEBHOOK_FAULTS;
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed']);
    expect(readFieldFaults(reply)).toEqual([...others, '/url url_not_allowed']);
  });
});

describe('setEndpoint', () => {
  test('returns one 400 with the faults of access key and URL', async () => {
    const local = 'https://localhost/hook';
    const faultsFor = async (body: object) => readFieldFaults(await refused(() => setEndpoint(body)));
    expect(await faultsFor({ url: local, accessKey: 'short' })).toEqual([
      '/accessKey invalid_access_key',
      '/url url_not_allowed',
    ]);
    expect(await faultsFor({ url: local })).toEqual(['/url url_not_allowed', '/accessKey required']);
    expect(await faultsFor({})).toEqual(['/url required', '/accessKey required']);
    await setEndpoint({ url: URL, accessKey: ACCESS_KEY });
    expect(await faultsFor({})).toEqual(['/url required']);
    expect((await fixture.call(fixture.endpointPath, { method: 'DELETE' })).status).toBe(204);
  });
});

test.each([
  ['rotating a secret', (): string => `/api/webhooks/${webhookId}/rotate-secret`, 'overlapHours', 169, 'too_big'],
  ['sending a sample', (): string => '/api/callbacks/test', 'type', 'GPO', 'invalid_value'],
] as const)('%s returns 400 for an invalid value', async (_name, path, field, value, code) => {
  const reply = await refused(() => fixture.call(path(), { body: { [field]: value } }));
  expect(reply.status).toBe(400);
  expect(readFieldFaults(reply)).toEqual([`/${field} ${code}`]);
});

test("setEndpoint accepts the URL of the sandbox's receiver and no other URL of the node", async () => {
  const hook = `${app.node.core.publicUrl}/sandbox/callbacks/hook`;
  expect((await setEndpoint({ url: hook, accessKey: ACCESS_KEY })).status).toBe(200);
  for (const url of [`${hook}/..`, `${hook}?x`, hook.replace('hook', 'clear'), hook.replace('/hook', '')])
    expect([url, readFieldFaults(await setEndpoint({ url }))]).toEqual([url, ['/url url_not_allowed']]);
});
