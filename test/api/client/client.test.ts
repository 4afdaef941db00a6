import { beforeAll, describe, expect, test } from 'vitest';
import { amountOf, amountText, Balcao, isBalcaoError } from '../../../packages/client/src/balcao.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { travelToStatus } from '../../support/payments.ts';
import { startReceiver, type ReceiverAnswer } from '../../support/receiver.ts';

let app: TestApp;
let balcao: Balcao;
beforeAll(async () => {
  app = await startTestApp();
  balcao = clientOf();
});

type Fetch = typeof fetch;
const clientOf = (changes: { url?: string; fetch?: Fetch; deadlineMs?: number; clientSecret?: string } = {}) =>
  new Balcao({ url: app.url, clientId: 'demo', clientSecret: 'demo-secret', ...changes });

const sale = (reference: string, phoneNumber?: string) =>
  ({
    amount: 1500.1,
    currency: 'AOA',
    paymentType: 'GPO',
    reference,
    ...(phoneNumber && { metadata: { paymentMethod: 'onetimepurchase' as const, phoneNumber } }),
  }) as const;

const errorCodeOf = (promise: PromiseLike<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (isBalcaoError(error) ? error.code : error),
  );

describe('a call of the client', () => {
  test('shares one access token with concurrent calls', async () => {
    const paths: string[] = [];
    const client = clientOf({
      fetch: (url, init) => {
        paths.push(new URL(String(url)).pathname);
        return fetch(url, init);
      },
    });
    await Promise.all(Array.from({ length: 5 }, () => client.billing.listPlans()));
    expect(paths.filter((path) => path === '/oauth/token')).toHaveLength(1);
    expect(paths).toHaveLength(6);
  });

  test('gets a new token after the old one expired or was refused', async () => {
    const server = await startReceiver();
    const tokens = [0, 3600, 3600].map((expires_in, nth) => ({ body: { access_token: `t${nth}`, expires_in } }));
    const answers: ReceiverAnswer[] = [{}, {}, { status: 401, body: { code: 'invalid_token' } }, {}];
    server.answerWith(({ path }) => (path === '/oauth/token' ? tokens : answers).shift()!);
    const client = clientOf({ url: server.url });
    for (let nth = 0; nth < 4; nth++) await errorCodeOf(client.billing.listPlans());
    const calls = server.requests.filter(({ path }) => path !== '/oauth/token');
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(
      ['t0', 't1', 't1', 't2'].map((t) => `Bearer ${t}`),
    );
  });

  test('is repeated with its idempotency key if the response is lost, and creates one payment', async () => {
    const keys: (string | null)[] = [];
    const client = clientOf({
      async fetch(url, init) {
        const response = await fetch(url, init);
        if (!String(url).endsWith('/api/payments')) return response;
        keys.push(new Headers(init?.headers).get('idempotency-key'));
        if (keys.length < 3) throw new TypeError('fetch failed');
        return response;
      },
    });
    const payment = await client.payments.create(sale('LOST-1'));
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect((await balcao.payments.list({ reference: 'LOST-1' })).data).toHaveLength(1);
    expect(payment.amount).toBe(1500.1);
  });

  test('returns one page of a list, or iterates over all pages', async () => {
    for (let nth = 0; nth < 3; nth++) await balcao.payments.create(sale('MANY'));
    const page = await balcao.payments.list({ reference: 'MANY', pageSize: 2 });
    expect([page.data.length, page.totalItems]).toEqual([2, 3]);
    const ids = new Set<string>();
    for await (const { internalId } of balcao.payments.list({ reference: 'MANY', pageSize: 2 })) ids.add(internalId);
    expect(ids.size).toBe(3);
    const types: string[] = [];
    for await (const { type, cursor } of balcao.events.list({ limit: 2 })) types.push(`${cursor} ${type}`);
    expect(types.length).toBeGreaterThan(2);
    expect(new Set(types).size).toBe(types.length);
  });

  test('returns the bytes of an image', async () => {
    const code = await balcao.payments.create({ ...sale('CODE-1'), metadata: { paymentMethod: 'qrcode' } });
    const image = await balcao.payments.getCode((code as { internalId: string }).internalId);
    expect(new TextDecoder().decode(image.slice(1, 4))).toBe('PNG');
  });

  test('is not sent if an id would change the path of the request', async () => {
    expect(() => balcao.payments.get('..')).toThrow(TypeError);
    expect(await errorCodeOf(balcao.payments.get('../merchants'))).toBe('not_found');
  });
});

