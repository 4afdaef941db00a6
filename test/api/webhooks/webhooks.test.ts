import { randomUUID } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { beforeAll, beforeEach, describe, expect, test, afterAll, afterEach, vi } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, sell, type CallbackFixture } from '../../support/callbacks.ts';
import {
  RECEIVER_ENV,
  startReceiver,
  CONFIRMATION,
  type Received,
  type Receiver,
  type ReceiverHandler,
} from '../../support/receiver.ts';
import { openEvents, readEvents, readEventsOf } from '../../support/events.ts';
import { create, travelUntil, webframe } from '../../support/payments.ts';
import { createPayable, pay, readSteps } from '../../support/ppr.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

const PATH = '/api/webhooks';

let app: TestApp;
let merchant: Receiver;
let fixture: CallbackFixture;
/** The test app with the merchant's token. */
let own: TestApp;
/** The status that the merchant's server returns for each path. The default is 204. */
let answers: Record<string, ReceiverHandler>;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  merchant = await startReceiver();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
  own = { ...app, call: fixture.call };
  merchant.requests.length = 0;
  answers = {};
  merchant.answerWith((request, nth) => answers[request.path]?.(request, nth) ?? { status: 204 });
});
// Removes the endpoints, so that no delivery of one test is due in the next test.
afterEach(() => app.sql('update endpoints set deleted_at = $1 where deleted_at is null', [app.clock.now()]));
afterAll(async () => {
  vi.useRealTimers();
});

type Options = { method?: string; headers?: Record<string, string> };

const make = (body: object = { url: `${merchant.url}/events` }) => fixture.call(PATH, { body });
const ask = (id: string, { method = 'GET', headers = {} }: Options = {}) =>
  fixture.call(`${PATH}/${id}`, { method, headers });
const put = (id: string, body: object, headers = {}) => fixture.call(`${PATH}/${id}`, { method: 'PUT', body, headers });
const rotate = (id: string, body?: object) =>
  fixture.call(`${PATH}/${id}/rotate-secret`, { method: 'POST', ...(body && { body }) });
const withKey = () => ({ 'idempotency-key': randomUUID() });
const now = () => app.clock.now().toISOString();

/** Signs these bytes with the official Standard Webhooks library. */
function signed({ headers, body }: Received, secret: string): string {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  return new Webhook(secret).sign(String(headers['webhook-id']), at, body);
}

const signaturesOf = ({ headers }: Received) => String(headers['webhook-signature']).split(' ');

describe('POST /api/webhooks', () => {
  test('returns the secret, which no GET returns', async () => {
    const body = { url: `${merchant.url}/x`, types: ['payment.paid', 'reference.*'], description: 'ERP' };
    const reply = await make(body);
    expect(reply.status).toBe(201);
    const { id, secret, ...rest } = reply.json;
    expect(reply.headers.get('location')).toBe(`${PATH}/${id}`);
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    const health = { status: 'active', failingSince: null, failures: 0 };
    expect(rest).toEqual({ ...body, ...health, createdAt: now(), updatedAt: now() });
    for (const read of [await ask(id), await fixture.call(PATH)]) {
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
  ])('accepts the body %j', async (more, types, description) => {
    const { json } = await make({ url: merchant.url, ...more });
    expect(json).toMatchObject({ types, description });
    expect(json.secret).not.toBe('whsec_mine');
  });

  test('returns 409 above 16 webhooks per merchant, also for concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => make()));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(16);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, json }) => `${status} ${json.code}`)).toEqual(Array(4).fill('409 too_many_webhooks'));
    const first = replies.find(({ status }) => status === 201) as Reply;
    expect((await ask(first.json.id, { method: 'DELETE' })).status).toBe(204);
    expect((await make()).status).toBe(201);
    expect(new Set(replies.map(({ json }) => json.secret)).size).toBe(17);
  });

  test('does not add the callback endpoint to the list of webhooks', async () => {
    await fixture.setEndpoint(merchant.url);
    expect((await fixture.call(PATH)).json).toMatchObject({ data: [], totalItems: 0 });
    const [{ id }] = await app.sql('select id from endpoints where merchant_id = $1', [fixture.merchantId]);
    for (const method of ['GET', 'DELETE']) expect((await ask(id, { method })).status).toBe(404);
    expect((await put(id, { url: merchant.url })).status).toBe(404);
    expect((await rotate(id)).status).toBe(404);
  });
});

