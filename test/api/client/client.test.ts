import { beforeAll, describe, expect, test } from 'vitest';
import { amountOf, amountText, Balcao, isBalcaoError } from '../../../packages/client/src/balcao.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
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

  test('returns the bytes of an image', async () => {
    const code = await balcao.payments.create({ ...sale('CODE-1'), metadata: { paymentMethod: 'qrcode' } });
    const image = await balcao.payments.getCode((code as { internalId: string }).internalId);
    expect(new TextDecoder().decode(image.slice(1, 4))).toBe('PNG');
  });
});

describe('an error of the client', () => {
  test('has the id of the request', async () => {
    const error = await balcao.payments.get('x').then(null, (thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'BalcaoError', status: 404, requestId: expect.stringMatching(/./) });
  });

  test('is thrown by every waiting call if the gateway refuses the connection', async () => {
    const client = clientOf({ url: `http://127.0.0.1:${await freePort()}`, deadlineMs: 2000 });
    const errors = await Promise.all(
      [2000, 1000].map((deadlineMs) => client.billing.listPlans({ deadlineMs }).then(null, (error: unknown) => error)),
    );
    for (const error of errors) expect(String(error)).toContain('ECONNREFUSED');
  });
});

describe('a retry of the client', () => {
  const TOKEN: ReceiverAnswer = { body: { access_token: 't', expires_in: 3600 } };
  async function countRequests(first: ReceiverAnswer, call: (client: Balcao) => PromiseLike<unknown>) {
    const server = await startReceiver();
    let requestCount = 0;
    server.answerWith(({ path }) =>
      path === '/oauth/token' ? TOKEN : ++requestCount === 1 ? first : { body: { data: [] } },
    );
    const outcome = await errorCodeOf(call(clientOf({ url: server.url })));
    return { requestCount, outcome };
  }
  const soon = { 'retry-after': '0' };
  const list = (client: Balcao) => client.billing.listPlans();
  const html = { 'content-type': 'text/html' };

  test.each<[string, ReceiverAnswer, (client: Balcao) => PromiseLike<unknown>]>([
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
