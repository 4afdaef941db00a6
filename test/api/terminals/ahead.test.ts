// GETs that change state: never cached, never reached by HEAD, never asked ahead of a person; and counted by themselves.
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../server/config.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openTill, startScriptedTerminals, type TerminalRail, type Till } from '../../support/terminals.ts';

let app: TestApp;
let rail: TerminalRail;
let till: Till;
beforeAll(async () => {
  rail = await startScriptedTerminals();
  app = await startTestApp({
    env: { ...rail.env, RATE_LIMIT_TERMINAL: '20', RATE_LIMIT_READ: '2', RATE_LIMIT_WRITE: '1' },
  });
});

const ACTIONS = ['', 'open', 'close'];
const sendHead = (path: string, token: string) =>
  fetch(app.url + path, { method: 'HEAD', headers: { authorization: `Bearer ${token}` } });
const leftOf = (headers: Headers) => Number(/^"terminal";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

describe.each(ACTIONS)('“%s”', (action) => {
  beforeAll(async () => {
    till = await openTill(app);
  });

  test.each([
    ['Purpose', 'prefetch'],
    ['Sec-Purpose', 'prefetch'],
    ['Sec-Purpose', 'prefetch;prerender'],
    ['sec-purpose', 'Prefetch; anonymous-client-ip'],
    ['Purpose', 'PREFETCH'],
    ['X-Moz', 'prefetch'],
    ['X-Purpose', 'preview'],
  ])('%s: %s is refused before anything happens, and counted', async (name, value) => {
    const reply = await till.call(action, { headers: { [name]: value } });
    expect(reply).toMatchObject({ status: 400, json: { code: 'prefetch_refused' } });
    expect(leftOf(reply.headers)).toBeLessThan(20);
    expect(rail.asked(till.posId)).toEqual([]);
    expect(await till.row()).toBeUndefined();
  });

  test('a prefetch without a token is told nothing but that', async () => {
    const headers = { purpose: 'prefetch' };
    expect((await app.call(`/api/terminals/${till.posId}`, { token: null, headers })).status).toBe(401);
  });

  test('HEAD is 405 with Allow: GET, without effect or count', async () => {
    const reply = await sendHead(`/api/terminals/${till.posId}${action && `/${action}`}`, till.token);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET');
    expect(reply.headers.has('ratelimit')).toBe(false);
    expect(rail.asked(till.posId)).toEqual([]);
    expect(await till.row()).toBeUndefined();
  });

  test('nor may anything else be sent there, and nobody is told of HEAD', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const reply = await till.call(action, { method });
      expect(reply).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } });
      expect(reply.headers.get('allow')).toBe('GET');
    }
    expect((await till.call(action, { method: 'OPTIONS' })).headers.get('allow')).toBe('GET');
  });

  test('no answer is kept by anybody', async () => {
    const reply = await till.call(action);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.has('etag')).toBe(false);
  });

  test('other purposes are nobody’s business', async () => {
    expect((await till.call(action, { headers: { 'sec-purpose': 'navigate', purpose: 'not-prefetch' } })).status).toBe(
      200,
    );
  });

  test('the document says all that', async () => {
    const { json } = await app.call('/openapi.json', { token: null });
    const { responses, parameters } = json.paths[`/api/terminals/{posId}${action && `/${action}`}`].get;
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '404', '405', '429', '503']),
    );
    expect(responses[400].description).toContain('prefetch_refused');
    expect(responses[405].description).toContain('HEAD');
    expect(responses[503].headers['Retry-After']).toBeDefined();
    expect(parameters.map(({ name }: { name: string }) => name)).toContain('Prefer');
  });
});

test('HEAD of an ordinary GET is still answered', async () => {
  expect((await sendHead('/api/payments', await app.token())).status).toBe(200);
});

describe('the terminal’s bucket', () => {
  test('is 1000 a minute unless configured', () => {
    expect(readConfig({}).RATE_LIMIT_TERMINAL).toBe(1000);
  });

  test('takes the three calls and nothing else, and nothing else takes them', async () => {
    const { token, call } = await openTill(app);
    const lefts: number[] = [];
    for (let nth = 0; nth < 20; nth++) {
      const reply = await call(ACTIONS[nth % 3]);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('ratelimit-policy')).toBe('"terminal";q=20;w=60');
      lefts.push(leftOf(reply.headers));
    }
    expect(lefts).toEqual(Array.from({ length: 20 }, (_, nth) => 19 - nth));
    for (const action of ACTIONS) {
      const reply = await call(action);
      expect(reply).toMatchObject({ status: 429, json: { code: 'too_many_requests' } });
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    const read = () => app.call('/api/payments', { token });
    const write = () => app.call('/api/payments', { token, body: {} });
    expect((await Promise.all([read(), read(), read()])).map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    expect((await Promise.all([write(), write()])).map(({ status }) => status).sort()).toEqual([400, 429]);
  });

  test('is full for whoever used up the others', async () => {
    const { token, call } = await openTill(app);
    for (let nth = 0; nth < 3; nth++) {
      await app.call('/api/payments', { token });
      await app.call('/api/payments', { token, body: {} });
    }
    expect((await app.call('/api/payments', { token })).status).toBe(429);
    expect(leftOf((await call('')).headers)).toBe(19);
  });
});
