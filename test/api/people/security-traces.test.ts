import { PassThrough } from 'node:stream';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, test } from 'vitest';
import { roleOf } from '../../../shared/roles.ts';
import { startTestApp, type CallOptions, type TestApp } from '../../support/app.ts';
import { askToken, readLinkToken } from '../../support/people.ts';
import { ACCESS_KEY, RECEIVER_ENV } from '../../support/receiver.ts';

const EMAIL = 'mulher.zelosa@exemplo.ao';
const INVITED = 'convidado.raro@exemplo.ao';
const HOOK = 'http://127.0.0.1:9/hook';
const PASSWORDS = ['mulemba kitanda roxo 57', 'jacaranda torto 8 bules', 'tres cabras no telhado 3'] as const;
const MFA = 'urn:balcao:params:oauth:grant-type:mfa-otp';

let app: TestApp;
let log = '';
const secrets = new Map<string, string>();
/** The audit must contain these actions in this order. */
const done: string[] = [];

beforeAll(async () => {
  const stream = new PassThrough();
  stream.on('data', (chunk) => (log += chunk));
  app = await startTestApp({ logTo: stream, env: RECEIVER_ENV });
  await openAccount();
  const merchantId = await openMerchant();
  await useSecondFactor(merchantId);
  await changePasswords();
  await askWrongly();
});

function keep(name: string, secret: string): string {
  expect(secret, name).toMatch(/^\S{6,}|^\S+( \S+){3,}/);
  secrets.set(name, secret);
  return secret;
}

/** Calls an operation that must succeed. `audited` is the action of its audit entry. */
async function act(path: string, audited: string | null, options: CallOptions): Promise<any> {
  await app.clock.advance(1_000);
  const reply = await app.call(path, options);
  if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  if (audited) done.push(audited);
  return reply.json;
}

async function signIn(name: string, fields: Record<string, string>): Promise<string> {
  const { json, text } = await askToken(app, { username: EMAIL, ...fields });
  if (!json.access_token) throw new Error(text);
  keep(`refresh token ${name}`, json.refresh_token);
  return keep(`access token ${name}`, json.access_token);
}

async function openAccount(): Promise<void> {
  const body = { email: EMAIL, password: keep('password', PASSWORDS[0]), firstName: 'Zé', lastName: 'Rara' };
  await act('/api/auth/register', 'account.registered', { body, token: null });
  const token = keep('link to verify', await readLinkToken(app, EMAIL, 'verify-email'));
  await app.call(`/account/verify-email?token=${token}&lang=pt`, { token: null });
  await act('/api/auth/verify-email', 'account.verified', { body: { token }, token: null });
  await act('/api/auth/register', 'account.registration_refused', { body, token: null });
}

async function openMerchant(): Promise<string> {
  const first = await signIn('without a merchant', { password: PASSWORDS[0] });
  const made = await act('/api/merchants', 'merchant.created', { body: { name: 'Rara' }, token: first });
  done.push('client.created');
  const [merchantId, { clientId }] = [made.merchant.id as string, made.client];
  keep('client secret', made.client.clientSecret);
  const token = await signIn('of the merchant', { password: PASSWORDS[0], merchant_id: merchantId });
  const path = `/api/merchants/${merchantId}`;
  const rotated = await act(`${path}/clients/${clientId}/rotate-secret`, 'client.rotated', { method: 'POST', token });
  keep('client secret, rotated', rotated.clientSecret);
  await act(path, 'merchant.changed', { method: 'PUT', body: { brandColor: '#0a7d4b' }, token });
  const grant = { email: INVITED, roleId: roleOf('Viewer').id };
  await act(`${path}/users`, 'access.granted', { body: grant, token });
  const link = keep('link of an invitation', await readLinkToken(app, INVITED, 'invitation'));
  const about = { password: PASSWORDS[1], firstName: 'Rui', lastName: 'Raro' };
  done.push('access.accepted');
  await act('/api/auth/accept-invitation', 'account.accepted', { body: { ...about, token: link }, token: null });
  await act(`${path}/users`, 'access.changed', { body: { ...grant, roleId: roleOf('Cashier').id }, token });
  const callback = { url: HOOK, accessKey: keep('access key', ACCESS_KEY) };
  await act(`${path}/callback`, 'callback.set', { method: 'PUT', body: callback, token });
  const sender = { nomeremetenteSms: 'Rara' };
  await act('/api/ContaSms/AtualizarRemetente', 'sms.sender_changed', { method: 'PUT', body: sender, token });
  const hook = await act('/api/webhooks', 'webhook.created', { body: { url: HOOK }, token });
  keep('webhook secret', hook.secret);
  const again = await act(`/api/webhooks/${hook.id}/rotate-secret`, 'webhook.rotated', { method: 'POST', token });
  keep('webhook secret, rotated', again.secret);
  await act(`${path}/clients/${clientId}`, 'client.revoked', { method: 'DELETE', token });
  const [{ id }] = await app.sql('select id from users where email = $1', [INVITED]);
  await act(`${path}/users/${id}`, 'access.revoked', { method: 'DELETE', token });
  return merchantId;
}

