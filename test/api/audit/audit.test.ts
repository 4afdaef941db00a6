// The audit of a merchant: who changed which setting, credential or access.
import { beforeAll, describe, expect, test } from 'vitest';
import { roleOf } from '../../../shared/roles.ts';
import { startTestApp, type CallOptions, type TestApp } from '../../support/app.ts';
import { addMember, type Member } from '../../support/members.ts';
import { ACCESS_KEY, RECEIVER_ENV } from '../../support/receiver.ts';

let app: TestApp;
let ana: Member;
let rui: Member;
let merchantId: string;
let client: { clientId: string; clientSecret: string };
/** Every secret in the requests and responses of the fixture. */
const secrets: string[] = [];
/** The expected audit entries, oldest first. */
const expectedEntries: { action: string; actor: object; target: string; changes: object }[] = [];

const HOOK = 'http://127.0.0.1:9/hook';
const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  [ana, rui] = [await addMember(app), await addMember(app)];
  const opened = (await app.call('/api/merchants', { body: { name: 'Loja' }, token: await ana.token() })).json;
  merchantId = opened.merchant.id;
  client = opened.client;
  secrets.push(client.clientSecret);
  const byAna = { kind: 'user', id: ana.userId, name: ana.email };
  expectedEntries.push(
    {
      action: 'merchant.created',
      actor: byAna,
      target: merchantId,
      changes: { name: 'Loja', defaultLanguage: 'pt', owner: ana.userId },
    },
    {
      action: 'client.created',
      actor: byAna,
      target: client.clientId,
      changes: { name: 'Default', scopes: opened.client.scopes },
    },
  );
  await changeSettings(byAna);
  await changeClients(byAna);
  await changePeople(byAna);
  await changeCallbacks();
});

/** Calls the API as the person Ana or as the API client, one second after the last call. */
async function call(path: string, options: CallOptions = {}, by: 'ana' | 'client' = 'ana'): Promise<any> {
  await app.clock.advance(1_000);
  const token =
    by === 'ana' ? await ana.token({ merchant_id: merchantId }) : await app.token(client.clientId, client.clientSecret);
  const reply = await app.call(path, { token, ...options });
  if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  return reply.json;
}

async function changeSettings(actor: object): Promise<void> {
  const path = `/api/merchants/${merchantId}`;
  await call(path, { method: 'PUT', body: { name: 'Loja Nova', brandLogo: LOGO, uniqueReferences: false } });
  const changes = { name: { before: 'Loja', after: 'Loja Nova' }, brandLogo: 'changed' };
  expectedEntries.push({ action: 'merchant.changed', actor, target: merchantId, changes });
  // A request with unchanged values is no change.
  await call(path, { method: 'PUT', body: { name: 'Loja Nova' } });
}

async function changeClients(actor: object): Promise<void> {
  const path = `/api/merchants/${merchantId}/clients`;
  const made = await call(path, { body: { name: 'ERP', scopes: ['payments:read'] } });
  const target = made.clientId;
  expectedEntries.push({
    action: 'client.created',
    actor,
    target,
    changes: { name: 'ERP', scopes: ['payments:read'] },
  });
  const rotated = await call(`${path}/${target}/rotate-secret`, { method: 'POST' });
  const { overlapUntil } = rotated;
  expectedEntries.push({ action: 'client.rotated', actor, target, changes: { secret: 'changed', overlapUntil } });
  await call(`${path}/${target}`, { method: 'DELETE' });
  expectedEntries.push({ action: 'client.revoked', actor, target, changes: {} });
  secrets.push(made.clientSecret, rotated.clientSecret);
}

