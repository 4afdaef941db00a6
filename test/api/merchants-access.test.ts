// Who may see and change merchants, clients, people and the audit: tokens, scopes, other merchants; and what a refusal leaves.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { roleOf, ROLES } from '../../shared/roles.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { addMember, type Member } from '../support/members.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let stranger: Awaited<ReturnType<TestApp['addMerchant']>>;
let owner: Member;
const ids = { merchantId: '', userId: '', clientId: '' };
beforeAll(async () => {
  app = await startTestApp();
  [shop, stranger] = [await app.addMerchant(), await app.addMerchant()];
  owner = await addMember(app, { merchantId: shop.merchantId });
  const member = await addMember(app, { merchantId: shop.merchantId, role: 'Viewer' });
  await addMember(app, { merchantId: stranger.merchantId });
  const made = await app.call(`/api/merchants/${shop.merchantId}/clients`, {
    body: { name: 'ERP' },
    token: shop.token,
  });
  Object.assign(ids, { merchantId: shop.merchantId, userId: member.userId, clientId: made.json.clientId });
});
afterAll(() => app?.stop());

const OWN = '/api/merchants/{merchantId}';
const GRANT = { email: 'nova@loja.example', roleId: roleOf('Viewer').id };

type Call = { method: string; path: string; scope: string; body?: object };

const CALLS: Call[] = [
  { method: 'GET', path: OWN, scope: 'merchant:read' },
  { method: 'PUT', path: OWN, scope: 'merchant:write', body: { name: 'Roubada' } },
  { method: 'GET', path: `${OWN}/clients`, scope: 'merchant:read' },
  { method: 'POST', path: `${OWN}/clients`, scope: 'merchant:write', body: { name: 'X', scopes: ['payments:read'] } },
  { method: 'DELETE', path: `${OWN}/clients/{clientId}`, scope: 'merchant:write' },
  { method: 'POST', path: `${OWN}/clients/{clientId}/rotate-secret`, scope: 'merchant:write' },
  { method: 'GET', path: `${OWN}/users`, scope: 'merchant:read' },
  { method: 'POST', path: `${OWN}/users`, scope: 'users:write', body: GRANT },
  { method: 'DELETE', path: `${OWN}/users/{userId}`, scope: 'users:write' },
  { method: 'GET', path: `${OWN}/audit`, scope: 'merchant:read' },
  { method: 'GET', path: '/api/roles', scope: 'merchant:read' },
];

const send = ({ method, path, body }: Call, token: string | null, known: Record<string, string> = ids) =>
  app.call(
    path.replaceAll(/\{(\w+)\}/g, (_, name) => known[name] ?? ''),
    { method, token, ...(body && { body }) },
  );

/** Nothing of people, clients and merchants differs after it, nor does the audit know of it. */
async function changesNothing<T>(work: () => Promise<T>): Promise<T> {
  const tables = [
    'merchants',
    'clients',
    'users',
    'memberships',
    'audit_entries',
    'events',
    'mails',
    'idempotency_keys',
  ];
  const read = async () => {
    const rows = await Promise.all(tables.map((table) => app.sql(`select t::text from ${table} t`)));
    return rows.map((entries) => entries.map((row) => JSON.stringify(row)).toSorted());
  };
  const before = await read();
  const result = await work();
  expect(await read()).toEqual(before);
  return result;
}

test('the list here is the whole list', () => {
  const tags = ['Merchants', 'Clients', 'People'];
  const declared = app.node.app.routes.flatMap(({ method, path, tag, access }) =>
    tags.includes(tag) && access.kind === 'bearer' ? [`${method} ${path} ${access.scope}`] : [],
  );
  expect(CALLS.map(({ method, path, scope }) => `${method} ${path} ${scope}`).toSorted()).toEqual(declared.toSorted());
});

describe.each(CALLS)('$method $path', (call) => {
  test('needs a token', async () => {
    const { status, headers } = await changesNothing(() => send(call, null));
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="balcao"']);
  });

  test('needs its scope, of a client and of a person', async () => {
    const other = call.scope === 'merchant:read' ? 'users:write' : 'merchant:read payments:write';
    for (const token of [
      await app.token(shop.clientId, shop.secret, other),
      await owner.token({ merchant_id: shop.merchantId, scope: other }),
    ]) {
      const { status, json } = await changesNothing(() => send(call, token));
      expect([status, json.code]).toEqual([403, 'insufficient_scope']);
    }
  });

  test('is not for a person without a merchant', async () => {
    const token = await (await addMember(app)).token();
    const { status, json } = await changesNothing(() => send(call, token));
    expect([status, json.code]).toEqual([403, 'insufficient_scope']);
  });

  test('of another merchant is not there: the same words as for one that does not exist', async () => {
    if (call.path === '/api/roles') return expect((await send(call, stranger.token)).json.data).toHaveLength(5);
    const replies = await changesNothing(async () => [
      await send(call, stranger.token),
      await send(call, stranger.token, { ...ids, merchantId: randomUUID() }),
      await send(call, stranger.token, { ...ids, merchantId: 'x' }),
    ]);
    const { instance: _, ...words } = replies[0]!.json;
    for (const { status, json } of replies) {
      expect(status).toBe(404);
      expect(json).toMatchObject(words);
    }
  });
});

test.each(CALLS.filter(({ path }) => /\{(client|user)Id\}/.test(path)))(
  '$method $path of one’s own merchant finds nothing of another’s',
  async (call) => {
    const crossed = { ...ids, merchantId: stranger.merchantId };
    const { status } = await changesNothing(() => send(call, stranger.token, crossed));
    expect(status).toBe(404);
  },
);

test('the merchant’s id is taken whatever its case', async () => {
  const path = `/api/merchants/${shop.merchantId.toUpperCase()}`;
  expect((await app.call(path, { token: shop.token })).json.id).toBe(shop.merchantId);
});

test('GET /api/roles has every role with its scopes, from the least to the most', async () => {
  const reply = await app.call('/api/roles', { token: shop.token });
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({
    data: ROLES.map(({ id, name, about, scopes }) => ({ id, name, description: about, scopes })),
  });
  const counts = reply.json.data.map(({ scopes }: any) => scopes.length);
  expect(counts[0]).toBeLessThan(counts.at(-1));
});
