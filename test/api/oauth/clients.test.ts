// API clients of a merchant: creation, list, rotation of secrets and revocation.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { roleOf, type RoleName } from '../../../shared/roles.ts';
import { SCOPES } from '../../../shared/scopes.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { addMember, takeToken } from '../../support/members.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let path: string;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await app.addMerchant();
  path = `/api/merchants/${shop.merchantId}/clients`;
});

const signIn = (clientId: string, secret: string): Promise<Reply> =>
  takeToken(app, { grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
const own = async () => app.token(shop.clientId, shop.secret);
const make = async (body: unknown = { name: 'ERP' }, token?: string) =>
  app.call(path, { body, token: token ?? (await own()) });
const list = async (query = '') => app.call(path + query, { token: await own() });
const remove = async (id: string, headers = {}) =>
  app.call(`${path}/${id}`, { method: 'DELETE', token: await own(), headers });
const rotate = async (id: string, body?: object, token?: string) =>
  app.call(`${path}/${id}/rotate-secret`, {
    method: 'POST',
    token: token ?? (await own()),
    ...(body && { body }),
  });
const now = () => app.clock.now().toISOString();
const inHours = (hours: number) => new Date(app.clock.now().getTime() + hours * HOUR_MS).toISOString();

/** Adds a member with this role to the merchant and returns a token of the member. */
async function tokenOf(role: RoleName): Promise<string> {
  return (await addMember(app, { merchantId: shop.merchantId, role })).token();
}

describe('the creation of an API client', () => {
  test('returns the secret once, and a token request with this secret succeeds', async () => {
    const reply = await make({ name: ' ERP ', scopes: ['payments:read', 'sms:read', 'payments:read'] });
    expect(reply.status).toBe(201);
    const { clientId, clientSecret, ...rest } = reply.json;
    expect(rest).toEqual({ name: 'ERP', scopes: ['payments:read', 'sms:read'], createdAt: now() });
    expect(clientId).toMatch(/^bc_[a-z2-7]{16}$/);
    expect(Buffer.from(clientSecret, 'base64url')).toHaveLength(32);
    const token = await signIn(clientId, clientSecret);
    expect(token.json).toMatchObject({ scope: 'payments:read sms:read' });
    expect((await app.call('/api/payments', { token: token.json.access_token })).status).toBe(200);
    const listed = await list();
    expect(listed.text).not.toContain(clientSecret);
    const shown = listed.json.data.find((client: any) => client.clientId === clientId);
    expect(shown).toEqual({ clientId, ...rest, rotatedAt: null, overlapUntil: null });
    const [row] = await app.sql('select * from clients where id = $1', [clientId]);
    expect(JSON.stringify(row)).not.toContain(clientSecret);
  });

  test('ignores an Idempotency-Key: two requests create two clients', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [one, two] = [
      await app.call(path, { body: { name: 'A' }, token: await own(), headers }),
      await app.call(path, { body: { name: 'A' }, token: await own(), headers }),
    ];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.json.clientSecret).not.toBe(two.json.clientSecret);
    expect(await app.sql('select from idempotency_keys where merchant_id = $1', [shop.merchantId])).toEqual([]);
  });

  test.each([undefined, null])('gives all scopes of the creator if the requested scopes are %j', async (scopes) => {
    const token = await app.token(shop.clientId, shop.secret, 'merchant:write payments:read');
    const { json } = await make({ name: 'ERP', scopes }, token);
    expect(json.scopes.toSorted()).toEqual(['merchant:write', 'payments:read']);
    expect((await make({ name: 'ERP', scopes })).json.scopes.toSorted()).toEqual(SCOPES.toSorted());
    const developer = await make({ name: 'ERP', scopes }, await tokenOf('Developer'));
    expect(developer.json.scopes.toSorted()).toEqual(roleOf('Developer').scopes.toSorted());
  });

  test('refuses scopes that the token of the creator does not have', async () => {
    const token = await tokenOf('Developer');
    const { status, json } = await make({ name: 'ERP', scopes: ['payments:read', 'payments:write', 'nope'] }, token);
    expect([status, json.code]).toEqual([400, 'validation_failed']);
    expect(json.errors.map(({ pointer, code }: any) => `${pointer} ${code}`).toSorted()).toEqual([
      '/scopes/1 scope_not_grantable',
      '/scopes/2 unknown_scope',
    ]);
    const alone = await make({ name: 'ERP', scopes: ['users:write'] }, token);
    expect([alone.status, alone.json.errors[0].code]).toEqual([400, 'scope_not_grantable']);
    expect((await list()).json.totalItems).toBe(1);
  });

  test.each([
    [{}, '/name', 'required'],
    [{ name: 'x'.repeat(101) }, '/name', 'too_long'],
    [{ name: 'A', scopes: [] }, '/scopes', 'too_small'],
    [{ name: 'A', scopes: ['PAYMENTS:READ'] }, '/scopes/0', 'unknown_scope'],
  ])('refuses %j', async (body, pointer, code) => {
    const { status, json } = await make(body);
    expect(status).toBe(400);
    expect(json.errors ?? [{ pointer, code: json.code }]).toContainEqual(expect.objectContaining({ pointer, code }));
    expect((await list()).json.totalItems).toBe(1);
  });

  test('is refused after thirty-two clients of a merchant, also for concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 34 }, () => make()));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(31);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, json }) => `${status} ${json.code}`)).toEqual(Array(3).fill('409 too_many_clients'));
    const first = replies.find(({ status }) => status === 201) as Reply;
    expect((await remove(first.json.clientId)).status).toBe(204);
    expect((await make()).status).toBe(201);
  });
});

