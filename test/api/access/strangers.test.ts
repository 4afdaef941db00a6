// Calls every path with another merchant's id. The response must be the same as for an unknown id.
import type { z } from 'zod';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../server/http/route.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { use } from '../../support/billing.ts';
import { addMember, type Member } from '../../support/members.ts';
import {
  bodyOf,
  DAYS,
  fill,
  guardedRoutes,
  idsOfNothing,
  makeOneOfEach,
  nameOf,
  readKept,
  type OneOfEach,
} from '../../support/one-of-each.ts';
import { purchase } from '../../support/payments.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';

let app: TestApp;
let demo: OneOfEach;
let other: Awaited<ReturnType<TestApp['addMerchant']>>;
let otherOwner: Member;
/** Tokens of another merchant's client and Owner. That merchant has the demo merchant's PPR entity. */
const otherTokens: Record<string, string> = {};

beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  other = await app.addMerchant({ entity: '00999' });
  otherOwner = await addMember(app, { merchantId: other.merchantId });
  Object.assign(otherTokens, { 'a system': other.token, 'an Owner': await otherOwner.token() });
  demo = await makeOneOfEach(app);
});

/** The published routes that need a token. */
const listTokenRoutes = () => guardedRoutes(app).filter(({ isHidden }) => !isHidden);
const listRoutesWithIds = () => listTokenRoutes().filter(({ path }) => path.includes('{'));
/** GET routes of a single object that return 200 in this fixture. */
const listSingleReads = () =>
  listRoutesWithIds().filter(
    ({ method, path }) => method === 'GET' && !/\/(open|close|qrcode)$|\/callback$/.test(path),
  );

/** The response without the request's id. */
const comparable = ({ status, headers, json }: Reply) => {
  const { instance: _, ...bodyWithoutId } = json ?? {};
  const HEADERS = ['content-type', 'www-authenticate', 'allow', 'location', 'idempotency-replayed', 'cache-control'];
  return { status, bodyWithoutId, headers: HEADERS.map((name) => headers.get(name)) };
};

/** Sends a request that would succeed with a token of the demo merchant. */
const send = (route: Route, known: Record<string, string>, token: string) => {
  const headers = { 'idempotency-key': randomUUID(), prefer: 'return=representation' };
  return app.call(fill(route.path, known), { method: route.method, token, headers, ...bodyOf(route, demo.ids) });
};

const upperCaseIds = () => Object.fromEntries(Object.entries(demo.ids).map(([name, id]) => [name, id.toUpperCase()]));

test('the fixture has one object of each kind, readable by its id in upper or lower case', async () => {
  const named = listRoutesWithIds().flatMap(({ path }) =>
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name)),
  );
  const { planId: _, ...ids } = demo.ids;
  expect(Object.keys(ids).toSorted()).toEqual([...new Set(named)].toSorted());
  const token = await demo.owner.token();
  expect(listSingleReads().length).toBeGreaterThan(10);
  for (const { path } of listSingleReads()) {
    const { status, text } = await app.call(fill(path, ids), { token });
    expect([path, status]).toEqual([path, 200]);
    // A terminal's id is the rail's text, so upper and lower case differ.
    if (path.includes('{posId}')) continue;
    const again = await app.call(fill(path, upperCaseIds()), { token });
    expect([path, again.status, again.text]).toEqual([path, 200, text]);
  }
});

