// Two-step sign-in by a password and a TOTP code or recovery code.
import { Secret, TOTP } from 'otpauth';
import { beforeAll, expect, test } from 'vitest';
import { makeRecoveryCodes, makeTotpSecret } from '../../../server/people/totp.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMember, PASSWORD, takeToken, type Member } from '../../support/members.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});

const { merchantId } = DEMO;
const GRANT = 'urn:balcao:params:oauth:grant-type:mfa-otp';
const STEP_MS = 30_000;

type Guarded = Member & { code(): string; wrongCode(): string; recovery: string[] };

/** Creates a member with an authenticator and recovery codes. */
async function addGuarded(): Promise<Guarded> {
  const member = await addMember(app, { merchantId, role: 'Cashier' });
  const { secret, sealed } = makeTotpSecret(app.node.core, member.email);
  const { codes, digests } = makeRecoveryCodes();
  await app.sql('update users set totp_secret = $2, totp_confirmed_at = $3, recovery_codes = $4 where id = $1', [
    member.userId,
    sealed,
    app.clock.now(),
    digests,
  ]);
  const totp = new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 });
  const codeAt = (timestamp: number) => totp.generate({ timestamp });
  const code = () => codeAt(app.clock.now().getTime());
  /** Returns a code that is not valid at this time, nor one step before or after it. */
  const wrongCode = () => {
    const near = [-STEP_MS, 0, STEP_MS].map((ms) => codeAt(app.clock.now().getTime() + ms));
    return ['000000', '000001', '000002', '000003'].find((each) => !near.includes(each))!;
  };
  return { ...member, recovery: codes, code, wrongCode };
}

const second = (mfa_token: string, otp: string, also = {}, headers = {}) =>
  takeToken(app, { grant_type: GRANT, client_id: 'web', mfa_token, otp, ...also }, headers);

async function beginSignIn(member: Member, also: Record<string, string> = {}): Promise<string> {
  const reply = await member.signIn(also);
  expect(reply).toMatchObject({ status: 400, json: { error: 'mfa_required', expires_in: 300 } });
  expect(reply.json.access_token).toBeUndefined();
  return reply.json.mfa_token;
}

test('a TOTP code completes the sign-in with the scope and merchant of the first step', async () => {
  const member = await addGuarded();
  const token = await beginSignIn(member, { scope: 'payments:read terminals', merchant_id: merchantId });
  const { status, json } = await second(token, member.code());
  expect(status).toBe(200);
  expect(json).toMatchObject({ scope: 'payments:read terminals', merchant_id: merchantId });
  expect((await app.call('/api/payments', { token: json.access_token })).status).toBe(200);
  const next = await takeToken(app, {
    grant_type: 'refresh_token',
    client_id: 'web',
    refresh_token: json.refresh_token,
  });
  expect(next.status).toBe(200);
});

test('a TOTP code is accepted once, also if another sign-in uses it', async () => {
  const member = await addGuarded();
  const [first, other] = [await beginSignIn(member), await beginSignIn(member)];
  const code = member.code();
  expect((await second(first, code)).status).toBe(200);
  expect(await second(other, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  app.clock.leap(STEP_MS);
  expect((await second(other, member.code())).status).toBe(200);
});

test('a recovery code is accepted once, in upper or lower case and with spaces', async () => {
  const member = await addGuarded();
  const code = ` ${member.recovery[3]?.toUpperCase().replace('-', ' ')} `;
  expect((await second(await beginSignIn(member), code)).status).toBe(200);
  expect((await second(await beginSignIn(member), code)).status).toBe(400);
  expect((await second(await beginSignIn(member), String(member.recovery[4]))).status).toBe(200);
});

test('an mfa_token ends after five minutes or a change of password, and only its own client may use it', async () => {
  const member = await addGuarded();
  const shop = await app.addMerchant();
  const token = await beginSignIn(member);
  expect((await second(token, member.code(), { client_id: shop.clientId })).status).toBe(400);
  for (const wrong of [
    'garbage',
    token.replace(/.(?=.{10}$)/, (letter) => (letter === 'A' ? 'B' : 'A')),
    token.slice(0, -4),
  ])
    expect((await second(wrong, member.code())).status).toBe(400);
  await app.sql(`update users set password_hash = password_hash || ' ' where id = $1`, [member.userId]);
  expect(await second(token, member.code())).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  await app.sql(`update users set password_hash = trim(password_hash) where id = $1`, [member.userId]);
  app.clock.leap(5 * 60_000);
  expect((await second(token, member.code())).status).toBe(400);
  const fresh = await beginSignIn(member);
  expect((await second(fresh, member.code())).status).toBe(200);
});

test('five wrong TOTP codes lock the account, although the password was correct each time', async () => {
  const member = await addGuarded();
  const statuses: number[] = [];
  for (let guess = 0; guess < 8; guess++) {
    const begun = await member.signIn();
    if (begun.status === 429) {
      statuses.push(429);
      continue;
    }
    statuses.push((await second(begun.json.mfa_token, member.wrongCode())).status);
  }
  expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400]);
  expect(statuses.slice(5)).toEqual([429, 429, 429]);
  const locked = await member.signIn();
  expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(0);
  app.clock.leap(30_000);
  expect((await second(await beginSignIn(member), member.code())).status).toBe(200);
});

test('ten wrong TOTP codes from many IP addresses lock the second step of the account', async () => {
  const member = await addGuarded();
  const from = (nth: number) => ({ 'x-forwarded-for': `41.0.0.${nth}` });
  for (let nth = 0; nth < 10; nth++) {
    expect((await second(await beginSignIn(member), member.wrongCode(), {}, from(nth))).status).toBe(400);
  }
  const locked = await second(await beginSignIn(member), member.code(), {}, from(99));
  expect(locked.status).toBe(429);
  expect(locked.headers.get('retry-after')).toBe('60');
  expect(locked.json.error_description).toMatch(/failed attempts/);
  app.clock.leap(60_000);
  expect((await second(await beginSignIn(member), member.wrongCode(), {}, from(50))).status).toBe(400);
  expect((await second(await beginSignIn(member), member.code(), {}, from(51))).headers.get('retry-after')).toBe('120');
  app.clock.leap(120_000);
  expect((await second(await beginSignIn(member), member.code(), {}, from(52))).status).toBe(200);
});

test('the second step requires a code, and a wrong password does not lead to the second step', async () => {
  const member = await addGuarded();
  const token = await beginSignIn(member);
  expect(await second(token, '')).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  expect(await app.sql('select from sessions where user_id = $1', [member.userId])).toEqual([]);
  expect((await member.signIn({ password: `${PASSWORD}!` })).json).toEqual({
    error: 'invalid_grant',
    error_description: 'the e-mail address or the password is wrong',
  });
});