test('the list of clients has pages with the newest first, and contains only the clients of the merchant', async () => {
  const stranger = await app.addMerchant();
  const made: string[] = [];
  for (let nth = 0; nth < 4; nth++) {
    await app.clock.advance(1_000);
    made.push((await make()).json.clientId);
  }
  const seen: string[] = [];
  for (let page = 1; page <= 3; page++) {
    const { json } = await list(`?page=${page}&pageSize=2`);
    expect(json).toMatchObject({ pageNumber: page, pageSize: 2, totalPages: 3, totalItems: 5 });
    seen.push(...json.data.map(({ clientId }: any) => clientId));
  }
  expect(new Set(seen)).toEqual(new Set([...made, shop.clientId]));
  expect(seen.filter((id) => made.includes(id))).toEqual(made.toReversed());
  expect(seen).not.toContain(stranger.clientId);
});

describe("the rotation of a client's secret", () => {
  test('keeps both secrets valid during the overlap, then only the new one', async () => {
    const { clientId, clientSecret: old } = (await make()).json;
    const reply = await rotate(clientId, { overlapHours: 2 });
    const overlapUntil = inHours(2);
    expect([reply.status, reply.json]).toEqual([
      200,
      { clientId, clientSecret: expect.stringMatching(/^[\w-]{43}$/), overlapUntil },
    ]);
    const { clientSecret } = reply.json;
    expect(clientSecret).not.toBe(old);
    const shown = (await list()).json.data.find((client: any) => client.clientId === clientId);
    expect(shown).toMatchObject({ rotatedAt: now(), overlapUntil });
    for (const secret of [old, clientSecret]) expect((await signIn(clientId, secret)).status).toBe(200);
    app.clock.leap(2 * HOUR_MS);
    expect((await signIn(clientId, old)).status).toBe(401);
    expect((await signIn(clientId, clientSecret)).status).toBe(200);
    const later = (await list()).json.data.find((client: any) => client.clientId === clientId);
    expect(later.overlapUntil).toBeNull();
  });

  test.each([
    [undefined, 24],
    [{}, 24],
    [{ overlapHours: null }, 24],
    [{ overlapHours: 168 }, 168],
    [{ overlapHours: 0 }, 0],
  ])('with the body %j keeps the old secret valid for %i hours', async (body, hours) => {
    const { clientId, clientSecret } = (await make()).json;
    expect((await rotate(clientId, body)).json.overlapUntil).toBe(inHours(hours));
    expect((await signIn(clientId, clientSecret)).status).toBe(hours ? 200 : 401);
  });

  test('keeps the newest two of three secrets valid', async () => {
    const { clientId, clientSecret: first } = (await make()).json;
    const { clientSecret: second } = (await rotate(clientId)).json;
    const { clientSecret: third } = (await rotate(clientId)).json;
    const statuses = await Promise.all([first, second, third].map((secret) => signIn(clientId, secret)));
    expect(statuses.map(({ status }) => status)).toEqual([401, 200, 200]);
  });

  test('keeps tokens valid that were issued before', async () => {
    const { clientId, clientSecret } = (await make()).json;
    const token = (await signIn(clientId, clientSecret)).json.access_token;
    await rotate(clientId, { overlapHours: 0 });
    app.clock.leap(31_000);
    expect((await app.call('/api/payments', { token })).status).toBe(200);
  });

  test('needs all scopes of the client, because the response contains the secret', async () => {
    const { clientId, clientSecret } = (await make()).json;
    const reply = await rotate(clientId, {}, await tokenOf('Developer'));
    expect([reply.status, reply.json.code]).toEqual([403, 'client_not_grantable']);
    expect((await signIn(clientId, clientSecret)).status).toBe(200);
    const lesser = (await make({ name: 'SMS', scopes: ['sms:write'] })).json;
    expect((await rotate(lesser.clientId, {}, await tokenOf('Developer'))).status).toBe(200);
  });

  test.each([-1, 169, 1.5])('refuses to keep the old secret valid for %s hours', async (overlapHours) => {
    const { clientId, clientSecret } = (await make()).json;
    expect((await rotate(clientId, { overlapHours })).status).toBe(400);
    expect((await signIn(clientId, clientSecret)).status).toBe(200);
  });
});

