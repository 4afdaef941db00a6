// Tokens of people: password grant, refresh tokens and revocation.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { ROLES, roleOf, type RoleName } from '../../../shared/roles.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addAccess, addMember, postForm, takeToken } from '../../support/members.ts';
import { DAY_MS } from '../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const { merchantId } = DEMO;

const readPayments = (token: string) => app.call('/api/payments', { token });
const refresh = (refresh_token: string, also = {}) =>
  takeToken(app, { grant_type: 'refresh_token', client_id: 'web', refresh_token, ...also });

describe('the password grant', () => {
  test.each(ROLES.map(({ name }) => name))('issues the scopes of the role %s', async (role) => {
    const member = await addMember(app, { merchantId, role });
    const { status, json, headers } = await member.signIn();
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 3600, merchant_id: merchantId });
    expect(json.scope.split(' ').sort()).toEqual([...roleOf(role).scopes].sort());
    expect(headers.get('cache-control')).toBe('no-store');
    expect(decodeJwt(json.access_token)).toMatchObject({
      sub: member.userId,
      client_id: 'web',
      merchant_id: merchantId,
      scope: json.scope,
    });
    expect((await readPayments(json.access_token)).status).toBe(200);
  });

  test('issues only requested scopes that the role has', async () => {
    const member = await addMember(app, { merchantId, role: 'Cashier' });
    const { json } = await member.signIn({ scope: 'payments:read billing:write merchant:write payments:write' });
    expect(json.scope).toBe('payments:read payments:write');
    expect(await member.signIn({ scope: 'billing:write' })).toMatchObject({
      status: 400,
      json: { error: 'invalid_scope' },
    });
    expect(await member.signIn({ scope: 'payments:red' })).toMatchObject({
      status: 400,
      json: { error: 'invalid_scope' },
    });
  });

  test("with a merchant's API client issues the scopes that both the client and the role have", async () => {
    const shop = await app.addMerchant({ scopes: ['payments:read', 'terminals'] });
    const member = await addMember(app, { merchantId, role: 'Owner' });
    expect(await member.signIn({ client_id: shop.clientId })).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
    await addAccess(app, { userId: member.userId, merchantId: shop.merchantId, role: 'Viewer' });
    const { json } = await member.signIn({ client_id: shop.clientId });
    expect(json).toMatchObject({ scope: 'payments:read', merchant_id: shop.merchantId });
    expect(await member.signIn({ client_id: shop.clientId, client_secret: shop.secret })).toMatchObject({
      status: 200,
    });
    expect(await member.signIn({ client_id: shop.clientId, client_secret: 'wrong' })).toMatchObject({
      status: 401,
      json: { error: 'invalid_client' },
    });
    expect(await member.signIn({ client_id: shop.clientId, merchant_id: merchantId })).toMatchObject({ status: 400 });
  });

  test('with the client `web` selects the requested merchant, or else the oldest membership', async () => {
    const member = await addMember(app, { merchantId, role: 'Viewer' });
    app.clock.leap(1_000);
    const shop = await app.addMerchant();
    await addAccess(app, { userId: member.userId, merchantId: shop.merchantId, role: 'Cashier' });
    expect((await member.signIn()).json.merchant_id).toBe(merchantId);
    const asked = await member.signIn({ merchant_id: shop.merchantId.toUpperCase() });
    expect(asked.json.merchant_id).toBe(shop.merchantId);
    const other = await app.addMerchant();
    for (const merchant_id of [other.merchantId, 'nobody', "' or true --"])
      expect(await member.signIn({ merchant_id })).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  });

  test('issues no scope to a person without a merchant', async () => {
    const member = await addMember(app);
    const { json } = await member.signIn();
    expect(json).toMatchObject({ scope: '', merchant_id: null });
    expect(await readPayments(json.access_token)).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } });
  });

  test.each([
    ['no username', { username: '' }, 400, 'invalid_request'],
    ['no password', { password: '' }, 400, 'invalid_request'],
    ['no client', { client_id: '' }, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['web with a secret', { client_secret: 'x' }, 401, 'invalid_client'],
    ['a wrong password', { password: 'seis gatos pretos a dormi' }, 400, 'invalid_grant'],
  ])('refuses %s', async (_name, also, status, error) => {
    const member = await addMember(app, { merchantId });
    const reply = await member.signIn(also as Record<string, string>);
    expect(reply).toMatchObject({ status, json: { error } });
    expect(reply.json.access_token).toBeUndefined();
  });

  test("accepts the person's invitation if it has not expired", async () => {
    const offer = async (days: number) => {
      const member = await addMember(app);
      const now = app.clock.now();
      await app.sql(
        'insert into memberships (merchant_id, user_id, role, created_at, expires_at) values ($1, $2, $3, $4, $5)',
        [merchantId, member.userId, 'Viewer', now, new Date(now.getTime() + days * DAY_MS)],
      );
      return member;
    };
    const invited = await offer(1);
    expect((await invited.signIn()).json.merchant_id).toBe(merchantId);
    app.clock.leap(2 * DAY_MS);
    expect((await invited.signIn()).json.merchant_id).toBe(merchantId);
    const tooLate = await offer(-1);
    expect((await tooLate.signIn()).json.merchant_id).toBeNull();
    expect((await tooLate.signIn({ merchant_id: merchantId })).status).toBe(400);
  });
});