describe('an error of the client', () => {
  test('has the fields of the problem and the id of the request', async () => {
    const error = await balcao.payments.create({ ...sale('ação?'), currency: 'kwanza' }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!isBalcaoError(error) || error.code !== 'validation_failed') throw error;
    const [first, ...others]: [{ pointer: string }, ...{ pointer: string }[]] = error.errors;
    expect([first, ...others].map(({ pointer }) => pointer).sort()).toEqual(['/currency', '/reference']);
    expect(error).toMatchObject({ name: 'BalcaoError', status: 400, requestId: expect.stringMatching(/./) });
    expect(error.message).toContain(`(${error.errors[0].pointer}: ${error.errors[0].message})`);
  });

  test.each([
    [{ url: undefined }, 'url must be the gateway'],
    [{ url: 'localhost:8080' }, 'url must be the gateway'],
    [{ url: 'pay.example' }, 'url must be the gateway'],
    [{ url: '' }, 'url must be the gateway'],
    [{ clientId: undefined }, 'clientId is missing'],
    [{ clientSecret: '' }, 'clientSecret is missing'],
  ])('is thrown by the constructor and names the wrong option: %j', (wrong, reason) => {
    expect(() => clientOf(wrong as object)).toThrow(reason);
  });

  test('is thrown by every waiting call if the gateway refuses the connection', async () => {
    const gone = await startReceiver();
    await gone.stop();
    const client = clientOf({ url: gone.url, deadlineMs: 600 });
    const errors = await Promise.all(
      [600, 300].map((deadlineMs) => client.billing.listPlans({ deadlineMs }).then(null, (error: unknown) => error)),
    );
    for (const error of errors) expect(String(error)).toContain('ECONNREFUSED');
  });

  test('has the code of the token endpoint if the secret is wrong', async () => {
    expect(await errorCodeOf(clientOf({ clientSecret: 'another' }).billing.listPlans())).toBe('invalid_client');
  });
});

describe('a retry of the client', () => {
  const TOKEN: ReceiverAnswer = { body: { access_token: 't', expires_in: 3600 } };
  const refusal = (status: number, code: string): ReceiverAnswer => ({
    status,
    body: { code },
    headers: { 'retry-after': '0' },
  });

  async function countRequests(first: ReceiverAnswer, call: (client: Balcao) => PromiseLike<unknown>) {
    const server = await startReceiver();
    let requestCount = 0;
    server.answerWith(({ path }) =>
      path === '/oauth/token' ? TOKEN : ++requestCount === 1 ? first : { body: { data: [] } },
    );
    const outcome = await errorCodeOf(call(clientOf({ url: server.url })));
    const keys = new Set(server.requests.slice(1).map(({ headers }) => headers['idempotency-key']));
    return { requestCount, outcome, keys: keys.size };
  }
  const create = (client: Balcao) => client.payments.create(sale('R'));
  const createWebhook = (client: Balcao) => client.webhooks.create({ url: 'https://shop.example/' });

  test.each([
    ['a dropped connection', 'drop' as ReceiverAnswer],
    ['429', refusal(429, 'rate_limited')],
    ['503', refusal(503, 'service_unavailable')],
    ['409 idempotency_in_progress', refusal(409, 'idempotency_in_progress')],
    ['500', refusal(500, 'internal_error')],
    [
      'a proxy’s 502',
      { status: 502, body: '<h1>Bad Gateway</h1>', headers: { 'content-type': 'text/html' } } as ReceiverAnswer,
    ],
    ['a proxy’s 504', { status: 504, body: '', headers: { 'retry-after': '0' } } as ReceiverAnswer],
  ])('follows %s with the same request', async (_name, first) => {
    expect(await countRequests(first, create)).toEqual({ requestCount: 2, outcome: 'answered', keys: 1 });
  });

  test.each([
    [409, 'reference_in_flight'],
    [401, 'invalid_token'],
  ])('does not follow %i %s', async (status, code) => {
    expect(await countRequests(refusal(status, code), create)).toEqual({ requestCount: 1, outcome: code, keys: 1 });
  });

  test('without an idempotency key follows only a request that the gateway did not accept', async () => {
    expect(await countRequests('drop', createWebhook)).toMatchObject({ requestCount: 1, outcome: 'connection_failed' });
    expect(await countRequests(refusal(500, 'internal_error'), createWebhook)).toMatchObject({ requestCount: 1 });
    expect(await countRequests(refusal(429, 'rate_limited'), createWebhook)).toMatchObject({ requestCount: 2 });
  });

  test('does not wait beyond the deadline, which also ends a call without a response', async () => {
    const later: ReceiverAnswer = { status: 429, body: { code: 'rate_limited' }, headers: { 'retry-after': '60' } };
    expect(await countRequests(later, create)).toMatchObject({ requestCount: 1, outcome: 'rate_limited' });
    const hung = (client: Balcao) => client.payments.create(sale('R'), { deadlineMs: 100 });
    expect(await countRequests('hang', hung)).toMatchObject({ outcome: 'deadline_exceeded' });
  });

  const soon = { 'retry-after': '0' };
  const list = (client: Balcao) => client.billing.listPlans();
  const html = { 'content-type': 'text/html' };

  test.each<[string, ReceiverAnswer, (client: Balcao) => PromiseLike<unknown>]>([
    ['a proxy’s page', { body: '<h1>Welcome</h1>', headers: html }, list],
    ['half a response', { body: '{"data":', headers: { 'content-type': 'application/json' } }, list],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, list],
    [
      'a page instead of an event stream',
      { body: '<h1>Welcome</h1>', headers: html },
      (client) => client.events.stream().next(),
    ],
  ])('does not follow %s', async (_name, first, call) => {
    expect(await countRequests(first, call)).toMatchObject({ requestCount: 1, outcome: 'unexpected_answer' });
  });

  test('waits longer each time although each response allows an immediate retry', async () => {
    const server = await startReceiver();
    server.answerWith(({ path }) => (path === '/oauth/token' ? TOKEN : { status: 503, headers: soon }));
    const client = clientOf({ url: server.url, deadlineMs: 500 });
    expect(await errorCodeOf(list(client))).not.toBe('answered');
    expect(server.requests.length).toBeLessThan(6);
  });

  test('follows a Retry-After that is a date, and works with a deadline of any length', async () => {
    const inAnHour = { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() };
    expect(await countRequests({ status: 503, headers: inAnHour }, list)).toMatchObject({ requestCount: 1 });
    for (const deadlineMs of [2 ** 40, Infinity])
      expect(await errorCodeOf(balcao.billing.listPlans({ deadlineMs }))).toBe('answered');
  });

  test('follows a token request that never ended', async () => {
    let requestCount = 0;
    const client = clientOf({
      deadlineMs: 50,
      async fetch(url) {
        if (!String(url).endsWith('/oauth/token')) return Response.json({ data: [] });
        return ++requestCount === 1 ? new Promise(() => {}) : Response.json({ access_token: 't', expires_in: 3600 });
      },
    });
    expect(await errorCodeOf(client.billing.listPlans({ deadlineMs: 150 }))).toBe('deadline_exceeded');
    expect(await errorCodeOf(client.billing.listPlans({ deadlineMs: 30_000 }))).toBe('answered');
    expect(requestCount).toBe(2);
  });

  test('does not follow an abort by the caller', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(balcao.payments.create(sale('R'), { signal })).rejects.toThrow('enough');
  });
});

