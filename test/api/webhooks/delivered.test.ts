// Webhooks as a receiver sees them: signed so that the official library believes them, of the chosen types, again until taken.
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { openEvents, readEvents, readEventsOf } from '../../support/events.ts';
import { create, travelUntil, webframe } from '../../support/payments.ts';
import { createPayable, pay, readSteps } from '../../support/ppr.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Received, type Receiver, type Say } from '../../support/receiver.ts';

const HOUR_MS = 3_600_000;

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
/** The app, called as the shop. */
let own: TestApp;
/** What each path's requests are answered; 204 unless said. */
let answers: Record<string, Say>;
beforeAll(async () => {
  merchant = await startReceiver();
  app = await startTestApp({ env: RECEIVER_ENV });
});
beforeEach(async () => {
  shop = await openShop(app);
  own = { ...app, call: shop.call };
  merchant.requests.length = 0;
  answers = {};
  merchant.say((request, nth) => answers[request.path]?.(request, nth) ?? { status: 204 });
});
// What still fails would come again in the next test's time.
afterEach(() => app.sql('update endpoints set deleted_at = $1 where deleted_at is null', [app.clock.now()]));
afterAll(async () => {
  vi.useRealTimers();
});

type Hook = { id: string; secret: string; path: string };
let serial = 0;

/** A webhook at a path of its own. */
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

/** All that was sent to it is recorded as taken: only then may the clock move, or an attempt would lose its lease. */
const untilTaken = (hook: Hook) =>
  until(async () => {
    const rows = await app.sql('select status from deliveries where endpoint_id = $1', [hook.id]);
    return rows.length > 0 && rows.every(({ status }) => status === 'Delivered');
  }, `${hook.path} having taken everything`);

/** What the official library makes of a request, at the time of the test's clock. @throws WebhookVerificationError */
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

