// Who may see and change a merchant's billing: tokens, scopes, other merchants, methods.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../shared/scopes.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { addPlan, choose, endMonth, untilInvoices, untilIssued, use } from '../support/billing.ts';
import { openShop, type Shop } from '../support/callbacks.ts';
import { sendRaw } from '../support/raw.ts';

let app: TestApp;
let shop: Shop;
let stranger: Shop;
let planId: string;
let invoiceId: string;
beforeAll(async () => {
  app = await startTestApp();
  [shop, stranger] = [await openShop(app), await openShop(app)];
  planId = await addPlan(app);
  await choose(shop, planId);
  await use(app, shop, app.clock.now().toISOString());
  endMonth(app);
  invoiceId = (await untilInvoices(app, shop, 1))[0].id;
  // With the demo merchant's nothing more is to come.
  await untilIssued(app, 2);
});
afterAll(() => app?.stop());

const CALLS = [
  { method: 'GET', path: '/api/billing/plans', scope: 'billing:read' },
  { method: 'GET', path: '/api/billing/subscription', scope: 'billing:read' },
  { method: 'PUT', path: '/api/billing/subscription', scope: 'billing:write' },
  { method: 'GET', path: '/api/billing/usage', scope: 'billing:read' },
  { method: 'GET', path: '/api/billing/invoices', scope: 'billing:read' },
  { method: 'GET', path: '/api/billing/invoices/{invoiceId}', scope: 'billing:read' },
] as const;

const send = ({ method, path }: (typeof CALLS)[number], token: string | null) =>
  app.call(path.replace('{invoiceId}', invoiceId), { method, token, ...(method === 'PUT' && { body: { planId } }) });

const readAll = async () => [
  await app.sql('select * from subscriptions order by merchant_id, month'),
  await app.sql('select * from billing_accounts order by id'),
  await app.sql('select * from audit_entries order by seq'),
];

test('the list here is the whole list', () => {
  const declared = app.node.app.routes.filter(({ tag }) => tag === 'Billing');
  const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  expect(CALLS.map(nameOf).toSorted()).toEqual(declared.map(nameOf).toSorted());
});

describe.each(CALLS)('$method $path', (call) => {
  test('needs a token', async () => {
    const before = await readAll();
    for (const token of [null, 'forged']) {
      const reply = await send(call, token);
      expect([reply.status, reply.json.code]).toEqual([401, 'invalid_token']);
    }
    expect(await readAll()).toEqual(before);
  });

  test('needs its scope', async () => {
    const before = await readAll();
    const scope = SCOPES.filter((name) => name !== call.scope).join(' ');
    const reply = await send(call, await shop.tokenFor({ scope }));
    expect([reply.status, reply.json.code]).toEqual([403, 'insufficient_scope']);
    expect(reply.headers.get('www-authenticate')).toContain(`scope="${call.scope}"`);
    expect(await readAll()).toEqual(before);
    expect((await send(call, await shop.tokenFor({ scope: call.scope }))).status).toBe(200);
  });
});

test('nothing of another merchant shows', async () => {
  expect((await stranger.call('/api/billing/subscription')).status).toBe(404);
  expect((await stranger.call('/api/billing/invoices')).json).toMatchObject({ data: [], totalItems: 0 });
  expect((await stranger.call('/api/billing/usage?from=2026-03-01')).json.totals.payments).toBe(0);
  const [theirs, unknown, none] = await Promise.all(
    [invoiceId, randomUUID(), 'FT-2026-000001'].map((id) => stranger.call(`/api/billing/invoices/${id}`)),
  );
  for (const reply of [theirs, unknown, none]) expect([reply?.status, reply?.json.code]).toEqual([404, 'not_found']);
  const pdf = await stranger.call(`/api/billing/invoices/${invoiceId}`, { headers: { accept: 'application/pdf' } });
  expect(pdf.status).toBe(404);
});

test.each([
  ['POST', '/api/billing/subscription', 'GET, PUT'],
  ['DELETE', '/api/billing/invoices', 'GET'],
  ['PUT', '/api/billing/plans', 'GET'],
])('%s %s is 405', async (method, path, allowed) => {
  const reply = await sendRaw(app.url, `${method} ${path}`, [`Authorization: Bearer ${await shop.tokenFor({})}`]);
  expect(reply.status).toBe(405);
  const methods = (reply.headers.get('allow') ?? '').split(', ').filter((name) => name !== 'HEAD');
  expect(methods.toSorted().join(', ')).toBe(allowed);
});
