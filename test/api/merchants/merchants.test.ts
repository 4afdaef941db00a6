import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../../shared/scopes.ts';
import { simulatedIds } from '../../../shared/simulated.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { addAccess, addMember, type Member } from '../../support/members.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { create, webframe } from '../../support/payments.ts';

let app: TestApp;
let ana: Member;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  ana = await addMember(app);
});

const now = () => app.clock.now().toISOString();
const PATH = '/api/merchants';

async function open(body: object = { name: 'Loja da Ana' }, person = ana): Promise<Reply> {
  return app.call(PATH, { body, token: await person.token() });
}

/** Creates a merchant. Returns functions that read and change it. */
async function openOwn() {
  const { json } = await open();
  const { id } = json.merchant;
  const token = await app.token(json.client.clientId, json.client.clientSecret);
  const path = `${PATH}/${id}`;
  return {
    id: id as string,
    token,
    merchant: json.merchant,
    read: () => app.call(path, { token }),
    put: (body: unknown, headers = {}) => app.call(path, { method: 'PUT', body, token, headers }),
  };
}

describe('POST /api/merchants', () => {
  test('returns the merchant and its first API client, whose secret is accepted', async () => {
    const reply = await open({ name: '  Loja da Ana ', defaultLanguage: 'fr' });
    expect(reply.status).toBe(201);
    const { merchant, client } = reply.json;
    expect(reply.headers.get('location')).toBe(`${PATH}/${merchant.id}`);
    const blank = {
      taxId: null,
      privacyContact: null,
      privacyNotice: null,
      brandColor: null,
      brandLogo: null,
      allowedOrigins: [],
      returnOrigins: [],
      takesCash: false,
      uniqueReferences: false,
      cashierRefundLimit: null,
    };
    const checkoutMethods = ['push', 'qrcode', 'reference'];
    const simulated = simulatedIds(app.node.core.config, merchant.id);
    const assigned = { checkoutMethods, searchKeys: [], ...simulated };
    const named = { id: merchant.id, name: 'Loja da Ana', defaultLanguage: 'fr' };
    expect(merchant).toEqual({ ...named, ...blank, ...assigned, createdAt: now() });
    const { clientId, clientSecret, ...rest } = client;
    expect(clientId).toMatch(/^bc_[a-z2-7]{16}$/);
    expect(Buffer.from(clientSecret, 'base64url')).toHaveLength(32);
    expect(rest).toEqual({ name: 'Default', scopes: [...SCOPES], createdAt: now() });
    const token = await app.token(clientId, clientSecret);
    expect((await app.call(`${PATH}/${merchant.id}`, { token })).json).toEqual(merchant);
    const rows = JSON.stringify([
      await app.sql('select * from clients where id = $1', [clientId]),
      await app.sql('select * from audit_entries where merchant_id = $1', [merchant.id]),
      await app.sql('select * from events where merchant_id = $1', [merchant.id]),
    ]);
    expect(rows).not.toContain(clientSecret);
  });

  test('makes the person who creates the merchant its Owner', async () => {
    const { merchant } = (await open()).json;
    const signedIn = await ana.signIn({ merchant_id: merchant.id });
    expect(signedIn.json.scope.split(' ').toSorted()).toEqual(SCOPES.toSorted());
    const { data } = (await app.call(`${PATH}/${merchant.id}/users`, { token: signedIn.json.access_token })).json;
    const { userId, email } = ana;
    const person = { userId, email, firstName: 'Ana', lastName: 'Neto', role: 'Owner', status: 'Active' };
    expect(data).toEqual([{ ...person, roleId: expect.stringMatching(/5$/), createdAt: now(), expiresAt: null }]);
  });

  test.each([undefined, null, 'pt', 'PT'])('sets Portuguese as the language for %j', async (defaultLanguage) => {
    expect((await open({ name: 'L', defaultLanguage })).json.merchant.defaultLanguage).toBe('pt');
  });

  test('ignores fields that are not in the schema', async () => {
    const operators = { gpoMerchantIds: ['demo-merchant'], gpoPosIds: ['demo-pos'], entity: '00999' };
    const { merchant } = (await open({ name: 'L', ...operators, id: randomUUID(), uniqueReferences: true })).json;
    const simulated = simulatedIds(app.node.core.config, merchant.id);
    expect(merchant).toMatchObject({ ...simulated, uniqueReferences: false });
    expect(merchant.gpoMerchantIds).not.toContain('demo-merchant');
  });

  test('returns 403 to an API client', async () => {
    const reply = await app.call(PATH, { body: { name: 'Loja' } });
    expect([reply.status, reply.json.code]).toEqual([403, 'user_required']);
    expect((await app.call(PATH, { body: { name: 'Loja' }, token: null })).status).toBe(401);
  });

  test('allows twenty merchants per person, also for concurrent requests', async () => {
    const other = await app.addMerchant();
    await addAccess(app, { userId: ana.userId, merchantId: other.merchantId, role: 'Administrator' });
    const replies = await Promise.all(Array.from({ length: 23 }, () => open()));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, json }) => `${status} ${json.code}`)).toEqual(
      Array(3).fill('409 too_many_merchants'),
    );
    expect((await open({ name: 'Loja' }, await addMember(app))).status).toBe(201);
  });
});