describe.each(['a system', 'an Owner'])('another merchant’s token (%s)', (who) => {
  test('finds nothing by the demo merchant’s ids in upper or lower case, and changes nothing', async () => {
    const before = await readKept(app);
    const answers: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const route of listRoutesWithIds()) {
      if (route.access.kind === 'user' && who === 'a system') continue;
      const [missing, found, foundInCapitals] = [
        comparable(await send(route, idsOfNothing(demo.ids), otherTokens[who]!)),
        comparable(await send(route, demo.ids, otherTokens[who]!)),
        comparable(await send(route, upperCaseIds(), otherTokens[who]!)),
      ];
      answers[nameOf(route)] = [missing.status, found, foundInCapitals];
      expected[nameOf(route)] = [404, missing, missing];
    }
    expect(answers).toEqual(expected);
    expect(await readKept(app)).toEqual(before);
  });

  test('finds no payment by the digits of the demo merchant’s reference', async () => {
    const before = await readKept(app);
    const digits = demo.ids['pprReference']!;
    const known = { ...demo.ids, paymentId: digits, internalPaymentId: digits };
    const routes = listRoutesWithIds().filter(({ path }) => /\{(internalP|p)aymentId\}/.test(path));
    expect(routes.length).toBeGreaterThan(4);
    for (const route of routes) {
      const { status, json } = await send(route, known, otherTokens[who]!);
      expect([nameOf(route), status, json.code]).toEqual([nameOf(route), 404, 'not_found']);
    }
    expect(await readKept(app)).toEqual(before);
  });

  test('finds nothing of the demo merchant under the token’s own merchant id', async () => {
    const before = await readKept(app);
    const own = { ...demo.ids, merchantId: other.merchantId };
    const routes = listRoutesWithIds().filter(({ path }) => /\{merchantId\}.*\{/.test(path));
    expect(routes.length).toBeGreaterThan(2);
    for (const route of routes) {
      const { status, json } = await send(route, own, otherTokens[who]!);
      expect([nameOf(route), status, json.code]).toEqual([nameOf(route), 404, 'not_found']);
    }
    expect(await readKept(app)).toEqual(before);
  });

  test('finds nothing by the demo merchant’s ids in queries and bodies, nor in its own merchant’s lists', async () => {
    const token = otherTokens[who]!;
    const { merchantId, paymentId, pprReference } = demo.ids as Record<string, string>;
    const filters = { merchantId, merchant_id: merchantId, paymentId, reference: pprReference } as Record<
      string,
      string
    >;
    const isList = ({ method, path, isStream }: Route) => method === 'GET' && !path.includes('{') && !isStream;
    const lists = listTokenRoutes().filter(
      (route) => isList(route) && (who === 'an Owner' || route.access.kind === 'bearer'),
    );
    expect(lists.length).toBeGreaterThan(20);
    for (const { path, query: schema } of lists) {
      // A list endpoint refuses unknown filter values.
      const names = Object.keys((schema as z.ZodObject | undefined)?.shape ?? {});
      const known = Object.entries({ ...DAYS[path], ...filters }).filter(([name]) => names.includes(name));
      for (const query of [new URLSearchParams(), new URLSearchParams(known)]) {
        const { status, text } = await app.call(`${path}?${query}`, { token });
        const found = Object.keys(demo.ids).filter((name) => !SHARED_IDS.has(name) && text.includes(demo.ids[name]!));
        expect([path, found]).toEqual([path, []]);
        if (query.size > 0) expect([path, status]).toEqual([path, EMPTY_LISTS.has(path) ? 404 : 200]);
      }
    }
    for (const [path, body] of [
      ['/api/payments', purchase('923456780', { merchantId })],
      ['/api/billing/subscription', { planId: demo.ids['invoiceId'], merchantId }],
    ] as const) {
      const reply = await app.call(path, { method: path.endsWith('n') ? 'PUT' : 'POST', body, token });
      expect(reply.text).not.toContain(merchantId);
    }
    const [mine] = await app.sql('select count(*)::int as count from payments where merchant_id = $1', [merchantId]);
    // The demo merchant's payment and reference, and the payment of its settlement.
    expect(mine.count).toBe(3);
  });
});

test('every route returns 404 for text that is not an id', async () => {
  const before = await readKept(app);
  const none = ['x', '0', `${randomUUID()}0`, encodeURIComponent("' or true --"), '%00', '..%2f', '%27'];
  const [answers, expected]: [unknown[], unknown[]] = [[], []];
  for (const route of listRoutesWithIds()) {
    for (const id of none) {
      const known = Object.fromEntries(Object.keys(demo.ids).map((name) => [name, id]));
      const { status, json } = await send(route, known, otherTokens['an Owner']!);
      answers.push([nameOf(route), id, status, json?.code]);
      expected.push([nameOf(route), id, 404, 'not_found']);
    }
  }
  expect(answers).toEqual(expected);
  expect(await readKept(app)).toEqual(before);
});

test('another merchant can read neither the invoice as PDF nor the usage', async () => {
  const { merchantId, invoiceId } = demo.ids as Record<string, string>;
  await use(app, { merchantId: merchantId! }, app.clock.now().toISOString());
  const ask = (token: string | undefined, path: string, accept = 'application/json') =>
    app.call(`/api/billing/${path}`, { headers: { accept }, ...(token && { token }) });
  const usage = 'usage?from=2026-03-01';
  expect((await ask(undefined, usage)).json.totals.payments).toBe(1);
  expect((await ask(undefined, `invoices/${invoiceId}`, 'application/pdf')).status).toBe(200);
  for (const token of Object.values(otherTokens)) {
    expect((await ask(token, usage)).json.totals.payments).toBe(0);
    expect((await ask(token, 'subscription')).status).toBe(404);
    expect((await ask(token, `invoices/${invoiceId}`, 'application/pdf')).status).toBe(404);
  }
});

/** Values that several merchants may see: terminals, plans, and the date of a day. */
const SHARED_IDS = new Set(['posId', 'planId', 'day']);

/** List endpoints that return 404 while the list is empty. */
const EMPTY_LISTS = new Set(['/api/billing/subscription']);
