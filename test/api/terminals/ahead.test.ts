// GET requests change the state of terminals, so prefetches, HEAD requests and caches must not trigger them.
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../server/config.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  openTerminalFixture,
  startScriptedTerminals,
  type TerminalRail,
  type TerminalFixture,
} from '../../support/terminals.ts';

let app: TestApp;
let rail: TerminalRail;
let fixture: TerminalFixture;
beforeAll(async () => {
  rail = await startScriptedTerminals();
  app = await startTestApp({
    env: { ...rail.env, RATE_LIMIT_TERMINAL: '20', RATE_LIMIT_READ: '2', RATE_LIMIT_WRITE: '1' },
  });
});

const ACTIONS = ['', 'open', 'close'];
const PREFETCHES = [
  ['Purpose', 'prefetch'],
  ['Sec-Purpose', 'prefetch'],
  ['Sec-Purpose', 'prefetch;prerender'],
  ['sec-purpose', 'Prefetch; anonymous-client-ip'],
  ['Purpose', 'PREFETCH'],
  ['X-Moz', 'prefetch'],
  ['X-Purpose', 'preview'],
] as const;
const sendHead = (path: string, token: string) =>
  fetch(app.url + path, { method: 'HEAD', headers: { authorization: `Bearer ${token}` } });
const leftOf = (headers: Headers) => Number(/^"terminal";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

describe.each(ACTIONS)('GET /api/terminals/{posId}/%s', (action) => {
  beforeAll(async () => {
    fixture = await openTerminalFixture(app);
  });

  test('returns 400 to a prefetch and does not call the rail, and the request counts for the rate limit', async () => {
    for (const [name, value] of PREFETCHES) {
      const reply = await fixture.call(action, { headers: { [name]: value } });
      expect(reply, `${name}: ${value}`).toMatchObject({ status: 400, json: { code: 'prefetch_refused' } });
      expect(leftOf(reply.headers)).toBeLessThan(20);
    }
    expect(rail.callsTo(fixture.posId)).toEqual([]);
    expect(await fixture.row()).toBeUndefined();
  });

  test('returns 401 to a prefetch without a token', async () => {
    const headers = { purpose: 'prefetch' };
    expect((await app.call(`/api/terminals/${fixture.posId}`, { token: null, headers })).status).toBe(401);
  });

  test('returns 405 to HEAD, which changes nothing and does not count for the rate limit', async () => {
    const reply = await sendHead(`/api/terminals/${fixture.posId}${action && `/${action}`}`, fixture.token);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET');
    expect(reply.headers.has('ratelimit')).toBe(false);
    expect(rail.callsTo(fixture.posId)).toEqual([]);
    expect(await fixture.row()).toBeUndefined();
  });

  test('returns Cache-Control: no-store', async () => {
    const reply = await fixture.call(action);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.has('etag')).toBe(false);
  });

  test('serves requests whose Sec-Purpose is not prefetch', async () => {
    expect(
      (await fixture.call(action, { headers: { 'sec-purpose': 'navigate', purpose: 'not-prefetch' } })).status,
    ).toBe(200);
  });
});

test('HEAD is accepted by other operations', async () => {
  expect((await sendHead('/api/payments', await app.token())).status).toBe(200);
});

describe('the rate limit of terminal operations', () => {
  test('is 1000 requests a minute by default', () => {
    expect(readConfig({}).RATE_LIMIT_TERMINAL).toBe(1000);
  });

  test('counts the three operations separately from reads and writes', async () => {
    const { token, call } = await openTerminalFixture(app);
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

  test('still accepts requests if the limits of reads and writes are used up', async () => {
    const { token, call } = await openTerminalFixture(app);
    for (let nth = 0; nth < 3; nth++) {
      await app.call('/api/payments', { token });
      await app.call('/api/payments', { token, body: {} });
    }
    expect((await app.call('/api/payments', { token })).status).toBe(429);
    expect(leftOf((await call('')).headers)).toBe(19);
  });
});