async function useSecondFactor(merchant_id: string): Promise<void> {
  const token = await signIn('before the second factor', { password: PASSWORDS[0], merchant_id });
  const path = '/api/profile/mfa';
  const begun = await act(`${path}/totp`, 'mfa.begun', { body: { password: PASSWORDS[0] }, token });
  const totp = new TOTP({ secret: Secret.fromBase32(keep('TOTP secret', begun.secret)) });
  const codeNow = async () => {
    await app.clock.pass(30_000);
    return totp.generate({ timestamp: app.clock.now().getTime() });
  };
  const confirmed = await act(`${path}/totp/confirm`, 'mfa.enabled', { body: { code: await codeNow() }, token });
  confirmed.recoveryCodes.forEach((code: string, nth: number) => keep(`recovery code ${nth}`, code));
  const { json } = await askToken(app, { username: EMAIL, password: PASSWORDS[0] });
  const mfa_token = keep('mfa_token', json.mfa_token);
  await signIn('by two steps', { grant_type: MFA, mfa_token, otp: await codeNow() });
  const code = { body: { code: await codeNow() }, token };
  const renewed = await act(`${path}/recovery-codes`, 'mfa.codes_renewed', code);
  renewed.recoveryCodes.forEach((each: string, nth: number) => keep(`new recovery code ${nth}`, each));
  await act(`${path}/totp`, 'mfa.disabled', { method: 'DELETE', body: { code: renewed.recoveryCodes[0] }, token });
  await act('/api/profile', 'profile.changed', { method: 'PUT', body: { phoneNumber: '923 456 789' }, token });
}

async function changePasswords(): Promise<void> {
  await app.call('/api/auth/recover', { body: { email: EMAIL }, token: null });
  const token = keep('link to reset', await readLinkToken(app, EMAIL, 'reset'));
  await app.call(`/account/reset?token=${token}`, { token: null });
  const body = { token, password: keep('password, reset', PASSWORDS[1]) };
  await act('/api/auth/reset', 'password.reset', { body, token: null });
  const bearer = await signIn('after the reset', { password: PASSWORDS[1] });
  const change = { currentPassword: PASSWORDS[1], password: keep('password, changed', PASSWORDS[2]) };
  await act('/api/profile/password', 'password.changed', { body: change, token: bearer });
  await signIn('elsewhere', { password: PASSWORDS[2] });
  await act('/api/profile/sessions', 'sessions.ended', { method: 'DELETE', token: bearer });
  const { data } = await act('/api/profile/sessions', null, { token: bearer });
  await act(`/api/profile/sessions/${data[0].id}`, 'session.ended', { method: 'DELETE', token: bearer });
  // No step opens the link in this mail.
  await app.call('/api/auth/recover', { body: { email: EMAIL }, token: null });
  keep('link to reset, unused', await readLinkToken(app, EMAIL, 'reset'));
}

/** Sends secrets in fields and headers where they do not belong. */
async function askWrongly(): Promise<void> {
  const [token, access] = [String(secrets.get('link to reset')), String(secrets.get('access token elsewhere'))];
  const paths = [
    `/account/reset/${token}`,
    `/account/nowhere?token=${token}`,
    `/account/verify-email?token=${token}&token=${token}`,
    `/api/profile?access_token=${access}`,
    `/oauth/token?password=${encodeURIComponent(PASSWORDS[2])}`,
    `/api/auth/reset?token=${token}`,
  ];
  for (const path of paths) await app.call(path, { token: null, headers: { referer: app.url + path } });
  for (const body of [`{"token":"${token}`, `token=${token}`, { token, password: PASSWORDS[2] }, [token]])
    expect((await app.call('/api/auth/reset', { body, token: null })).status).toBe(400);
}

/** Returns the encodings in which the secret may appear. */
const formsOf = (secret: string) => [
  secret,
  secret.replaceAll('-', ''),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret, 'base64url').toString('hex'),
];

const findIn = (text: string) =>
  [...secrets].flatMap(([name, secret]) =>
    formsOf(secret).some((form) => form.length >= 6 && text.includes(form)) ? [name] : [],
  );

