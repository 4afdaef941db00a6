import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT, type JWTPayload } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, test } from 'vitest';
import { roleOf, type RoleName } from '../../../shared/roles.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { addMember, PASSWORD, postForm, takeToken, type Member } from '../../support/members.ts';
import { readLinkToken } from '../../support/people.ts';

/** The node trusts the client's IP address in the proxy header. */
const PROXY = { TRUSTED_PROXIES: '127.0.0.1,::1' };
const OTHER_PASSWORD = 'mulemba kitanda roxo 57';

let app: TestApp;
/** A second node on the same database. */
let twin: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let stranger: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp({ env: PROXY });
  const env = { ...PROXY, PUBLIC_URL: app.node.core.publicUrl };
  twin = await startTestApp({ databaseUrl: app.databaseUrl, clock: app.clock, env });
  [shop, stranger] = [await app.addMerchant(), await app.addMerchant({ name: 'Estranha' })];
});

const grant = (by: typeof shop, email: string, role: RoleName) =>
  app.call(`/api/merchants/${by.merchantId}/users`, { body: { email, roleId: roleOf(role).id }, token: by.token });
const listed = async (at: typeof shop, { userId }: Member) => {
  const { json } = await app.call(`/api/merchants/${at.merchantId}/users?pageSize=100`, { token: at.token });
  return json.data.find((member: { userId: string }) => member.userId === userId);
};
async function resetPassword({ email }: Member, password: string) {
  await app.call('/api/auth/recover', { body: { email }, token: null });
  const token = await readLinkToken(app, email, 'reset');
  return app.call('/api/auth/reset', { body: { token, password }, token: null });
}
const countSessions = async ({ userId }: Member) =>
  (await app.sql('select from sessions where user_id = $1 and revoked_at is null', [userId])).length;

describe('a sign-in that is still in progress', () => {
  /** Runs `work` after a sign-in has checked the password and before it creates the session. */
  async function signInAround(ana: Member, work: () => Promise<Reply>): Promise<Reply> {
    // Between the two steps the sign-in writes the known IP address.
    const letGo = await holdLock(
      app.databaseUrl,
      `select from sign_in_failures where subject like 'known:%' for update`,
    );
    try {
      const underWay = ana.signIn();
      await until(() => countWaiting(app.databaseUrl, 'insert into sign_in_failures'), 'the sign-in to be held');
      expect((await work()).status).toBe(200);
      await letGo();
      return await underWay;
    } finally {
      await letGo();
    }
  }

  test('creates no session if the password changes before it ends', async () => {
    const ana = await addMember(app, { merchantId: shop.merchantId });
    await ana.token();
    const reply = await signInAround(ana, () => resetPassword(ana, OTHER_PASSWORD));
    expect([reply.status, reply.json.error]).toEqual([400, 'invalid_grant']);
    expect(await countSessions(ana)).toBe(0);
    expect((await ana.signIn({ password: OTHER_PASSWORD })).status).toBe(200);
  });

  test('creates no session by the password alone if two-step sign-in is turned on before it ends', async () => {
    const ana = await addMember(app, { merchantId: shop.merchantId });
    const [token] = [await ana.token(), await ana.token()];
    const path = '/api/profile/mfa/totp';
    const begun = await app.call(path, { body: { password: PASSWORD }, token });
    const totp = new TOTP({ secret: Secret.fromBase32(begun.json.secret) });
    const reply = await signInAround(ana, () => {
      const code = totp.generate({ timestamp: app.clock.now().getTime() });
      return app.call(`${path}/confirm`, { body: { code }, token, headers: { 'x-forwarded-for': '41.9.9.9' } });
    });
    expect([reply.status, reply.json.error]).toEqual([400, 'invalid_grant']);
    expect(await countSessions(ana)).toBe(1);
    expect((await ana.signIn()).json.error).toBe('mfa_required');
  });
});