test('GET /api/webhooks returns webhooks in pages, the newest first', async () => {
  const made: string[] = [];
  for (let nth = 0; nth < 5; nth++) made.push((await make()).json.id);
  const seen: string[] = [];
  for (let page = 1; page <= 3; page++) {
    const { json } = await fixture.call(`${PATH}?page=${page}&pageSize=2`);
    expect(json).toMatchObject({ pageNumber: page, pageSize: 2, totalPages: 3, totalItems: 5 });
    seen.push(...json.data.map(({ id }: { id: string }) => id));
  }
  expect(seen).toEqual(made.toReversed());
});

describe('PUT /api/webhooks/{webhookId}', () => {
  test('replaces every field except the secret', async () => {
    const { id, secret, createdAt } = (await make({ url: merchant.url, types: ['payment.paid'], description: 'a' }))
      .json;
    await app.clock.advance(1_000);
    const reply = await put(id, { url: `${merchant.url}/new` });
    const health = { status: 'active', failingSince: null, failures: 0 };
    const changed = { id, url: `${merchant.url}/new`, types: null, description: null, ...health, createdAt };
    expect([reply.status, reply.json]).toEqual([200, { ...changed, updatedAt: now() }]);
    expect((await ask(id)).json).toEqual(reply.json);
    const sample = await fixture.call(`${PATH}/${id}/test`, { method: 'POST' });
    expect(sample.json).toMatchObject({ status: 'Delivered', url: `${merchant.url}/new` });
    const [request] = merchant.requests as [Received];
    expect(signaturesOf(request)).toEqual([signed(request, secret)]);
  });

  test('resets the failures of the endpoint only if the URL changes', async () => {
    const { id } = (await make()).json;
    await app.sql('update endpoints set failures = 7, failing_since = now(), probe_at = now() where id = $1', [id]);
    expect((await put(id, { url: `${merchant.url}/events` })).json).toMatchObject({ status: 'failing', failures: 7 });
    const fresh = { status: 'active', failures: 0, failingSince: null };
    expect((await put(id, { url: `${merchant.url}/other` })).json).toMatchObject(fresh);
  });
});

describe('DELETE /api/webhooks/{webhookId}', () => {
  test('removes the webhook and its secret, and skips pending deliveries', async () => {
    merchant.answerWith({ status: 500 });
    const { id } = (await make({ url: merchant.url, types: ['payment.paid'] })).json;
    await sell(app, fixture);
    await until(async () => (await fixture.deliveries()).some(({ tries }: any) => tries === 1), 'a failed attempt');
    const headers = withKey();
    for (let nth = 0; nth < 2; nth++) {
      expect(await ask(id, { method: 'DELETE', headers })).toMatchObject({ status: 204, text: '' });
    }
    for (const path of [id, `${id}/deliveries`]) expect((await ask(path)).status).toBe(404);
    expect((await ask(id, { method: 'DELETE' })).status).toBe(404);
    const deliveries = (await fixture.deliveries()).filter(({ kind }: any) => kind === 'webhook');
    expect(deliveries.map(({ status, due_at }: any) => [status, due_at])).toEqual([['Skipped', null]]);
    const [row] = await app.sql('select secrets from endpoints where id = $1', [id]);
    expect(row.secrets).toBeNull();
  });
});