describe('the revocation of an API client', () => {
  test('invalidates its secrets immediately and its tokens within 30 s', async () => {
    const { clientId, clientSecret } = (await make()).json;
    const { clientSecret: newer } = (await rotate(clientId)).json;
    const token = (await signIn(clientId, newer)).json.access_token;
    expect((await app.call('/api/payments', { token })).status).toBe(200);
    const headers = { 'idempotency-key': randomUUID() };
    for (let nth = 0; nth < 2; nth++) expect(await remove(clientId, headers)).toMatchObject({ status: 204, text: '' });
    for (const secret of [clientSecret, newer]) expect((await signIn(clientId, secret)).status).toBe(401);
    app.clock.leap(30_000);
    expect((await app.call('/api/payments', { token })).status).toBe(401);
    expect((await remove(clientId)).status).toBe(404);
    expect((await rotate(clientId)).status).toBe(404);
    expect((await list()).json.data.map((client: any) => client.clientId)).toEqual([shop.clientId]);
  });

  test('may be requested with a token of the same client', async () => {
    expect((await remove(shop.clientId)).status).toBe(204);
    expect((await signIn(shop.clientId, shop.secret)).status).toBe(401);
  });

  test('is refused to a caller with fewer scopes than the client, unless the caller is the client', async () => {
    const full = (await make()).json;
    const poor = (await make({ name: 'Poor', scopes: ['merchant:write'] })).json;
    const token = (await signIn(poor.clientId, poor.clientSecret)).json.access_token;
    const refused = { status: 403, json: { code: 'client_not_grantable' } };
    const by = (id: string, bearer: string) => app.call(`${path}/${id}`, { method: 'DELETE', token: bearer });
    expect(await by(full.clientId, await tokenOf('Developer'))).toMatchObject(refused);
    expect(await by(full.clientId, token)).toMatchObject(refused);
    expect((await signIn(full.clientId, full.clientSecret)).status).toBe(200);
    // A token with fewer scopes than the client may also revoke the client itself.
    const narrow = { grant_type: 'client_credentials', client_id: full.clientId, client_secret: full.clientSecret };
    const own = (await takeToken(app, { ...narrow, scope: 'merchant:write' })).json.access_token;
    expect((await by(full.clientId, own)).status).toBe(204);
    expect((await by(poor.clientId, await tokenOf('Developer'))).status).toBe(204);
  });
});

test('each change of a client writes an event without the secret', async () => {
  const { clientId } = (await make()).json;
  await rotate(clientId);
  await remove(clientId);
  const { data } = (await app.call('/api/events', { token: await own() })).json;
  expect(data.map(({ type, details, data: about }: any) => [type, details, about])).toEqual(
    ['client.created', 'client.rotated', 'client.revoked'].map((type) => [type, { clientId, name: 'ERP' }, null]),
  );
});
