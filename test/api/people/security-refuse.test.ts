// What the API of people, merchants and billing refuses: each fault at its pointer, all at once, and nothing that breaks it.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMember, postForm, type Member } from '../../support/members.ts';
import { readKept } from '../../support/one-of-each.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let ana: Member;
let token: string;
let clientId: string;
beforeAll(async () => {
  app = await startTestApp();
  shop = await app.addMerchant();
  ana = await addMember(app, { merchantId: shop.merchantId });
  token = await ana.token();
  const made = await app.call(at('/api/merchants/{merchantId}/clients'), { body: { name: 'ERP' }, token });
  clientId = made.json.clientId;
});

const at = (path: string) => path.replace('{merchantId}', shop.merchantId).replace('{clientId}', clientId);

type Asked = { method?: string; path: string; isPublic?: true; body: object; faults: string[] };

const PERSON = { firstName: 7, lastName: '', phoneNumber: '12', language: 'xx' };
const PERSON_FAULTS = [
  'firstName invalid_type',
  'lastName too_short',
  'phoneNumber invalid_phone',
  'language invalid_value',
];

/** Every operation with everything wrong; each value by itself is refused-people.test's, of the schemas. */
const ASKED: Asked[] = [
  {
    path: '/api/auth/register',
    isPublic: true,
    body: { email: 'a@b', password: 'curta', ...PERSON },
    faults: ['email invalid_email', 'password password_length', ...PERSON_FAULTS],
  },
  { path: '/api/auth/verify-email', isPublic: true, body: { token: 1 }, faults: ['token invalid_type'] },
  { path: '/api/auth/verify-email/resend', isPublic: true, body: { email: 'x' }, faults: ['email invalid_email'] },
  { path: '/api/auth/recover', isPublic: true, body: { email: '<a@b.ao>' }, faults: ['email invalid_email'] },
  {
    path: '/api/auth/reset',
    isPublic: true,
    body: { token: 'x'.repeat(201), password: [] },
    faults: ['token too_long', 'password invalid_type'],
  },
  {
    path: '/api/auth/accept-invitation',
    isPublic: true,
    body: { token: null, password: 1, ...PERSON },
    faults: ['token invalid_type', 'password invalid_type', ...PERSON_FAULTS],
  },
  { method: 'PUT', path: '/api/profile', body: PERSON, faults: PERSON_FAULTS },
  {
    path: '/api/profile/password',
    body: { currentPassword: 'x'.repeat(1_001) },
    faults: ['currentPassword too_long', 'password required'],
  },
  { path: '/api/profile/mfa/totp', body: { password: {} }, faults: ['password invalid_type'] },
  { path: '/api/profile/mfa/totp/confirm', body: { code: 'x'.repeat(101) }, faults: ['code too_long'] },
  { method: 'DELETE', path: '/api/profile/mfa/totp', body: { code: 1 }, faults: ['code invalid_type'] },
  { path: '/api/profile/mfa/recovery-codes', body: {}, faults: ['code required'] },
  {
    path: '/api/merchants',
    body: { name: 'a\nb', defaultLanguage: '__proto__' },
    faults: ['name invalid_format', 'defaultLanguage invalid_value'],
  },
  {
    method: 'PUT',
    path: '/api/merchants/{merchantId}',
    body: {
      name: ' ',
      defaultLanguage: '',
      brandColor: 'red',
      brandLogo: 'x',
      allowedOrigins: 1,
      returnOrigins: {},
      uniqueReferences: 'true',
    },
    faults: [
      'name too_short',
      'defaultLanguage invalid_value',
      'brandColor invalid_color',
      'brandLogo invalid_logo',
      'allowedOrigins invalid_type',
      'returnOrigins invalid_type',
      'uniqueReferences invalid_type',
    ],
  },
  {
    path: '/api/merchants/{merchantId}/clients',
    body: { name: 1, scopes: [] },
    faults: ['name invalid_type', 'scopes too_small'],
  },
  {
    path: '/api/merchants/{merchantId}/clients/{clientId}/rotate-secret',
    body: { overlapHours: 169 },
    faults: ['overlapHours too_big'],
  },
  {
    path: '/api/merchants/{merchantId}/users',
    body: { email: ' ', roleId: 'Owner' },
    faults: ['email invalid_email', 'roleId unknown_role'],
  },
  { method: 'PUT', path: '/api/billing/subscription', body: { planId: null }, faults: ['planId invalid_type'] },
];

test('the table lists every route with a body', () => {
  const tags = ['Accounts', 'Profile', 'Merchants', 'Clients', 'People', 'Billing'];
  const declared = app.node.app.routes.flatMap(({ method, path, tag, body, isHidden }) =>
    tags.includes(tag) && body && !isHidden ? [`${method} ${path}`] : [],
  );
  expect(ASKED.map(({ method = 'POST', path }) => `${method} ${path}`).toSorted()).toEqual(declared.toSorted());
});

test.each(ASKED.map((asked) => ({ method: 'POST', ...asked })))(
  '$method $path names all faults and changes nothing',
  async ({ method, path, isPublic, body, faults }) => {
    const before = await readKept(app);
    const reply = await app.call(at(path), { method, body, token: isPublic ? null : token });
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed']);
    const told = reply.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
    expect(told.toSorted()).toEqual(faults.map((fault) => `/${fault}`).toSorted());
    // A value that was refused is not said again: it may be a secret.
    expect(reply.text).not.toMatch(/curta|x{9}/);
    expect(await readKept(app)).toEqual(before);
  },
);

describe('a token endpoint', () => {
  const GRANTS = {
    password: { username: 'a@b.ao', password: 'x' },
    refresh_token: { refresh_token: 'x' },
    'urn:balcao:params:oauth:grant-type:mfa-otp': { mfa_token: 'x', otp: '123456' },
    client_credentials: { client_secret: 'x' },
  };

  test.each(Object.entries(GRANTS))('with grant %s refuses missing and non-text fields', async (grant_type, fields) => {
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
  });

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
  ])('refuses %s as mfa_token and as refresh token', async (_name, text) => {
    const codes = { client_id: 'web', otp: '123456', mfa_token: text, refresh_token: text };
    for (const grant_type of ['refresh_token', 'urn:balcao:params:oauth:grant-type:mfa-otp']) {
      const reply = await postForm(app, '/oauth/token', { ...codes, grant_type });
      expect([reply.status, reply.json.error]).toEqual([400, 'invalid_grant']);
    }
    const reply = await postForm(app, '/oauth/revoke', { client_id: 'web', token: text });
    expect(reply.status).toBe(200);
  });

  test('refuses a parameter sent twice', async () => {
    const body = 'grant_type=password&client_id=web&username=a@b.ao&password=x&username=c@d.ao';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await app.call('/oauth/token', { body, token: null, headers });
    expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
  });

  test.each(['\u0000', '%00', "' or 1=1 --", 'web ', 'WEB'])('refuses the client %j', async (id) => {
    const basic = `Basic ${Buffer.from(`${encodeURIComponent(id)}:x`).toString('base64')}`;
    const body = { grant_type: 'client_credentials' };
    const reply = await postForm(app, '/oauth/token', body, { authorization: basic });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
  });
});