describe('POST /api/webhooks/{webhookId}/rotate-secret', () => {
  async function sample(id: string): Promise<Received> {
    await fixture.call(`${PATH}/${id}/test`, { method: 'POST' });
    return merchant.requests.at(-1) as Received;
  }

  test.each([
    [undefined, 24],
    [{}, 24],
    [{ overlapHours: null }, 24],
    [{ overlapHours: 168 }, 168],
    [{ overlapHours: 0 }, 0],
  ])('keeps both secrets valid for the overlap of %j', async (body, hours) => {
    const { id } = (await make()).json;
    const { overlapUntil } = (await rotate(id, body)).json;
    expect(overlapUntil).toBe(new Date(app.clock.now().getTime() + hours * HOUR_MS).toISOString());
    expect(signaturesOf(await sample(id))).toHaveLength(hours ? 2 : 1);
  });

  test('invalidates every former secret immediately if the overlap is 0', async () => {
    const { id } = (await make()).json;
    await rotate(id, { overlapHours: 100 });
    await rotate(id, { overlapHours: 50 });
    expect(signaturesOf(await sample(id))).toHaveLength(3);
    const { secret } = (await rotate(id, { overlapHours: 0 })).json;
    const request = await sample(id);
    expect(signaturesOf(request)).toEqual([signed(request, secret)]);
  });

  test('does not extend the overlap of an earlier secret', async () => {
    const { id, secret: first } = (await make()).json;
    const { secret: second } = (await rotate(id, { overlapHours: 1 })).json;
    const { secret: third } = (await rotate(id, { overlapHours: 100 })).json;
    app.clock.leap(HOUR_MS);
    const request = await sample(id);
    expect(signaturesOf(request)).toEqual([signed(request, third), signed(request, second)]);
    expect(signaturesOf(request)).not.toContain(signed(request, first));
  });

  test('returns a valid secret to each concurrent request, while at most eight secrets sign', async () => {
    const { id } = (await make()).json;
    const rotations = await Promise.all(Array.from({ length: 7 }, () => rotate(id)));
    const secrets = rotations.map(({ json }) => json.secret);
    expect(new Set(secrets).size).toBe(7);
    const request = await sample(id);
    expect(signaturesOf(request)).toHaveLength(8);
    for (const secret of secrets) expect(signaturesOf(request)).toContain(signed(request, secret));
    const { secret } = (await rotate(id)).json;
    const last = await sample(id);
    expect(signaturesOf(last)).toHaveLength(8);
    expect(signaturesOf(last)[0]).toBe(signed(last, secret));
  });

  test('is with the creation the only operation that returns a secret, and its response is not stored', async () => {
    const headers = withKey();
    const made = await fixture.call(PATH, { body: { url: merchant.url }, headers });
    const again = await fixture.call(PATH, { body: { url: merchant.url }, headers });
    expect([made.status, again.status]).toEqual([201, 201]);
    expect(again.json.id).not.toBe(made.json.id);
    await rotate(made.json.id);
    await put(made.json.id, { url: merchant.url }, withKey());
    await fixture.call(`${PATH}/${made.json.id}/test`, { method: 'POST', headers: withKey() });
    const kept = await app.sql('select * from idempotency_keys where merchant_id = $1', [fixture.merchantId]);
    expect(kept).toHaveLength(2);
    expect(JSON.stringify(kept)).not.toContain('whsec_');
  });
});

type Hook = { id: string; secret: string; path: string };
let serial = 0;

async function createHook(types?: string[]): Promise<Hook> {
  const path = `/webhook-${++serial}`;
  const { status, text, json } = await own.call('/api/webhooks', { body: { url: merchant.url + path, types } });
  if (status !== 201) throw new Error(`no webhook: ${status} ${text}`);
  return { ...json, path };
}

const at = (hook: Hook) => merchant.requests.filter(({ path }) => path === hook.path);
const untilAt = (hook: Hook, count: number) =>
  until(() => at(hook).length >= count && at(hook), `${count} requests at ${hook.path}`);
const typesAt = (hook: Hook) => at(hook).map(({ json }) => json.type);

/** The clock moves only after every delivery is recorded, because otherwise an attempt would lose its lease. */
const untilTaken = (hook: Hook) =>
  until(async () => {
    const rows = await app.sql('select status from deliveries where endpoint_id = $1', [hook.id]);
    return rows.length > 0 && rows.every(({ status }) => status === 'Delivered');
  }, `${hook.path} having taken everything`);