const ONE_PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('PUT /api/merchants/{id}', () => {
  test('changes the given fields only', async () => {
    const { merchant, put, read } = await openOwn();
    const changes = {
      name: 'Loja Nova',
      defaultLanguage: 'en',
      taxId: '5417 123 456',
      privacyContact: 'dados@loja.example',
      privacyNotice: ' Guardamos as facturas.\r\nPergunte ao balcão. ',
      brandColor: '#0A7D4B',
      brandLogo: ONE_PIXEL,
      allowedOrigins: ['https://LOJA.example:443', 'https://loja.example', 'http://localhost:5173'],
      returnOrigins: ['https://volta.example:8443'],
      uniqueReferences: true,
    };
    let known = merchant;
    for (const [name, value] of Object.entries(changes)) {
      const reply = await put({ [name]: value });
      const shown: Record<string, unknown> = {
        taxId: '5417123456',
        privacyNotice: 'Guardamos as facturas.\nPergunte ao balcão.',
        brandColor: '#0a7d4b',
        allowedOrigins: ['https://loja.example', 'http://localhost:5173'],
      };
      known = { ...known, [name]: shown[name] ?? value };
      expect([reply.status, reply.json]).toEqual([200, known]);
    }
    expect((await read()).json).toEqual(known);
  });

  test('clears optional fields with null, and refuses null for required fields', async () => {
    const { put } = await openOwn();
    const before = await put({
      brandColor: '#000000',
      brandLogo: ONE_PIXEL,
      taxId: '5417123456',
      privacyContact: 'dados@loja.example',
      privacyNotice: 'Olá',
      returnOrigins: ['https://a.example'],
      uniqueReferences: true,
    });
    const nothing = { name: null, defaultLanguage: null, allowedOrigins: null, returnOrigins: null };
    expect((await put({ ...nothing, uniqueReferences: null })).json).toEqual(before.json);
    const cleared = await put({
      brandColor: null,
      brandLogo: null,
      taxId: null,
      privacyContact: null,
      privacyNotice: null,
    });
    expect(cleared.json).toEqual({
      ...before.json,
      brandColor: null,
      brandLogo: null,
      taxId: null,
      privacyContact: null,
      privacyNotice: null,
    });
    expect((await put({ returnOrigins: [] })).json.returnOrigins).toEqual([]);
  });

  test('accepts an unchanged body of GET, and keeps the fields that only the operator may set', async () => {
    const { id, put, read } = await openOwn();
    await app.sql(`update merchants set entity = '00777', gpo_pos_ids = '{pos-7}' where id = $1`, [id]);
    const { json } = await read();
    expect((await put(json)).json).toEqual(json);
    const stolen = { id: randomUUID(), entity: '00999', gpoMerchantIds: ['demo-merchant'], gpoPosIds: ['demo-pos'] };
    expect((await put({ ...stolen, createdAt: '2020-01-01T00:00:00.000Z' })).json).toEqual(json);
  });

  test('applies to the next request', async () => {
    const { token, put } = await openOwn();
    await app.sql(`update merchants set gpo_merchant_ids = '{m-1}', gpo_pos_ids = '{p-1}' where name = 'Loja da Ana'`);
    const sent = webframe({ metadata: { returnUrl: 'https://loja.example/obrigado' } });
    const refused = await app.call('/api/payments', { body: sent, token });
    expect([refused.status, refused.json.code]).toEqual([400, 'origin_not_registered']);
    await put({ returnOrigins: ['https://loja.example'] });
    expect((await app.call('/api/payments', { body: sent, token })).status).toBe(201);
    await put({ name: 'Mercearia', brandColor: '#123456', allowedOrigins: ['https://quadro.example'] });
    const { clientToken } = (await app.call('/api/payments', { body: webframe(), token })).json;
    const page = await app.call(`/checkout/${clientToken}`, { token: null });
    expect(page.text).toContain('Mercearia');
    expect(page.headers.get('content-security-policy')).toContain('frame-ancestors https://quadro.example');
  });

  const origins = (count: number) => Array.from({ length: count }, (_, nth) => `https://loja-${nth}.example`);

  test('applies once for repeated requests with one Idempotency-Key', async () => {
    const { put, read } = await openOwn();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await put({ name: 'Um' }, headers);
    await put({ name: 'Dois' });
    const again = await put({ name: 'Um' }, headers);
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expect((await read()).json.name).toBe('Dois');
    expect((await put({ name: 'Três' }, headers)).status).toBe(422);
  });

  test('accepts twenty allowed origins', async () => {
    const { put } = await openOwn();
    expect((await put({ allowedOrigins: origins(20) })).json.allowedOrigins).toEqual(origins(20));
  });

  test('returns all faults in one 400, and changes nothing', async () => {
    const { merchant, put, read } = await openOwn();
    const { json } = await put({ name: '', brandColor: 'x', brandLogo: 'y', allowedOrigins: ['z'] });
    const pointers = json.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers.toSorted()).toEqual(['/allowedOrigins/0', '/brandColor', '/brandLogo', '/name']);
    expect((await read()).json).toEqual(merchant);
  });
});

