import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, sell, untilDelivery, type CallbackFixture } from '../../support/callbacks.ts';
import { fill } from '../../support/one-of-each.ts';
import { creepUntilRegistered, readFieldFaults } from '../../support/ppr.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, CONFIRMATION, type Receiver } from '../../support/receiver.ts';

const URL = 'https://192.0.9.1/hook';

let app: TestApp;
let logged = '';
let merchant: Receiver;
let fixture: CallbackFixture;
beforeAll(async () => {
  const logTo = new Writable({ write: (chunk, _encoding, done) => ((logged += chunk), done()) });
  app = await startTestApp({ env: RECEIVER_ENV, logTo });
  merchant = await startReceiver();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
  merchant.answerWith(CONFIRMATION);
  merchant.requests.length = 0;
});

const put = (body: unknown, headers = {}) => fixture.call(fixture.endpointPath, { method: 'PUT', body, headers });
const read = () => fixture.call(fixture.endpointPath);
const remove = (headers = {}) => fixture.call(fixture.endpointPath, { method: 'DELETE', headers });
const rows = () =>
  app.sql('select * from endpoints where merchant_id = $1 order by created_at, id', [fixture.merchantId]);

describe('PUT /api/merchants/{merchantId}/callback', () => {
  test('returns the endpoint without its access key, as GET does', async () => {
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

  test('stores the same access key with a different encryption each time', async () => {
    await put({ url: URL, accessKey: ACCESS_KEY });
    const [first] = await rows();
    expect(JSON.stringify(first)).not.toContain(ACCESS_KEY);
    expect(app.node.core.keyring.open(first.access_key, 'callback access key')).toBe(ACCESS_KEY);
    await put({ url: URL, accessKey: ACCESS_KEY });
    const [second] = await rows();
    expect(second.id).toBe(first.id);
    expect(second.access_key).not.toBe(first.access_key);
  });

  test('keeps the access key if the request changes only the URL', async () => {
    const made = (await put({ url: URL, accessKey: ACCESS_KEY })).json;
    await app.clock.advance(1_000);
    for (const accessKey of [undefined, null]) {
      const reply = await put({ url: `${URL}/2`, accessKey });
      expect(reply.json).toEqual({ ...made, url: `${URL}/2`, updatedAt: app.clock.now().toISOString() });
    }
    const [row] = await rows();
    expect(app.node.core.keyring.open(row.access_key, 'callback access key')).toBe(ACCESS_KEY);
  });

  test.each(['x'.repeat(16), '!'.repeat(256), '~"\\{}!#$%&/()=?+'])('accepts the access key %s', async (accessKey) => {
    expect((await put({ url: URL, accessKey })).status).toBe(200);
  });

  test('creates one endpoint for concurrent requests', async () => {
    const urls = Array.from({ length: 8 }, (_, nth) => `${URL}/${nth}`);
    const replies = await Promise.all(urls.map((url) => put({ url, accessKey: ACCESS_KEY })));
    expect(replies.map(({ status }) => status)).toEqual(urls.map(() => 200));
    expect(replies.map(({ json }) => json.url)).toEqual(urls);
    expect(await rows()).toHaveLength(1);
    expect(urls).toContain((await read()).json.url);
  });
});

describe('the callback endpoint', () => {
  test('receives callbacks with its current access key', async () => {
    await put({ url: `${merchant.url}/a`, accessKey: ACCESS_KEY });
    await sell(app, fixture);
    await untilDelivery(fixture, 'Delivered');
    await put({ url: `${merchant.url}/b`, accessKey: 'another-key-of-this-shop' });
    await sell(app, fixture);
    await merchant.received(2);
    const seen = merchant.requests.map(({ method, path, headers }) => [method, path, headers['access-key']]);
    expect(seen).toEqual([
      ['POST', '/a', ACCESS_KEY],
      ['POST', '/b', 'another-key-of-this-shop'],
    ]);
  });

  test('shows its failures, and a change to another URL resets them', async () => {
    merchant.answerWith({ status: 500 });
    await put({ url: merchant.url, accessKey: ACCESS_KEY });
    for (let nth = 1; nth <= 5; nth++) await sell(app, fixture);
    await merchant.received(5);
    const since = app.clock.now().toISOString();
    await expect.poll(async () => (await read()).json).toMatchObject({ status: 'failing', failures: 5 });
    expect((await read()).json.failingSince <= since).toBe(true);
    const other = await put({ url: `${merchant.url}/other` });
    expect(other.json).toMatchObject({ status: 'active', failures: 0, failingSince: null });
  });

  test('keeps its failures after a request with the same URL, and resets them for another access key', async () => {
    await put({ url: URL, accessKey: ACCESS_KEY });
    const failed = `update endpoints set failures = 7, failing_since = now(), probe_at = now() where merchant_id = $1`;
    await app.sql(failed, [fixture.merchantId]);
    expect((await put({ url: URL })).json).toMatchObject({ status: 'failing', failures: 7 });
    const fresh = { status: 'active', failures: 0, failingSince: null };
    expect((await put({ url: URL, accessKey: ACCESS_KEY })).json).toMatchObject(fresh);
  });
});

describe('DELETE /api/merchants/{merchantId}/callback', () => {
  test('returns 204, also if repeated, and deletes the access key', async () => {
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

  test('makes an access key necessary for an endpoint that is created later', async () => {
    await put({ url: URL, accessKey: ACCESS_KEY });
    await remove();
    expect(readFieldFaults(await put({ url: URL }))).toEqual(['/accessKey required']);
    expect((await put({ url: URL, accessKey: ACCESS_KEY })).status).toBe(200);
    const [first, second] = await rows();
    expect(first.id).not.toBe(second.id);
  });

  test('skips pending deliveries and keeps delivered ones', async () => {
    await put({ url: merchant.url, accessKey: ACCESS_KEY });
    await sell(app, fixture);
    await untilDelivery(fixture, 'Delivered');
    merchant.answerWith({ status: 500 });
    await sell(app, fixture);
    await expect.poll(async () => (await fixture.deliveries()).at(-1)?.tries).toBe(1);
    await remove();
    const states = (await fixture.deliveries()).map(({ status, due_at }) => [status, due_at]);
    expect(states).toEqual([
      ['Delivered', null],
      ['Skipped', null],
    ]);
    await sell(app, fixture);
    expect((await fixture.deliveries()).at(-1)).toMatchObject({ status: 'Skipped', endpoint_id: null });
  });
});

describe('Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });

  type Made = { deliveryId: string; webhookId: string };

  test.each<[string, (made: Made) => [method: string, path: string, body?: object]]>([
    ['setting the endpoint', () => ['PUT', fixture.endpointPath, { url: `${merchant.url}/set` }]],
    ['removing the endpoint', () => ['DELETE', fixture.endpointPath]],
    ['replaying one', ({ deliveryId }) => ['POST', `/api/callbacks/${deliveryId}/replay`]],
    ['replaying many', () => ['POST', '/api/callbacks/replay', { status: 'Delivered' }]],
    [
      'replacing a webhook',
      ({ webhookId }) => ['PUT', `/api/webhooks/${webhookId}`, { url: `${merchant.url}/new`, types: ['terminal.*'] }],
    ],
    ['removing a webhook', ({ webhookId }) => ['DELETE', `/api/webhooks/${webhookId}`]],
    ['testing a webhook', ({ webhookId }) => ['POST', `/api/webhooks/${webhookId}/test`]],
  ])('%s with a repeated key returns the first response and has no second effect', async (_name, request) => {
    await put({ url: merchant.url, accessKey: ACCESS_KEY });
    const webhook = await fixture.call('/api/webhooks', { body: { url: merchant.url, types: ['terminal.*'] } });
    await sell(app, fixture);
    const { id: deliveryId } = await untilDelivery(fixture, 'Delivered');
    const [method, path, body] = request({ deliveryId, webhookId: webhook.json.id });
    const headers = key();
    const send = (changes = {}) =>
      fixture.call(path, { method, headers, ...(method !== 'DELETE' && { body: { ...body, ...changes } }) });
    const first = await send();
    expect(first.status).toBeLessThan(300);
    const areDone = async () => (await fixture.deliveries()).every(({ status }) => status !== 'Pending');
    await until(areDone, 'every delivery');
    await put({ url: `${merchant.url}/later`, accessKey: ACCESS_KEY });
    const before = [await rows(), await fixture.deliveries()];
    const again = await send();
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect([await rows(), await fixture.deliveries()]).toEqual(before);
    if (method !== 'DELETE') expect(await send({ status: 'Skipped' })).toMatchObject({ status: 422 });
  });

  test('stores the response without the access key', async () => {
    await put({ url: URL, accessKey: ACCESS_KEY }, key());
    const kept = await app.sql('select * from idempotency_keys where merchant_id = $1', [fixture.merchantId]);
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(ACCESS_KEY);
  });
});

test('access keys and secrets are in no GET response, in no log line, and in no row in clear', async () => {
  await put({ url: merchant.url, accessKey: ACCESS_KEY });
  const webhook = (await fixture.call('/api/webhooks', { body: { url: merchant.url, types: ['terminal.*'] } })).json;
  await sell(app, fixture);
  const { id: deliveryId } = await untilDelivery(fixture, 'Delivered');
  await creepUntilRegistered(app);
  const calls = app.node.app.routes
    .filter(({ tag }) => tag === 'Callbacks' || tag === 'Webhooks')
    .map(({ method, path, operationId }) => ({
      method,
      path: fill(path, { merchantId: fixture.merchantId, deliveryId, webhookId: webhook.id }),
      ...(/^(set|create|replace)/.test(operationId) && { body: { url: URL, accessKey: ACCESS_KEY } }),
    }));
  for (const { path, ...options } of calls)
    for (const token of [null, 'forged']) await app.call(path, { ...options, token });
  const reads = calls.filter(({ method }) => method === 'GET');
  expect(reads.length).toBeGreaterThan(4);
  const replies = await Promise.all(reads.map(({ path }) => fixture.call(path)));
  expect(replies.map(({ status }) => status)).toEqual(reads.map(() => 200));
  const tables = ['endpoints', 'deliveries', 'delivery_attempts', 'events', 'idempotency_keys'];
  const stored = await Promise.all(tables.map((table) => app.sql(`select * from ${table}`)));
  const seen = [...replies.map(({ text }) => text), logged, JSON.stringify(stored)].join('\n');
  for (const hidden of [ACCESS_KEY, webhook.secret, webhook.secret.replace('whsec_', '')])
    expect(seen).not.toContain(hidden);
  expect(logged).toContain('/api/merchants/{merchantId}/callback');
  expect(merchant.requests[0]?.headers['access-key']).toBe(ACCESS_KEY);
});

const replay = (id: string, headers = {}) => fixture.call(`/api/callbacks/${id}/replay`, { method: 'POST', headers });
const replayMany = (body?: unknown, headers = {}) =>
  fixture.call('/api/callbacks/replay', { method: 'POST', headers, ...(body !== undefined && { body }) });
const readCallback = async (id: string) => (await fixture.call(`/api/callbacks/${id}`)).json;

const arrived = () =>
  merchant.requests.map(({ headers }) => `${headers['balcao-delivery']} ${headers['balcao-attempt']}`);

async function tell(status: 'Delivered' | 'Abandoned' | 'Skipped'): Promise<any> {
  if (status === 'Abandoned') merchant.answerWith({ status: 410 });
  await sell(app, fixture);
  const delivery = await untilDelivery(fixture, status);
  merchant.answerWith(CONFIRMATION);
  return delivery;
}

/** Creates a delivery whose first attempt failed and whose second one is scheduled. */
async function tellFailed(): Promise<any> {
  merchant.answerWith({ status: 500 });
  await sell(app, fixture);
  const row = await until(async () => {
    const newest = (await fixture.deliveries()).at(-1);
    return newest?.tries === 1 && newest;
  }, 'a failed attempt');
  merchant.answerWith(CONFIRMATION);
  return row;
}

describe('POST /api/callbacks/{deliveryId}/replay', () => {
  test('sends a skipped callback to the current endpoint', async () => {
    const skipped = await tell('Skipped');
    await fixture.setEndpoint(`${merchant.url}/late`);
    const reply = await replay(skipped.id);
    const [{ id: endpointId }] = await app.sql('select id from endpoints where merchant_id = $1', [fixture.merchantId]);
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({
      id: skipped.id,
      status: 'Pending',
      endpointId,
      attemptsMade: 0,
      nextAttemptAt: app.clock.now().toISOString(),
      lastAttempt: null,
    });
    await untilDelivery(fixture, 'Delivered');
    expect(merchant.requests).toHaveLength(1);
    expect(merchant.requests[0]).toMatchObject({ path: '/late', json: (await readCallback(skipped.id)).body });
  });

  test('restarts the schedule of an abandoned callback, and continues the numbers of its attempts', async () => {
    await fixture.setEndpoint(merchant.url);
    const abandoned = await tell('Abandoned');
    const reply = await replay(abandoned.id);
    expect(reply.json).toMatchObject({ status: 'Pending', lastAttempt: { number: 1, status: 410 } });
    const row = await untilDelivery(fixture, 'Delivered');
    expect(row.tries).toBe(1);
    expect(row.tries_since.getTime()).toBe(app.clock.now().getTime());
    expect(arrived()).toEqual([`${abandoned.id} 1`, `${abandoned.id} 2`]);
    const { attempts } = await readCallback(abandoned.id);
    expect(attempts.map(({ outcome }: any) => outcome)).toEqual(['status', 'delivered']);
  });

  test('sends a delivered callback again with the same body', async () => {
    await fixture.setEndpoint(merchant.url);
    const delivered = await tell('Delivered');
    expect((await replay(delivered.id)).json).toMatchObject({ status: 'Pending', deliveredAt: null });
    await untilDelivery(fixture, 'Delivered');
    expect(arrived()).toEqual([`${delivered.id} 1`, `${delivered.id} 2`]);
    expect(merchant.requests[1]?.body).toBe(merchant.requests[0]?.body);
  });

  test('immediately sends a callback whose next attempt is scheduled', async () => {
    await fixture.setEndpoint(merchant.url);
    const failed = await tellFailed();
    expect(failed.due_at > app.clock.now()).toBe(true);
    expect((await replay(failed.id)).json.nextAttemptAt).toBe(app.clock.now().toISOString());
    await untilDelivery(fixture, 'Delivered');
    expect(arrived()).toEqual([`${failed.id} 1`, `${failed.id} 2`]);
  });

  test('does not change a callback whose attempt is in progress', async () => {
    await fixture.setEndpoint(merchant.url);
    let answer: () => void = () => {};
    merchant.answerWith(() => new Promise((resolve) => (answer = () => resolve(CONFIRMATION))));
    await sell(app, fixture);
    await merchant.received(1);
    const [before] = await fixture.deliveries();
    const reply = await replay(before.id);
    expect(reply).toMatchObject({ status: 202, json: { status: 'Pending', attemptsMade: 1 } });
    expect(await fixture.deliveries()).toEqual([before]);
    answer();
    await untilDelivery(fixture, 'Delivered');
    expect(merchant.requests).toHaveLength(1);
  });

  test('sends to the endpoint that replaced the original one', async () => {
    await fixture.setEndpoint(`${merchant.url}/old`);
    const delivered = await tell('Delivered');
    await fixture.call(fixture.endpointPath, { method: 'DELETE' });
    expect(await replay(delivered.id)).toMatchObject({ status: 409, json: { code: 'endpoint_not_configured' } });
    expect(await fixture.deliveries()).toEqual([delivered]);
    await fixture.setEndpoint(`${merchant.url}/new`);
    expect((await replay(delivered.id)).status).toBe(202);
    await merchant.received(2);
    expect(merchant.requests.map(({ path }) => path)).toEqual(['/old', '/new']);
  });

  test('sends a delivery of a webhook to the same webhook, and returns 409 if the webhook was removed', async () => {
    await fixture.setEndpoint(`${merchant.url}/callback`);
    const body = { url: `${merchant.url}/events`, types: ['payment.paid'] };
    const { id: webhookId } = (await fixture.call('/api/webhooks', { body })).json;
    await sell(app, fixture);
    await merchant.received(2);
    const [delivery] = await until(async () => {
      const { data } = (await fixture.call(`/api/webhooks/${webhookId}/deliveries?status=Delivered`)).json;
      return data.length > 0 && data;
    });
    expect(await replay(delivery.id)).toMatchObject({ status: 202, json: { kind: 'webhook', endpointId: webhookId } });
    await merchant.received(3);
    expect(merchant.requests[2]?.path).toBe('/events');
    await until(async () => (await readCallback(delivery.id)).status === 'Delivered');
    await fixture.call(`/api/webhooks/${webhookId}`, { method: 'DELETE' });
    expect(await replay(delivery.id)).toMatchObject({ status: 409, json: { code: 'endpoint_not_configured' } });
  });

  test('returns 409 for a test delivery', async () => {
    await fixture.setEndpoint(merchant.url);
    const { id } = (await fixture.call('/api/callbacks/test', { method: 'POST' })).json;
    const reply = await replay(id);
    expect(reply).toMatchObject({ status: 409, json: { code: 'state_conflict' } });
    expect(reply.json.detail).toMatch(/test/);
    expect(merchant.requests).toHaveLength(1);
  });
});

describe('POST /api/callbacks/replay', () => {
  test('replays abandoned and skipped deliveries if the request has no filter', async () => {
    const skipped = await tell('Skipped');
    await fixture.setEndpoint(merchant.url);
    await tell('Delivered');
    const abandoned = await tell('Abandoned');
    merchant.requests.length = 0;
    for (const body of [undefined, {}]) {
      const reply = await replayMany(body);
      expect([reply.status, reply.json]).toEqual([202, { replayed: body ? 0 : 2 }]);
      await until(async () => (await fixture.deliveries()).every(({ status }: any) => status === 'Delivered'));
    }
    expect(arrived().toSorted()).toEqual([`${skipped.id} 1`, `${abandoned.id} 2`].toSorted());
  });

  test('replays the deliveries that match its filter', async () => {
    await tell('Skipped');
    await app.clock.pass(60_000);
    await fixture.setEndpoint(merchant.url);
    await tell('Delivered');
    await app.clock.pass(60_000);
    await tell('Abandoned');
    const rows = await fixture.deliveries();
    const [, delivered, abandoned] = rows;
    const cases: [filter: object, matches: number[]][] = [
      [{ status: 'Skipped' }, [0]],
      [{ status: 'delivered' }, [1]],
      [{ paymentId: abandoned.payment_id }, [2]],
      [{ paymentId: delivered.payment_id }, []],
      [{ from: abandoned.created_at }, [2]],
      [{ to: abandoned.created_at }, [0]],
      [{ from: delivered.created_at, to: abandoned.created_at, status: 'DELIVERED' }, [1]],
      [{ kind: 'callback', unknown: 1 }, [0, 2]],
      [{ kind: 'Webhook' }, []],
    ];
    for (const [filter, matches] of cases) {
      for (const { id, status, endpoint_id } of rows)
        await app.sql('update deliveries set status = $2, endpoint_id = $3 where id = $1', [id, status, endpoint_id]);
      merchant.requests.length = 0;
      expect([filter, (await replayMany(filter)).json]).toEqual([filter, { replayed: matches.length }]);
      await until(async () => (await fixture.deliveries()).every(({ status }: any) => status !== 'Pending'));
      const sent = merchant.requests.map(({ headers }) => headers['balcao-delivery']);
      expect([filter, sent.toSorted()]).toEqual([filter, matches.map((nth) => rows[nth].id).toSorted()]);
    }
  });

  test('returns 400 for a filter that the schema refuses', async () => {
    expect(await replayMany({ status: 'Sent' })).toMatchObject({ status: 400, json: { code: 'validation_failed' } });
  });

  test('omits all deliveries if the merchant has no endpoint', async () => {
    await tell('Skipped');
    expect((await replayMany()).json).toEqual({ replayed: 0 });
    expect((await fixture.deliveries())[0].status).toBe('Skipped');
  });

  test('omits test deliveries and other merchants’ deliveries', async () => {
    const other = await openCallbackFixture(app, merchant.url);
    merchant.answerWith({ status: 410 });
    await sell(app, other);
    await untilDelivery(other, 'Abandoned');
    await fixture.setEndpoint(merchant.url);
    expect((await fixture.call('/api/callbacks/test', { method: 'POST' })).json.status).toBe('Abandoned');
    expect((await replayMany()).json).toEqual({ replayed: 0 });
    expect((await other.deliveries())[0].status).toBe('Abandoned');
  });

  test('replays scheduled deliveries only if the filter names their status', async () => {
    await fixture.setEndpoint(merchant.url);
    await tellFailed();
    expect((await replayMany()).json).toEqual({ replayed: 0 });
    expect((await replayMany({ status: 'Pending' })).json).toEqual({ replayed: 1 });
    await untilDelivery(fixture, 'Delivered');
  });
});