describe('an invitation by an unknown merchant', () => {
  test('does not change the merchant that a person has selected', async () => {
    const ana = await addMember(app);
    expect((await grant(stranger, ana.email, 'Owner')).status).toBe(200);
    await app.clock.advance(1_000);
    const own = await app.call('/api/merchants', { body: { name: 'Minha' }, token: await ana.token({}) });
    // The sign-in accepts the invitation, and the test reverts this.
    await app.sql('update memberships set accepted_at = null where user_id = $1 and merchant_id = $2', [
      ana.userId,
      stranger.merchantId,
    ]);
    expect((await ana.signIn()).json.merchant_id).toBe(own.json.merchant.id);
    expect(await listed(stranger, ana)).toMatchObject({ status: 'Invited', firstName: null, lastName: null });
  });

  test('is still open after a password reset, and does not reveal that the account exists', async () => {
    const ana = await addMember(app);
    await grant(stranger, ana.email, 'Viewer');
    expect((await resetPassword(ana, OTHER_PASSWORD)).status).toBe(200);
    expect(await listed(stranger, ana)).toMatchObject({ status: 'Invited', firstName: null, lastName: null });
    const reply = await ana.signIn({ password: OTHER_PASSWORD, merchant_id: stranger.merchantId });
    expect(reply.status).toBe(200);
    expect(await listed(stranger, ana)).toMatchObject({ status: 'Active', firstName: 'Ana' });
  });
});

test.each(['Viewer', 'Cashier'] as const)(
  'an invitation that is repeated as %s after the address is confirmed is accepted by the next sign-in',
  async (role) => {
    const ana = await addMember(app);
    await app.sql('update users set verified_at = null where id = $1', [ana.userId]);
    await grant(shop, ana.email, 'Viewer');
    await app.clock.pass(11 * 60_000);
    await app.sql('update users set verified_at = $2 where id = $1', [ana.userId, app.clock.now()]);
    // An earlier invitation is accepted only by its own link.
    expect((await ana.signIn()).json.merchant_id).toBeNull();
    const again = await app.call(`/api/merchants/${shop.merchantId}/users`, {
      body: { email: ana.email, roleId: roleOf(role).id },
      token: await app.token(shop.clientId, shop.secret),
    });
    expect(again.status).toBe(200);
    expect((await ana.signIn()).json).toMatchObject({
      merchant_id: shop.merchantId,
      scope: roleOf(role).scopes.join(' '),
    });
  },
);

describe('a refresh request that is refused for its scope', () => {
  test.each(['payments:everything', 'PAYMENTS:READ'])('%j does not use up the refresh token', async (scope) => {
    const ana = await addMember(app, { merchantId: shop.merchantId });
    const { refresh_token } = (await ana.signIn()).json;
    const refresh = (also = {}) =>
      takeToken(app, { grant_type: 'refresh_token', client_id: 'web', refresh_token, ...also });
    expect((await refresh({ scope })).json.error).toBe('invalid_scope');
    expect((await refresh()).status).toBe(200);
  });
});