/** Verifies a request with the official library at the time of the test clock. @throws WebhookVerificationError */
function verify(secret: string, { body, headers }: Pick<Received, 'body' | 'headers'>): any {
  vi.useFakeTimers({ toFake: ['Date'], now: app.clock.now() });
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    vi.useRealTimers();
  }
}

const isBelieved = (secret: string, request: Received): boolean => {
  try {
    return !!verify(secret, request);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
};

describe('the HTTP request of a webhook', () => {
  test('contains the event as the feed returns it, and a signature', async () => {
    const hook = await createHook();
    const { id } = await create(own, webframe({ metadata: { description: 'Café em Luanda — “à vista”' } }));
    const [request] = (await untilAt(hook, 1)) as [Received];
    const [event] = await readEventsOf(own, id);
    const { cursor: _cursor, ...eventBody } = event;
    expect(verify(hook.secret, request)).toEqual(eventBody);
    expect(request.json).toEqual(eventBody);
    expect(request).toMatchObject({ method: 'POST', path: hook.path });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(app.clock.now().getTime() / 1000)),
      'balcao-attempt': '1',
      'user-agent': 'Balcao/0.2.0',
    });
    for (const name of ['access-key', 'balcao-test', 'authorization']) expect(request.headers).not.toHaveProperty(name);
    const { json } = await own.call(`/api/webhooks/${hook.id}/deliveries`);
    expect(json.data[0].id).toBe(request.headers['balcao-delivery']);
  });

  test('contains every digit of the merchant’s numbers, as feed and stream do', async () => {
    const hook = await createHook(['payment.created']);
    const custom = '{"Ordem":12345678901234567890.10,"10":1e400,"2":"\\u2028"}';
    const body = `{"amount":1,"currency":"AOA","paymentType":"GPO","reference":"D1","metadata":{"custom":${custom}}}`;
    expect((await own.call('/api/payments', { body })).status).toBe(201);
    const [request] = (await untilAt(hook, 1)) as [Received];
    expect(isBelieved(hook.secret, request)).toBe(true);
    const stream = await openEvents(app, { token: fixture.token });
    await until(() => stream.events.length === 1, 'the event in the stream');
    stream.close();
    const { text: feed } = await own.call('/api/events');
    const { text: details } = await own.call(`/api/payments/${request.json.paymentId}`);
    const shown = /"customMetadata":(\{[^}]*\})/;
    const expected = shown.exec(details)?.[1];
    expect(expected).toContain('12345678901234567890.10');
    for (const text of [request.body, feed, stream.text()]) expect(shown.exec(text)?.[1]).toBe(expected);
  });

  test('has the event’s id as its message id, and a different signature for each webhook', async () => {
    const [one, two] = [await createHook(), await createHook()];
    await create(own, webframe());
    const [[first], [second]] = (await Promise.all([untilAt(one, 1), untilAt(two, 1)])) as [[Received], [Received]];
    expect(first.headers['webhook-id']).toBe(second.headers['webhook-id']);
    expect(first.body).toBe(second.body);
    expect(first.headers['balcao-delivery']).not.toBe(second.headers['balcao-delivery']);
    expect([isBelieved(one.secret, first), isBelieved(two.secret, second)]).toEqual([true, true]);
    expect([isBelieved(two.secret, first), isBelieved(one.secret, second)]).toEqual([false, false]);
  });
});