test('refuses origins with plain http in production, also loopback origins', async () => {
  const { id, token } = await openOwn();
  const { config } = app.node.core;
  Object.assign(config, { isSandbox: false });
  const reply = await app.call(`${PATH}/${id}`, {
    method: 'PUT',
    body: { allowedOrigins: ['http://localhost'] },
    token,
  });
  Object.assign(config, { isSandbox: true });
  expect(reply.json.errors).toEqual([expect.objectContaining({ code: 'invalid_origin' })]);
});

test('a payment of the demo merchant is created as Pending', async () => {
  expect((await create(app, webframe())).status).toBe('Pending');
});

describe('a return address on the developer’s own machine', () => {
  const sent = webframe({ metadata: { returnUrl: 'http://localhost:3000/obrigado' } });

  test('is accepted in a sandbox without settings', async () => {
    expect((await app.call('/api/payments', { body: sent })).status).toBe(201);
  });

  test('is refused in production, with its origin and the operation that registers it', async () => {
    const { config } = app.node.core;
    Object.assign(config, { isSandbox: false });
    const { status, json } = await app.call('/api/payments', { body: sent });
    Object.assign(config, { isSandbox: true });
    expect([status, json.code]).toEqual([400, 'origin_not_registered']);
    expect(json.errors[0].message).toContain('http://localhost:3000 is not in `returnOrigins`');
    expect(json.errors[0].message).toContain(`PUT ${PATH}/${DEMO.merchantId}`);
    expect(json.detail).toContain('PUT /api/merchants/{merchantId}');
  });
});