describe('a scope that the caller does not have', () => {
  const own = `/api/merchants/{}`;
  const at = (path: string) => path.replace('{}', shop.merchantId);

  test('cannot be obtained through an API client', async () => {
    const developer = await addMember(app, { merchantId: shop.merchantId, role: 'Developer' });
    const token = await developer.token();
    const made = await app.call(at(`${own}/clients`), { body: { name: 'Tudo' }, token });
    expect(made.status).toBe(201);
    const given = await takeToken(app, {
      grant_type: 'client_credentials',
      client_id: made.json.clientId,
      client_secret: made.json.clientSecret,
    });
    expect(given.json.scope.split(' ').toSorted()).toEqual([...roleOf('Developer').scopes].toSorted());
    const client = await app.token(made.json.clientId, made.json.clientSecret);
    const body = { email: developer.email, roleId: roleOf('Owner').id };
    expect((await app.call(at(`${own}/users`), { body, token: client })).status).toBe(403);
    const owner = await addMember(app, { merchantId: shop.merchantId });
    const through = (await owner.signIn({ client_id: made.json.clientId })).json;
    expect(through.scope.split(' ').toSorted()).toEqual([...roleOf('Developer').scopes].toSorted());
    expect((await app.call(at(`${own}/users`), { body, token: through.access_token })).status).toBe(403);
    const path = at(`${own}/clients/${shop.clientId}/rotate-secret`);
    const rotated = await app.call(path, { method: 'POST', token });
    expect([rotated.status, rotated.json.code]).toEqual([403, 'client_not_grantable']);
  });

  test("cannot be obtained with an Owner's token that has few scopes", async () => {
    const owner = await addMember(app, { merchantId: shop.merchantId });
    const token = await owner.token({ scope: 'merchant:read merchant:write users:write' });
    const wide = { name: 'Largo', scopes: ['payments:write', 'merchant:read', 'billing:write'] };
    const refused = await app.call(at(`${own}/clients`), { body: wide, token });
    expect(refused.json.errors.map(({ pointer, code }: any) => [pointer, code])).toEqual([
      ['/scopes/0', 'scope_not_grantable'],
      ['/scopes/2', 'scope_not_grantable'],
    ]);
    for (const role of ['Viewer', 'Cashier', 'Owner'] as const) {
      const body = { email: `nova-${role}@loja.example`, roleId: roleOf(role).id };
      const reply = await app.call(at(`${own}/users`), { body, token });
      expect([role, reply.status, reply.json.code]).toEqual([role, 403, 'role_not_grantable']);
    }
    const refreshed = await takeToken(app, {
      grant_type: 'refresh_token',
      client_id: 'web',
      refresh_token: (await owner.signIn({ scope: 'merchant:read' })).json.refresh_token,
      scope: 'merchant:read users:write billing:write',
    });
    expect(refreshed.json.scope).toBe('merchant:read');
  });

  test("cannot be obtained by repeating another caller's Idempotency-Key", async () => {
    const owner = await addMember(app, { merchantId: shop.merchantId });
    const viewer = await addMember(app, { merchantId: shop.merchantId, role: 'Viewer' });
    const headers = { 'idempotency-key': randomUUID(), prefer: 'return=representation' };
    const body = { email: `${randomUUID()}@loja.example`, roleId: roleOf('Viewer').id };
    const first = await app.call(at(`${own}/users`), { body, headers, token: await owner.token() });
    expect(first.status).toBe(200);
    const replayed = await app.call(at(`${own}/users`), { body, headers, token: await viewer.token() });
    expect([replayed.status, replayed.json.code]).toEqual([403, 'insufficient_scope']);
    const path = `${own}/users`.replace('{}', stranger.merchantId);
    const elsewhere = await app.call(path, { body, headers, token: stranger.token });
    expect([elsewhere.status, elsewhere.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  test('cannot be obtained by changing the own membership', async () => {
    const admin = await addMember(app, { merchantId: shop.merchantId, role: 'Administrator' });
    await addMember(app, { merchantId: shop.merchantId });
    const token = await admin.token();
    const up = await app.call(at(`${own}/users`), {
      body: { email: admin.email.toUpperCase(), roleId: roleOf('Owner').id },
      token,
    });
    expect([up.status, up.json.code]).toEqual([403, 'role_not_grantable']);
    expect((await listed(shop, admin)).role).toBe('Administrator');
  });
});

/** Returns a token with the given claims, signed with the gateway's key. */
async function forge(claims: JWTPayload): Promise<string> {
  await app.token();
  const [row] = await app.sql('select kid, sealed_private_jwk from signing_keys where retired_at is null');
  const { keyring, publicUrl, clock } = app.node.core;
  const key = await importJWK(JSON.parse(keyring.open(row.sealed_private_jwk, 'signing-key')), 'ES256');
  const nowS = Math.floor(clock.now().getTime() / 1000);
  const about = { iss: publicUrl, aud: `${publicUrl}/api`, jti: randomUUID(), iat: nowS, exp: nowS + 600 };
  return new SignJWT({ ...about, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: row.kid })
    .sign(key);
}

describe("the token claims of a person's access token", () => {
  let ana: Member;
  let rui: Member;
  let sidOfRui: string;
  const readClaims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

  beforeAll(async () => {
    ana = await addMember(app, { merchantId: shop.merchantId, role: 'Viewer' });
    rui = await addMember(app, { merchantId: shop.merchantId });
    sidOfRui = readClaims(await rui.token()).sid;
  });

  /** Returns the claims of a new sign-in, which no node has cached. */
  async function begin(): Promise<JWTPayload> {
    const { jti: _, ...claims } = readClaims(await ana.token());
    return claims;
  }

  test('are accepted in the combination that the gateway issues', async () => {
    expect((await app.call('/api/profile', { token: await forge(await begin()) })).json.id).toBe(ana.userId);
  });

  const CONFUSED: Record<string, () => JWTPayload> = {
    'another’s session': () => ({ sid: sidOfRui }),
    'another person': () => ({ sub: rui.userId }),
    'a session of nobody': () => ({ sid: randomUUID() }),
    'another merchant': () => ({ merchant_id: stranger.merchantId }),
    'no merchant': () => ({ merchant_id: undefined as never }),
    'another client': () => ({ client_id: shop.clientId }),
    'a client’s own, with the person left in': () => ({ sid: undefined as never }),
  };
  test.each(Object.keys(CONFUSED))('are refused in a combination with %s', async (name) => {
    const wrong = await forge({ ...(await begin()), ...CONFUSED[name]!() });
    for (const node of [app, twin]) {
      const reply = await node.call('/api/profile', { token: wrong });
      expect([reply.status, reply.json.code]).toEqual([401, 'invalid_token']);
    }
  });

  test('give no scope that the role does not have, and no unknown scope', async () => {
    const scope = 'merchant:read merchant:write users:write * constructor __proto__';
    const token = await forge({ ...(await begin()), scope });
    const path = `/api/merchants/${shop.merchantId}`;
    expect((await app.call(path, { token })).status).toBe(200);
    expect((await app.call(path, { method: 'PUT', body: { name: 'X' }, token })).json.code).toBe('insufficient_scope');
  });

  test('for a refresh token are refused as an access token, and vice versa', async () => {
    const { access_token, refresh_token } = (await ana.signIn()).json;
    expect((await app.call('/api/profile', { token: refresh_token })).status).toBe(401);
    const refresh = await takeToken(app, {
      grant_type: 'refresh_token',
      client_id: 'web',
      refresh_token: access_token,
    });
    expect(refresh.json.error).toBe('invalid_grant');
  });
});

test('another node refuses the tokens of a revoked access within half a minute', async () => {
  const ana = await addMember(app, { merchantId: shop.merchantId });
  const token = await ana.token();
  const read = () => twin.call(`/api/merchants/${shop.merchantId}`, { token });
  expect((await read()).status).toBe(200);
  const path = `/api/merchants/${shop.merchantId}/users/${ana.userId.toUpperCase()}`;
  expect((await app.call(path, { method: 'DELETE', token: shop.token })).status).toBe(200);
  await app.clock.pass(30_000);
  expect((await read()).status).toBe(401);
  expect((await twin.call('/api/profile', { token })).status).toBe(401);
  expect((await ana.signIn({ merchant_id: shop.merchantId, password: PASSWORD })).json.error).toBe('invalid_grant');
});

describe('a token endpoint', () => {
  const GRANTS = {
    password: { username: 'a@b.ao', password: 'x' },
    refresh_token: { refresh_token: 'x' },
    'urn:balcao:params:oauth:grant-type:mfa-otp': { mfa_token: 'x', otp: '123456' },
    client_credentials: { client_secret: 'x' },
  };

  test.each(Object.entries(GRANTS))(
    'with the grant %s refuses missing fields and fields that are not text',
    async (grant_type, fields) => {
      for (const name of Object.keys(fields)) {
        for (const value of [1, {}, [], ['x'], true]) {
          const body = { grant_type, client_id: 'web', ...fields, [name]: value };
          const reply = await app.call('/oauth/token', { body, token: null });
          expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
        }
        const { [name as keyof typeof fields]: _, ...rest } = fields as Record<string, string>;
        const reply = await app.call('/oauth/token', { body: { grant_type, client_id: 'web', ...rest }, token: null });
        expect(reply.status).toBe(grant_type === 'client_credentials' ? 401 : 400);
      }
    },
  );

  test.each(['__proto__', 'constructor', 'toString', 'PASSWORD', 'password '])(
    'refuses the grant %j',
    async (grant_type) => {
      const reply = await app.call('/oauth/token', { body: { grant_type, client_id: 'web' }, token: null });
      expect([reply.status, reply.json.error]).toEqual([400, 'unsupported_grant_type']);
    },
  );

  test.each([
    ['sealed by nobody', 'v1.test.AAAA.AAAA'],
    ['of another key', 'v1.x.y.z'],
    ['dots', '....'],
    ['without a body', 'v1.test.AAAAAAAAAAAAAAAA.'],
    ['signed by nobody', `brt_${'0'.repeat(36)}.1.${'A'.repeat(43)}`],
    ['long', 'x'.repeat(7_000)],
    ['a picture', '💥'],
  ])('refuses %s in place of an mfa_token and of a refresh token', async (_name, text) => {
    const codes = { client_id: 'web', otp: '123456', mfa_token: text, refresh_token: text };
    for (const grant_type of ['refresh_token', 'urn:balcao:params:oauth:grant-type:mfa-otp']) {
      const reply = await postForm(app, '/oauth/token', { ...codes, grant_type });
      expect([reply.status, reply.json.error]).toEqual([400, 'invalid_grant']);
    }
    const reply = await postForm(app, '/oauth/revoke', { client_id: 'web', token: text });
    expect(reply.status).toBe(200);
  });
});