describe('each of the 46 secrets', () => {
  test('exists after all steps, and the search function finds it in a text', () => {
    expect(secrets.size).toBe(46);
    for (const [name, secret] of secrets) expect(findIn(`… ${secret} …`)).toContain(name);
    expect(findIn(Buffer.from(PASSWORDS[0]).toString('hex'))).toEqual(['password']);
  });

  test('is in no table of the database', async () => {
    // The simulator stores its mails in another schema, so the search skips them.
    const tables = await app.sql(`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`);
    expect(tables.length).toBeGreaterThan(25);
    for (const { name } of tables) {
      const rows = await app.sql(`select t::text as row from "${name}" t`);
      expect([name, findIn(rows.map(({ row }) => row).join('\n'))]).toEqual([name, []]);
    }
  });

  test('is not in the log, and the log contains no email address', () => {
    expect(log).toContain('"route":"/account/reset"');
    expect(log).toContain('"route":"/oauth/token"');
    expect(findIn(log)).toEqual([]);
    expect(log).not.toMatch(/token=|mulher\.zelosa|convidado\.raro|923456789/);
  });

  test('is only in the response that creates it', async () => {
    const token = (await askToken(app, { username: EMAIL, password: PASSWORDS[2] })).json.access_token;
    for (const path of ['', '/users', '/clients', '/audit?pageSize=100', '/callback']) {
      const [{ id }] = await app.sql('select id from merchants where name = $1', ['Rara']);
      const reply = await app.call(`/api/merchants/${id}${path}`, { token });
      expect([path, reply.status, findIn(reply.text)]).toEqual([path, 200, []]);
    }
    for (const path of ['/api/profile', '/api/profile/sessions', '/api/webhooks', '/api/events', '/v1/notificacoes']) {
      const reply = await app.call(path, { token });
      expect([path, reply.status, findIn(reply.text)]).toEqual([path, 200, []]);
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
  });
});

test('the audit has each change once, in order, with the person and the IP address', async () => {
  const entries = await app.sql('select * from audit_entries order by seq');
  expect(entries.map(({ action }) => action)).toEqual(done);
  for (const { action, actor_kind, actor_id, address, target } of entries) {
    expect([action, actor_kind]).toEqual([action, action.startsWith('account.regist') ? 'system' : 'user']);
    expect([action, !!actor_id, !!address, !!target]).toEqual([action, true, true, true]);
  }
});

/** These operations change neither access, nor credentials, nor configuration. */
const OTHERS = [
  /^(create|sync|cancel|capture)(Payment|Capture|Reference|LegacyReference|References|Refund)s?$/,
  /^(open|close)Terminal$/,
  /^enterCredits$/,
  /^(test|replay)(Callback|Callbacks|CallbackEndpoint|Webhook)$/,
  /^mark(All)?Notifications?$/,
  /^receive(Gpo|Ppr|Sms|Account|Attempt)Notification$/,
  /^(payCheckout(ByReference|ByCode)?|testRailAccount|issueToken|revokeToken|recoverAccount|resendVerification)$/,
  /^(create|replace|withdraw)Link$/,
  /^((send|schedule|cancelScheduled|preview)Sms(Template|ToList)?|sendLinkSms|(send|preview)ReferenceSms)$/,
  /^(create|add|import|replace|update|remove|delete)Sms(Contacts?|ContactList|ContactToList|ContactFromList|Template)$/,
  /^(open|close)Shift$|^recordCash$|^(create|change|delete)Article$/,
  /^(replacePayment|sendReceipt|importStatement|reverseCredit|(explain|withdraw)(Difference|Explanation))$/,
  /^submit:/,
  // The forms of the console call the operations above.
  /^console:/,
];

test('each operation that changes rights has an action in the audit', () => {
  const audited = app.node.app.routes.flatMap(({ method, operationId }) =>
    method === 'GET' || OTHERS.some((pattern) => pattern.test(operationId)) ? [] : [operationId],
  );
  expect(audited.toSorted()).toEqual([
    'acceptInvitation',
    'addRailAccount',
    'changePassword',
    'changeProfile',
    'changeRailAccount',
    'choosePlan',
    'confirmTotp',
    'createClient',
    'createMerchant',
    'createSmsOptOut',
    'createWebhook',
    'deleteSmsOptOut',
    'disableTotp',
    'endOtherSessions',
    'endSession',
    'enrolTotp',
    'erasePersonalData',
    'exportPersonalData',
    'grantAccess',
    'registerPerson',
    'removeCallbackEndpoint',
    'removeRailAccount',
    'removeWebhook',
    'renewRecoveryCodes',
    'replaceWebhook',
    'resetPassword',
    'resolvePayment',
    'revokeAccess',
    'revokeClient',
    'rotateClientSecret',
    'rotateWebhookSecret',
    'setCallbackEndpoint',
    'updateMerchant',
    'updateSmsSender',
    'verifyEmail',
  ]);
});