describe('a refresh token', () => {
  test('returns a new access token and refresh token with the scopes of the sign-in', async () => {
    const member = await addMember(app, { merchantId, role: 'Cashier' });
    const first = (await member.signIn({ scope: 'payments:read terminals' })).json;
    const { status, json } = await refresh(first.refresh_token);
    expect(status).toBe(200);
    expect(json).toMatchObject({ scope: 'payments:read terminals', merchant_id: merchantId });
    expect(json.refresh_token).not.toBe(first.refresh_token);
    expect((await readPayments(json.access_token)).status).toBe(200);
    const narrower = await refresh(json.refresh_token, { scope: 'terminals' });
    expect(narrower.json.scope).toBe('terminals');
    expect((await refresh(narrower.json.refresh_token)).json.scope).toBe('payments:read terminals');
  });

  test('ends its session if it is used twice, and writes an audit entry', async () => {
    const member = await addMember(app, { merchantId });
    const first = (await member.signIn()).json;
    const second = (await refresh(first.refresh_token)).json;
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect((await refresh(second.refresh_token)).status).toBe(400);
    app.clock.leap(31_000);
    expect((await readPayments(second.access_token)).status).toBe(401);
    const entries = await app.sql(
      "select * from audit_entries where action = 'session.reuse_detected' and target = $1",
      [member.userId],
    );
    expect(entries).toHaveLength(1);
  });

  test('does not end a session if it is forged', async () => {
    const member = await addMember(app, { merchantId });
    const { refresh_token } = (await member.signIn()).json;
    const [id, , mac] = refresh_token.split('.');
    for (const forged of [
      `${id}.2.${mac}`,
      `${id}.1.${'A'.repeat(43)}`,
      `${id}.1.`,
      'brt_x',
      'garbage',
      `${refresh_token}x`,
    ])
      expect(await refresh(forged)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  test('is accepted only from the client that received it', async () => {
    const shop = await app.addMerchant();
    const member = await addMember(app, { merchantId });
    const { refresh_token } = (await member.signIn()).json;
    expect((await refresh(refresh_token, { client_id: shop.clientId })).status).toBe(400);
  });

  test('expires after 30 days without use, and at the latest after 180 days', async () => {
    const member = await addMember(app, { merchantId });
    const idle = (await member.signIn()).json.refresh_token;
    app.clock.leap(30 * DAY_MS);
    expect((await refresh(idle)).status).toBe(400);
    let { refresh_token } = (await member.signIn()).json;
    for (let days = 0; days < 160; days += 20) {
      app.clock.leap(20 * DAY_MS);
      const { status, json } = await refresh(refresh_token);
      expect(status).toBe(200);
      refresh_token = json.refresh_token;
    }
    app.clock.leap(20 * DAY_MS);
    expect((await refresh(refresh_token)).status).toBe(400);
  });
});

describe('the access of a person to a merchant', () => {
  const REMOVALS: Record<string, (userId: string) => Promise<unknown>> = {
    'the membership is removed': (userId) => app.sql('delete from memberships where user_id = $1', [userId]),
    'every session is ended': (userId) =>
      app.sql('update sessions set revoked_at = $2 where user_id = $1', [userId, app.clock.now()]),
  };

  test.each(Object.keys(REMOVALS))('ends for issued tokens within half a minute when %s', async (name) => {
    const member = await addMember(app, { merchantId });
    const { access_token, refresh_token } = (await member.signIn()).json;
    expect((await readPayments(access_token)).status).toBe(200);
    await REMOVALS[name]?.(member.userId);
    app.clock.leap(30_000);
    expect((await readPayments(access_token)).status).toBe(401);
    expect((await refresh(refresh_token)).status).toBe(400);
  });

  test('loses scopes in issued tokens when the role gets fewer scopes', async () => {
    const member = await addMember(app, { merchantId, role: 'Owner' });
    const { access_token, refresh_token } = (await member.signIn()).json;
    const open = () => app.call(`/api/terminals/${DEMO.posId}`, { token: access_token });
    expect((await open()).status).toBe(200);
    await app.sql('update memberships set role = $2 where user_id = $1', [member.userId, 'Viewer' satisfies RoleName]);
    app.clock.leap(30_000);
    expect(await open()).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } });
    expect((await refresh(refresh_token)).json.scope.split(' ')).not.toContain('terminals');
  });
});