describe('the client', () => {
  test('returns the paid payment from waitUntilPaid, or throws if it cannot be paid', async () => {
    const [paid, refused] = await Promise.all([
      balcao.payments.create(sale('WAIT-1', '900000000')),
      balcao.payments.create(sale('WAIT-2', '900000001')),
    ]);
    const waiting = balcao.payments.waitUntilPaid(paid.internalId);
    await travelToStatus(app, paid.internalId, 'Paid');
    await travelToStatus(app, refused.internalId, 'Failed');
    expect(await waiting).toMatchObject({ internalId: paid.internalId, status: 'Paid' });
    expect(await errorCodeOf(balcao.payments.waitUntilPaid(refused.internalId))).toBe('payment_ended');
    const open = await balcao.payments.create(sale('WAIT-3'));
    expect(await errorCodeOf(balcao.payments.waitUntilPaid(open.internalId, { deadlineMs: 50 }))).toBe(
      'deadline_exceeded',
    );
  });

  test('continues the event stream after an interruption', async () => {
    const { next: after } = await balcao.events.list({ after: 'now' });
    const cuts: AbortController[] = [];
    const client = clientOf({
      fetch(url, init) {
        if (!String(url).includes('/stream')) return fetch(url, init);
        const cut = new AbortController();
        cuts.push(cut);
        return fetch(url, { ...init, signal: AbortSignal.any([cut.signal, init!.signal!]) });
      },
    });
    const stop = new AbortController();
    const received: string[] = [];
    const reading = (async () => {
      for await (const { paymentId } of client.events.stream({ after, signal: stop.signal })) received.push(paymentId!);
    })();
    const first = await balcao.payments.create(sale('STREAM-1'));
    await until(async () => received.length === 1, 'the first event');
    cuts[0]!.abort();
    const second = await balcao.payments.create(sale('STREAM-2'));
    await until(async () => received.length === 2, 'the second event');
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(received).toEqual([first.internalId, second.internalId]);
    expect(cuts).toHaveLength(2);
  });
});

test('`amountText` and `amountOf` convert amounts between numbers and exact strings', () => {
  expect([1500, 0.1, 9_999_999.99].map(amountText)).toEqual(['1500.00', '0.10', '9999999.99']);
  expect(['1500', '0.1', '9999999.99'].map(amountOf)).toEqual([1500, 0.1, 9_999_999.99]);
  for (const wrong of [0.001, NaN, Infinity, 2 ** 53]) expect(() => amountText(wrong)).toThrow(RangeError);
  for (const wrong of ['', '1,5', '1e3', '0.001', '0x10']) expect(() => amountOf(wrong)).toThrow(RangeError);
});