async function changePeople(actor: object): Promise<void> {
  const path = `/api/merchants/${merchantId}/users`;
  const [target, email] = [rui.userId, rui.email];
  const give = (role: 'Viewer' | 'Cashier') => call(path, { body: { email, roleId: roleOf(role).id } });
  const role = (before: string | null, after: string | null) => ({ email, role: { before, after } });
  await give('Viewer');
  expectedEntries.push({ action: 'access.granted', actor, target, changes: role(null, 'Viewer') });
  await give('Viewer');
  await give('Cashier');
  expectedEntries.push({ action: 'access.changed', actor, target, changes: role('Viewer', 'Cashier') });
  await call(`${path}/${target}`, { method: 'DELETE' });
  expectedEntries.push({ action: 'access.revoked', actor, target, changes: role('Cashier', null) });
}

/** Calls the API with the client's token, like a merchant's system. */
async function changeCallbacks(): Promise<void> {
  const actor = { kind: 'client', id: client.clientId, name: 'Default' };
  const path = `/api/merchants/${merchantId}/callback`;
  const urls = (before: string | null, after: string | null) => ({ url: { before, after } });
  await call(path, { method: 'PUT', body: { url: HOOK, accessKey: ACCESS_KEY } }, 'client');
  const [endpoint] = await app.sql('select id from endpoints where merchant_id = $1', [merchantId]);
  const target = endpoint.id;
  const action = 'callback.set';
  expectedEntries.push({ action, actor, target, changes: { ...urls(null, HOOK), accessKey: 'changed' } });
  await call(path, { method: 'PUT', body: { url: HOOK } }, 'client');
  await call(path, { method: 'PUT', body: { url: `${HOOK}/2` } }, 'client');
  expectedEntries.push({ action, actor, target, changes: urls(HOOK, `${HOOK}/2`) });
  await call(path, { method: 'PUT', body: { url: `${HOOK}/2`, accessKey: `${ACCESS_KEY}-other` } }, 'client');
  expectedEntries.push({ action, actor, target, changes: { accessKey: 'changed' } });
  await call(path, { method: 'DELETE' }, 'client');
  expectedEntries.push({ action: 'callback.removed', actor, target, changes: urls(`${HOOK}/2`, null) });
  await call(path, { method: 'DELETE' }, 'client');
  secrets.push(ACCESS_KEY);
  const made = await call('/api/webhooks', { body: { url: HOOK, types: ['payment.*'] } }, 'client');
  const types = { types: { before: null, after: ['payment.*'] } };
  const webhook = { actor, target: made.id };
  expectedEntries.push({ action: 'webhook.created', ...webhook, changes: { ...urls(null, HOOK), ...types } });
  await call(`/api/webhooks/${made.id}`, { method: 'PUT', body: { url: `${HOOK}/3`, description: 'ERP' } }, 'client');
  const others = { types: { before: ['payment.*'], after: null }, description: 'changed' };
  expectedEntries.push({ action: 'webhook.changed', ...webhook, changes: { ...urls(HOOK, `${HOOK}/3`), ...others } });
  await call(`/api/webhooks/${made.id}`, { method: 'PUT', body: { url: `${HOOK}/3`, description: 'ERP' } }, 'client');
  const rotated = await call(`/api/webhooks/${made.id}/rotate-secret`, { method: 'POST' }, 'client');
  const { overlapUntil } = rotated;
  expectedEntries.push({ action: 'webhook.rotated', ...webhook, changes: { secret: 'changed', overlapUntil } });
  await call(`/api/webhooks/${made.id}`, { method: 'DELETE' }, 'client');
  expectedEntries.push({ action: 'webhook.removed', ...webhook, changes: urls(`${HOOK}/3`, null) });
  secrets.push(made.secret, rotated.secret);
}

const list = (query = '?pageSize=100') => call(`/api/merchants/${merchantId}/audit${query}`);