describe('a request', () => {
  test('is the event as the feed shows it, signed', async () => {
    const hook = await createHook();
    const { id } = await create(own, webframe({ metadata: { description: 'Café em Luanda — “à vista”' } }));
    const [request] = (await untilAt(hook, 1)) as [Received];
    const [event] = await readEventsOf(own, id);
    const { cursor: _cursor, ...told } = event;
    expect(verify(hook.secret, request)).toEqual(told);
    expect(request.json).toEqual(told);
    expect(request).toMatchObject({ method: 'POST', path: hook.path });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(app.clock.now().getTime() / 1000)),
      'balcao-attempt': '1',
      'user-agent': 'Balcao/0.1.0',
    });
    for (const name of ['access-key', 'balcao-test', 'authorization']) expect(request.headers).not.toHaveProperty(name);
    const { json } = await own.call(`/api/webhooks/${hook.id}/deliveries`);
    expect(json.data[0].id).toBe(request.headers['balcao-delivery']);
  });

  test('that was touched is not believed: body, id, time, secret', async () => {
    const hook = await createHook();
    await create(own, webframe());
    const [request] = (await untilAt(hook, 1)) as [Received];
    const { body, headers } = request;
    expect(isBelieved(hook.secret, request)).toBe(true);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    for (const touched of [
      { ...request, body: body.replace('Pending', 'Paid') },
      { ...request, body: `${body} ` },
      { ...request, headers: { ...headers, 'webhook-id': 'another' } },
      { ...request, headers: { ...headers, 'webhook-timestamp': later } },
    ])
      expect(isBelieved(hook.secret, touched)).toBe(false);
    const other = await createHook();
    expect(isBelieved(other.secret, request)).toBe(false);
  });

  test('has every digit of the merchant’s own numbers, as feed and stream have', async () => {
    const hook = await createHook(['payment.created']);
    const custom = '{"Ordem":12345678901234567890.10,"10":1e400,"2":"\\u2028"}';
    const body = `{"amount":1,"currency":"AOA","paymentType":"GPO","reference":"D1","metadata":{"custom":${custom}}}`;
    expect((await own.call('/api/payments', { body })).status).toBe(201);
    const [request] = (await untilAt(hook, 1)) as [Received];
    expect(isBelieved(hook.secret, request)).toBe(true);
    const stream = await openEvents(app, { token: shop.token });
    await until(() => stream.events.length === 1, 'the event in the stream');
    stream.close();
    const { text: feed } = await own.call('/api/events');
    const { text: details } = await own.call(`/api/payments/${request.json.paymentId}`);
    const shown = /"customMetadata":(\{[^}]*\})/;
    const expected = shown.exec(details)?.[1];
    expect(expected).toContain('12345678901234567890.10');
    for (const text of [request.body, feed, stream.text()]) expect(shown.exec(text)?.[1]).toBe(expected);
  });

  test('of two webhooks has one event’s id, and each its own signature', async () => {
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

describe('the types', () => {
  test('chosen are told, and no others', async () => {
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
    const told = async (hook: Hook, count: number) => (await untilAt(hook, count)) && typesAt(hook).toSorted();
    expect(await told(hooks.all, all.length)).toEqual(all.toSorted());
    expect(await told(hooks.payments, 4)).toEqual(expected((type) => type.startsWith('payment.')));
    expect(await told(hooks.canceled, 1)).toEqual(['payment.canceled']);
    expect(await told(hooks.references, 3)).toEqual(expected((type) => type.startsWith('reference.')));
    expect(await told(hooks.some, 3)).toEqual(['payment.created', 'payment.created', 'reference.paid']);
    expect(at(hooks.terminals)).toEqual([]);
    // Whoever did not want them has no delivery of them either.
    const { json } = await own.call(`/api/webhooks/${hooks.terminals.id}/deliveries`);
    expect(json.totalItems).toBe(0);
  });

  test('are those of the moment the event happened', async () => {
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

  test('what happened before it was made is not told, nor another merchant’s', async () => {
    await create(own, webframe());
    const hook = await createHook();
    await create({ ...app, call: (await openShop(app)).call }, webframe());
    const { id } = await create(own, webframe());
    await untilAt(hook, 1);
    expect(at(hook).map(({ json }) => json.paymentId)).toEqual([id]);
  });

  test('of a payment come in their order', async () => {
    const hook = await createHook(['payment.*', 'reference.*']);
    const made = await createPayable(own);
    await pay(own, made);
    await until(async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'), 'its withdrawal');
    const events = await readEventsOf(own, made.internalId);
    await untilAt(hook, events.length);
    expect(at(hook).map(({ json }) => json.id)).toEqual(events.map(({ id }) => id));
  });

  test('a webhook tells of callbacks, and callbacks go their own way', async () => {
    await shop.setEndpoint(`${merchant.url}/callback`);
    answers['/callback'] = () => TAKEN;
    const hook = await createHook(['callback.*']);
    await pay(own, await createPayable(own));
    const [told] = (await untilAt(hook, 1)) as [Received];
    expect(told.json).toMatchObject({ type: 'callback.delivered', data: { status: 'Paid' } });
    expect(merchant.requests.filter(({ path }) => path === '/callback')).toHaveLength(1);
  });
});

describe('a secret that is replaced', () => {
  const rotate = async (hook: Hook, body?: object) =>
    (await own.call(`/api/webhooks/${hook.id}/rotate-secret`, { method: 'POST', ...(body && { body }) })).json;
  /** Who believes the next event. */
  async function believers(hook: Hook, secrets: string[]): Promise<boolean[]> {
    const before = at(hook).length;
    await create(own, webframe());
    await untilAt(hook, before + 1);
    await untilTaken(hook);
    const request = at(hook)[before] as Received;
    return secrets.map((secret) => isBelieved(secret, request));
  }

  test('is believed beside the new one for a day, and then no more', async () => {
    const hook = await createHook(['payment.created']);
    const { secret: next, overlapUntil } = await rotate(hook);
    expect(overlapUntil).toBe(new Date(app.clock.now().getTime() + 24 * HOUR_MS).toISOString());
    expect(await believers(hook, [hook.secret, next])).toEqual([true, true]);
    app.clock.leap(24 * HOUR_MS - 1_000);
    expect(await believers(hook, [hook.secret, next])).toEqual([true, true]);
    await app.clock.advance(1_000);
    expect(await believers(hook, [hook.secret, next])).toEqual([false, true]);
  });

  test('is over at once when asked so', async () => {
    const hook = await createHook(['payment.created']);
    const { secret: next } = await rotate(hook, { overlapHours: 0 });
    expect(await believers(hook, [hook.secret, next])).toEqual([false, true]);
  });

  test('twice: all three for as long as each was promised', async () => {
    const hook = await createHook(['payment.created']);
    const { secret: second } = await rotate(hook, { overlapHours: 1 });
    const { secret: third } = await rotate(hook, { overlapHours: 3 });
    const all = [hook.secret, second, third];
    expect(await believers(hook, all)).toEqual([true, true, true]);
    app.clock.leap(HOUR_MS);
    expect(await believers(hook, all)).toEqual([false, true, true]);
    app.clock.leap(2 * HOUR_MS);
    expect(await believers(hook, all)).toEqual([false, false, true]);
  });

  test('signs what is repeated with what is valid then', async () => {
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

describe('a receiver that does not take it', () => {
  test.each([
    ['500', { status: 500 }],
    ['404', { status: 404 }],
    ['302', { status: 302, headers: { location: '/elsewhere' } }],
    ['cut', 'drop'],
  ] as const)('%s: is asked again, with the same event under the same id', async (_name, said) => {
    const hook = await createHook(['payment.created']);
    answers[hook.path] = () => said;
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
    expect(merchant.requests.filter(({ path }) => path === '/elsewhere')).toEqual([]);
  });

  test.each([200, 201, 202, 204, 299])('any 2xx takes it, whatever it says: %i', async (status) => {
    const hook = await createHook(['payment.created']);
    answers[hook.path] = () => ({ status, ...(status !== 204 && { body: { Success: false } }) });
    await create(own, webframe());
    await until(
      async () => (await own.call(`/api/webhooks/${hook.id}/deliveries`)).json.data[0]?.status === 'Delivered',
      'its delivery',
    );
  });

  test('410 is not asked again', async () => {
    const hook = await createHook(['payment.created']);
    answers[hook.path] = () => ({ status: 410 });
    await create(own, webframe());
    const read = async () => (await own.call(`/api/webhooks/${hook.id}/deliveries`)).json.data[0];
    await until(async () => (await read())?.status === 'Abandoned', 'it being given up');
    expect(await read()).toMatchObject({ nextAttemptAt: null, attemptsMade: 1 });
  });

  test('for long is told of once, also to itself, and nothing goes round', async () => {
    const [broken, well] = [await createHook(), await createHook(['webhook.*'])];
    answers[broken.path] = () => ({ status: 500 });
    for (let nth = 0; nth < 5; nth++) await create(own, webframe());
    const [told] = (await untilAt(well, 1)) as [Received];
    await untilTaken(well);
    expect(told.json).toMatchObject({ type: 'webhook.endpoint_failing', paymentId: null, data: null });
    expect(told.json.details).toMatchObject({ endpointId: broken.id });
    // However often it fails after that, no more events come of it.
    const count = async () => (await app.sql('select from events where merchant_id = $1', [shop.merchantId])).length;
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

test('a webhook that was removed hears nothing more', async () => {
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