describe('POST /oauth/revoke', () => {
  const revoke = (token: string, also: Record<string, string> = {}) =>
    postForm(app, '/oauth/revoke', { token, client_id: 'web', ...also });

  test.each(['access_token', 'refresh_token'])('ends the session for the %s of a person', async (kind) => {
    const member = await addMember(app, { merchantId });
    const answer = (await member.signIn()).json;
    expect((await readPayments(answer.access_token)).status).toBe(200);
    expect(await revoke(answer[kind], { token_type_hint: kind })).toMatchObject({ status: 200, text: '' });
    expect((await refresh(answer.refresh_token)).status).toBe(400);
    app.clock.leap(30_000);
    expect((await readPayments(answer.access_token)).status).toBe(401);
    expect((await revoke(answer[kind])).status).toBe(200);
  });

  test("revokes one token of a client, and requires the client's secret", async () => {
    const shop = await app.addMerchant();
    const other = await takeToken(app, {
      grant_type: 'client_credentials',
      client_id: shop.clientId,
      client_secret: shop.secret,
    });
    const own = { client_id: shop.clientId };
    expect((await revoke(shop.token, own)).status).toBe(401);
    expect((await revoke(shop.token, { ...own, client_secret: 'wrong' })).status).toBe(401);
    expect((await readPayments(shop.token)).status).toBe(200);
    expect((await revoke(shop.token, { ...own, client_secret: shop.secret })).status).toBe(200);
    expect((await readPayments(shop.token)).status).toBe(401);
    expect((await readPayments(other.json.access_token)).status).toBe(200);
  });

  test('returns 200 for text that is not a token, and refuses to revoke the token of another client', async () => {
    expect((await revoke('garbage')).status).toBe(200);
    expect((await revoke('brt_x.1.y')).status).toBe(200);
    const member = await addMember(app, { merchantId });
    const shop = await app.addMerchant();
    const { refresh_token } = (await member.signIn()).json;
    expect(await revoke(refresh_token, { client_id: shop.clientId })).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
    expect((await refresh(refresh_token)).status).toBe(200);
    expect(await postForm(app, '/oauth/revoke', { client_id: 'web' })).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    });
    expect(await postForm(app, '/oauth/revoke', { token: 'x' })).toMatchObject({ status: 401 });
  });
});