describe('a webhook', () => {
  test('receives only the event types that it selects', async () => {
    const hooks = {
      all: await createHook(),
      payments: await createHook(['payment.*']),
      canceled: await createHook(['payment.canceled']),
      references: await createHook(['reference.*']),
      some: await createHook(['reference.paid', 'payment.created']),
      terminals: await createHook(['terminal.*']),
    };
    const { id } = await create(own, webframe());
    await own.call(`/api/payments/${id}/cancel`, { method: 'POST' });
    const made = await createPayable(own);
    await pay(own, made);
    await until(async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'), 'its withdrawal');
    const all = (await readEvents(own)).map(({ type }) => type);
    await untilAt(hooks.all, all.length);
    const expected = (isWanted: (type: string) => boolean) => all.filter(isWanted).toSorted();
    const receivedTypes = async (hook: Hook, count: number) => (await untilAt(hook, count)) && typesAt(hook).toSorted();
    expect(await receivedTypes(hooks.all, all.length)).toEqual(all.toSorted());
    expect(await receivedTypes(hooks.payments, 4)).toEqual(expected((type) => type.startsWith('payment.')));
    expect(await receivedTypes(hooks.canceled, 1)).toEqual(['payment.canceled']);
    expect(await receivedTypes(hooks.references, 3)).toEqual(expected((type) => type.startsWith('reference.')));
    expect(await receivedTypes(hooks.some, 3)).toEqual(['payment.created', 'payment.created', 'reference.paid']);
    expect(at(hooks.terminals)).toEqual([]);
    const { json } = await own.call(`/api/webhooks/${hooks.terminals.id}/deliveries`);
    expect(json.totalItems).toBe(0);
  });

  test('receives an event if it selected the type at the time of the event', async () => {
    const hook = await createHook(['payment.created']);
    const { id } = await create(own, webframe());
    await untilAt(hook, 1);
    await own.call(`/api/webhooks/${hook.id}`, {
      method: 'PUT',
      body: { url: merchant.url + hook.path, types: ['payment.canceled'] },
    });
    await create(own, webframe());
    await own.call(`/api/payments/${id}/cancel`, { method: 'POST' });
    await untilAt(hook, 2);
    expect(typesAt(hook)).toEqual(['payment.created', 'payment.canceled']);
  });

  test('receives neither events before its creation nor events of another merchant', async () => {
    await create(own, webframe());
    const hook = await createHook();
    await create({ ...app, call: (await openCallbackFixture(app)).call }, webframe());
    const { id } = await create(own, webframe());
    await untilAt(hook, 1);
    expect(at(hook).map(({ json }) => json.paymentId)).toEqual([id]);
  });

  test('receives the events of a payment in order', async () => {
    const hook = await createHook(['payment.*', 'reference.*']);
    const made = await createPayable(own);
    await pay(own, made);
    await until(async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'), 'its withdrawal');
    const events = await readEventsOf(own, made.internalId);
    await untilAt(hook, events.length);
    expect(at(hook).map(({ json }) => json.id)).toEqual(events.map(({ id }) => id));
  });

  test('receives events about the delivery of callbacks', async () => {
    await fixture.setEndpoint(`${merchant.url}/callback`);
    answers['/callback'] = () => CONFIRMATION;
    const hook = await createHook(['callback.*']);
    await pay(own, await createPayable(own));
    const [told] = (await untilAt(hook, 1)) as [Received];
    expect(told.json).toMatchObject({ type: 'callback.delivered', data: { status: 'Paid' } });
    expect(merchant.requests.filter(({ path }) => path === '/callback')).toHaveLength(1);
  });
});

describe('a secret that a rotation replaced', () => {
  const rotate = async (hook: Hook, body?: object) =>
    (await own.call(`/api/webhooks/${hook.id}/rotate-secret`, { method: 'POST', ...(body && { body }) })).json;
  /** Returns for each secret whether the signature of the next event is valid for it. */
  async function believers(hook: Hook, secrets: string[]): Promise<boolean[]> {
    const before = at(hook).length;
    await create(own, webframe());
    await untilAt(hook, before + 1);
    await untilTaken(hook);
    const request = at(hook)[before] as Received;
    return secrets.map((secret) => isBelieved(secret, request));
  }

  test('signs together with the new one for 24 hours', async () => {
    const hook = await createHook(['payment.created']);
    const { secret: next, overlapUntil } = await rotate(hook);
    expect(overlapUntil).toBe(new Date(app.clock.now().getTime() + 24 * HOUR_MS).toISOString());
    expect(await believers(hook, [hook.secret, next])).toEqual([true, true]);
    app.clock.leap(24 * HOUR_MS - 1_000);
    expect(await believers(hook, [hook.secret, next])).toEqual([true, true]);
    await app.clock.advance(1_000);
    expect(await believers(hook, [hook.secret, next])).toEqual([false, true]);
  });

  test('does not sign a second attempt that happens after the overlap', async () => {
    const hook = await createHook(['payment.created']);
    answers[hook.path] = () => ({ status: 500 });
    await create(own, webframe());
    await untilAt(hook, 1);
    const { secret: next } = await rotate(hook, { overlapHours: 0 });
    answers[hook.path] = () => ({ status: 204 });
    await travelUntil(app, () => at(hook).length === 2, 'the second attempt');
    const [first, second] = at(hook) as [Received, Received];
    expect([isBelieved(hook.secret, first), isBelieved(next, second), isBelieved(hook.secret, second)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a webhook whose endpoint fails', () => {
  test('receives the same event again under the same message id', async () => {
    const hook = await createHook(['payment.created']);
    answers[hook.path] = () => ({ status: 500 });
    await create(own, webframe());
    const tries = async () => (await own.call(`/api/webhooks/${hook.id}/deliveries`)).json.data[0];
    const tried = await until(async () => ((await tries())?.lastAttempt ? tries() : null), 'an attempt being recorded');
    expect(tried).toMatchObject({ status: 'Pending', kind: 'webhook', type: 'payment.created', attemptsMade: 1 });
    answers[hook.path] = () => ({ status: 200, body: 'ok' });
    await travelUntil(app, async () => (await tries()).status === 'Delivered', 'its delivery');
    const [first, last] = [at(hook)[0], at(hook).at(-1)] as [Received, Received];
    expect(last.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(last.headers['balcao-attempt']).toBe('2');
    expect(last.body).toBe(first.body);
    expect(Number(last.headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']));
    expect(isBelieved(hook.secret, last)).toBe(true);
  });

  test('causes one event when its circuit opens and one when its circuit closes', async () => {
    const [broken, well] = [await createHook(), await createHook(['webhook.*'])];
    answers[broken.path] = () => ({ status: 500 });
    for (let nth = 0; nth < 5; nth++) await create(own, webframe());
    const [told] = (await untilAt(well, 1)) as [Received];
    await untilTaken(well);
    expect(told.json).toMatchObject({ type: 'webhook.endpoint_failing', paymentId: null, data: null });
    expect(told.json.details).toMatchObject({ endpointId: broken.id });
    // Failures after the opening cause no more events.
    const count = async () => (await app.sql('select from events where merchant_id = $1', [fixture.merchantId])).length;
    const before = await count();
    await until(async () => {
      await app.clock.advance(5_000);
      return at(broken).length >= 12;
    }, '12 attempts');
    expect(await count()).toBe(before);
    const { json } = await own.call(`/api/webhooks/${broken.id}/deliveries`);
    expect(json.totalItems).toBe(6);
    answers[broken.path] = () => ({ status: 204 });
    const hasHeard = () => typesAt(broken).includes('webhook.endpoint_recovered') && at(well).length === 2;
    await own.call('/api/callbacks/replay', { body: { status: 'Pending' } });
    await travelUntil(app, hasHeard, 'both being told that it works again');
    expect(typesAt(well)).toEqual(['webhook.endpoint_failing', 'webhook.endpoint_recovered']);
    expect(await count()).toBe(before + 1);
  });
});

test('a removed webhook receives nothing', async () => {
  const [gone, kept] = [await createHook(), await createHook()];
  answers[gone.path] = () => ({ status: 500 });
  await create(own, webframe());
  const read = () => app.sql('select status, tries from deliveries where endpoint_id = $1', [gone.id]);
  await until(async () => (await read())[0]?.tries === 1, 'its first attempt');
  await own.call(`/api/webhooks/${gone.id}`, { method: 'DELETE' });
  expect(await read()).toEqual([{ status: 'Skipped', tries: 1 }]);
  await untilTaken(kept);
  await app.clock.pass(60_000);
  await create(own, webframe());
  await untilAt(kept, 2);
  expect(at(gone)).toHaveLength(1);
});