test('the audit lists every change once, newest first, with actor, IP address and time', async () => {
  const { data, totalItems } = await list();
  expect(totalItems).toBe(expectedEntries.length);
  expect(data.map(({ action, actor, target, changes }: any) => ({ action, actor, target, changes }))).toEqual(
    expectedEntries.toReversed(),
  );
  for (const { id, address, occurredAt } of data) {
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(address).toBe('127.0.0.1');
    expect(new Date(occurredAt).getTime()).toBeLessThanOrEqual(app.clock.now().getTime());
  }
  const times = data.map(({ occurredAt }: any) => occurredAt);
  expect(times.toSorted().toReversed()).toEqual(times);
});

test('the audit contains no secret', async () => {
  expect(secrets).toHaveLength(6);
  const rows = JSON.stringify(await app.sql('select * from audit_entries'));
  const listedText = JSON.stringify(await list());
  for (const secret of secrets)
    for (const text of [rows, listedText]) expect(text).not.toContain(secret.replace(/^whsec_/, ''));
  for (const text of [rows, listedText]) expect(text).not.toContain(LOGO.slice(-40));
});

test('the audit can be read in pages and filtered by action and time', async () => {
  const { data: all } = await list();
  const seen = [];
  for (let page = 1; seen.length < expectedEntries.length; page++) {
    const { data, totalPages } = await list(`?page=${page}&pageSize=5`);
    expect([data.length > 0, totalPages]).toEqual([true, Math.ceil(expectedEntries.length / 5)]);
    seen.push(...data);
  }
  expect(seen).toEqual(all);
  const of = (name: string) => all.filter(({ action }: any) => action === name);
  expect(of('client.created')).toHaveLength(2);
  expect((await list('?action=client.created')).data).toEqual(of('client.created'));
  expect((await list('?action=nothing')).data).toEqual([]);
  const [from, to] = [all.at(-4).occurredAt, all.at(3).occurredAt];
  const between = all.filter(({ occurredAt }: any) => occurredAt >= from && occurredAt < to);
  expect((await list(`?from=${from}&to=${to}&pageSize=100`)).data).toEqual(between);
  expect(between.length).toBe(expectedEntries.length - 7);
});

test.each([
  ['from=yesterday', '/query/from', 'invalid_format'],
  ['from=2026-03-03T00:00:00Z&to=2026-03-02T00:00:00Z', '/query/to', 'date_range'],
  ['pageSize=101', '/query/pageSize', 'too_big'],
  [`action=${'x'.repeat(65)}`, '/query/action', 'too_long'],
])('GET /api/merchants/{merchantId}/audit returns 400 for %s', async (query, pointer, code) => {
  const token = await app.token(client.clientId, client.clientSecret);
  const { status, json } = await app.call(`/api/merchants/${merchantId}/audit?${query}`, { token });
  expect(status).toBe(400);
  expect(json.errors).toEqual([expect.objectContaining({ pointer, code })]);
});

describe('the table of audit entries', () => {
  test.each([
    'delete from audit_entries',
    `update audit_entries set actor_id = 'nobody'`,
    'truncate audit_entries',
    'delete from audit_entries where false',
  ])('rejects the SQL statement: %s', async (statement) => {
    const before = await app.sql('select * from audit_entries order by seq');
    await expect(app.sql(statement)).rejects.toThrow('append-only');
    expect(await app.sql('select * from audit_entries order by seq')).toEqual(before);
  });

  test('has no entry for a refused change', async () => {
    const { totalItems } = await list();
    const { totalItems: people } = await call(`/api/merchants/${merchantId}/users`);
    expect(people).toBe(1);
    const token = await ana.token({ merchant_id: merchantId });
    const last = await app.call(`/api/merchants/${merchantId}/users/${ana.userId}`, { method: 'DELETE', token });
    expect(last.status).toBe(409);
    expect((await list()).totalItems).toBe(totalItems);
  });
});

test('the audit does not list the entries of another merchant', async () => {
  const other = await app.addMerchant();
  const { json } = await app.call(`/api/merchants/${other.merchantId}/audit`, { token: other.token });
  expect(json).toMatchObject({ data: [], totalItems: 0 });
});
