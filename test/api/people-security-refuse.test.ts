// What the API of people, merchants and billing refuses: each fault at its pointer, all at once, and nothing that breaks it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { roleOf } from '../../shared/roles.ts';
import { startTestApp, type Reply, type TestApp } from '../support/app.ts';
import { addMember, PASSWORD, postForm, type Member } from '../support/members.ts';

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
afterAll(() => app?.stop());

const at = (path: string) => path.replace('{merchantId}', shop.merchantId).replace('{clientId}', clientId);

type Field = { good: unknown; bad: Record<string, unknown[]> };
type Asked = { method?: string; path: string; isPublic?: true; fields: Record<string, Field> };

/** Of any text that must be there. */
const NO_TEXT = [undefined, null, 1, true, {}, []];
const LINK = 'A'.repeat(43);

const texts = (code: string, wrong: unknown[]): Field['bad'] => ({ '*': NO_TEXT, [code]: wrong });
const EMAIL: Field = {
  good: 'alguem@loja.example',
  bad: texts('invalid_email', [
    '',
    ' ',
    'x',
    'a@b',
    'a@b.c',
    'a b@c.ao',
    'a@b.ao\r\nBcc: c@d.ao',
    `${'x'.repeat(250)}@b.ao`,
    '<a@b.ao>',
    'a@b.ao,c@d.ao',
  ]),
};
const PASS: Field = {
  good: 'mulemba kitanda roxo 57',
  bad: {
    '*': NO_TEXT,
    password_length: ['', 'curta', 'x'.repeat(129), '😀'.repeat(11)],
    password_common: ['password1234', 'aaaaaaaaaaaaaaaa'],
  },
};
const TOKEN: Field = { good: LINK, bad: { '*': [...NO_TEXT, 'x'.repeat(201)] } };
const NAME: Field = { good: 'Ana', bad: { '*': [...NO_TEXT, '', ' ', 'x'.repeat(101), 'a\nb', 'a\u2028b'] } };
const PHONE: Field = {
  good: '923456789',
  bad: { '*': [1, {}, [], true], invalid_phone: ['', 'x', '12', '+1 202 555 0100'] },
};
const LANGUAGE: Field = { good: 'pt', bad: { '*': [1, {}, []], invalid_value: ['xx', '__proto__', ''] } };
const OLD_PASSWORD: Field = { good: PASSWORD, bad: { '*': [...NO_TEXT, 'x'.repeat(1_001)] } };
const CODE: Field = { good: '123456', bad: { '*': [...NO_TEXT, 'x'.repeat(101)] } };
const about = { firstName: NAME, lastName: NAME, phoneNumber: PHONE, language: LANGUAGE };
const optional = (field: Field, code: string): Field => ({
  good: field.good,
  bad: { ...field.bad, [code]: field.bad[code]!.filter((value) => value !== undefined && value !== null) },
});

const ASKED: Asked[] = [
  { path: '/api/auth/register', isPublic: true, fields: { email: EMAIL, password: PASS, ...about } },
  { path: '/api/auth/verify-email', isPublic: true, fields: { token: TOKEN } },
  { path: '/api/auth/verify-email/resend', isPublic: true, fields: { email: EMAIL } },
  { path: '/api/auth/recover', isPublic: true, fields: { email: EMAIL } },
  { path: '/api/auth/reset', isPublic: true, fields: { token: TOKEN, password: { ...PASS, bad: { '*': NO_TEXT } } } },
  {
    path: '/api/auth/accept-invitation',
    isPublic: true,
    fields: { token: TOKEN, password: { ...PASS, bad: { '*': NO_TEXT } }, ...about },
  },
  {
    method: 'PUT',
    path: '/api/profile',
    fields: {
      firstName: optional(NAME, '*'),
      lastName: optional(NAME, '*'),
      phoneNumber: PHONE,
      language: LANGUAGE,
    },
  },
  {
    path: '/api/profile/password',
    fields: { currentPassword: OLD_PASSWORD, password: { ...PASS, bad: { '*': NO_TEXT } } },
  },
  { path: '/api/profile/mfa/totp', fields: { password: OLD_PASSWORD } },
  { path: '/api/profile/mfa/totp/confirm', fields: { code: CODE } },
  { method: 'DELETE', path: '/api/profile/mfa/totp', fields: { code: CODE } },
  { path: '/api/profile/mfa/recovery-codes', fields: { code: CODE } },
  { path: '/api/merchants', fields: { name: NAME, defaultLanguage: LANGUAGE } },
  {
    method: 'PUT',
    path: '/api/merchants/{merchantId}',
    fields: {
      name: optional(NAME, '*'),
      defaultLanguage: LANGUAGE,
      brandColor: { good: '#0a7d4b', bad: { '*': [1, {}, []], invalid_color: ['', 'red', '#0a7d4', '#0a7d4b;x'] } },
      brandLogo: {
        good: null,
        bad: { '*': [1, {}, []], invalid_logo: ['', 'x', 'data:image/svg+xml;base64,PHN2Zz4='] },
      },
      allowedOrigins: { good: [], bad: { '*': [1, {}, 'https://a.example', Array(21).fill('https://a.example')] } },
      returnOrigins: { good: [], bad: { '*': [1, {}, 'https://a.example'] } },
      uniqueReferences: { good: false, bad: { '*': [1, 'true', {}, []] } },
    },
  },
  {
    path: '/api/merchants/{merchantId}/clients',
    fields: { name: NAME, scopes: { good: ['payments:read'], bad: { '*': [1, {}, 'payments:read', []] } } },
  },
  {
    path: '/api/merchants/{merchantId}/clients/{clientId}/rotate-secret',
    fields: { overlapHours: { good: 1, bad: { '*': [-1, 1.5, 169, '1', {}, [], true, 1e300] } } },
  },
  {
    path: '/api/merchants/{merchantId}/users',
    fields: {
      email: EMAIL,
      roleId: {
        good: roleOf('Viewer').id,
        bad: texts('unknown_role', ['', 'Owner', '__proto__', '00000000-0000-4000-8000-000000000009']),
      },
    },
  },
  {
    method: 'PUT',
    path: '/api/billing/subscription',
    fields: { planId: { good: '01980000-0000-7000-8000-000000000001', bad: { '*': NO_TEXT } } },
  },
];

const send = ({ method = 'POST', path, isPublic }: Asked, body?: unknown): Promise<Reply> =>
  app.call(at(path), { method, token: isPublic ? null : token, ...(body !== undefined && { body }) });

const faultsIn = (reply: Reply): [string, string][] =>
  reply.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);

test('the list here has every route with a body', () => {
  const tags = ['Accounts', 'Profile', 'Merchants', 'Clients', 'People', 'Billing'];
  const declared = app.node.app.routes.flatMap(({ method, path, tag, body, isHidden }) =>
    tags.includes(tag) && body && !isHidden ? [`${method} ${path}`] : [],
  );
  expect(ASKED.map(({ method = 'POST', path }) => `${method} ${path}`).toSorted()).toEqual(declared.toSorted());
});

describe.each(ASKED.map((asked) => ({ method: 'POST', ...asked })))('$method $path', (asked) => {
  const { fields, path } = asked;
  const good = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.good]));

  test.each(Object.entries(fields))('%s: each wrong value is told at its place', async (name, { bad }) => {
    for (const [code, values] of Object.entries(bad))
      for (const value of values) {
        const reply = await send(asked, { ...good, [name]: value });
        const told = [reply.status, reply.json?.code ?? null, value];
        expect(told).toEqual([400, 'validation_failed', value]);
        const here = faultsIn(reply).filter(([pointer]) => pointer.startsWith(`/${name}`));
        expect(here, JSON.stringify(value)).not.toEqual([]);
        if (code !== '*') expect(here, JSON.stringify(value)).toEqual([[`/${name}`, code]]);
        // A value that was refused is not said again: it may be a secret.
        if (typeof value === 'string' && value.length > 8 && /password|code|token/i.test(name))
          expect(reply.text).not.toContain(value);
      }
  });

  test('all of them at once', async () => {
    const wrong = Object.entries(fields).map(([name, { bad }]) => [name, bad['*']?.at(-1)]);
    const reply = await send(asked, Object.fromEntries(wrong));
    expect(reply.status).toBe(400);
    const pointers = new Set(faultsIn(reply).map(([pointer]) => pointer.split('/')[1]));
    expect([...pointers].toSorted()).toEqual(Object.keys(fields).toSorted());
  });

  test.each([
    ['a list', []],
    ['a text', '"texto"'],
    ['a number', '1'],
    ['null', 'null'],
    ['a list of what it should be', [{}]],
  ])('%s is no body', async (_name, body) => {
    const reply = await send(asked, body);
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed']);
    expect(faultsIn(reply)[0]![0]).toBe('');
  });

  test.each([
    ['NUL', 'a\\u0000b'],
    ['half of a pair', 'a\\ud800b'],
  ])('%s in a text', async (_name, text) => {
    for (const name of Object.keys(fields)) {
      const reply = await send(asked, `{"${name}":"${text}"}`);
      expect([name, reply.status, reply.json.code]).toEqual([name, 400, 'invalid_text']);
      expect(faultsIn(reply)).toEqual([[`/${name}`, 'invalid_text']]);
    }
  });

  test('cut short, too deep, too large', async () => {
    expect((await send(asked, '{"a":')).json.code).toBe('malformed_json');
    expect((await send(asked, '['.repeat(40) + ']'.repeat(40))).json.code).toBe('nesting_too_deep');
    const large = JSON.stringify({ x: 'x'.repeat(asked.isPublic ? 17_000 : 1_100_000) });
    expect((await send(asked, large)).status).toBe(413);
    expect((await send(asked, { ...good, __x: 1 })).status).not.toBe(500);
  });

  test('keys of prototypes are data that nobody asked for', async () => {
    const reply = await send(
      asked,
      '{"__proto__":{"email":"a@b.ao","name":"x","isAdmin":true},"constructor":{"prototype":{"name":"x"}},"toString":1}',
    );
    expect(reply.status).toBeLessThan(500);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    // What is asked for is still missing, wherever something must be there.
    if (!/^(PUT .*(profile|merchantId\})|POST .*rotate-secret)$/.test(`${asked.method} ${path}`))
      expect(reply.status).toBe(400);
  });
});

describe('the token endpoints', () => {
  const GRANTS = {
    password: { username: 'a@b.ao', password: 'x' },
    refresh_token: { refresh_token: 'x' },
    'urn:balcao:params:oauth:grant-type:mfa-otp': { mfa_token: 'x', otp: '123456' },
    client_credentials: { client_secret: 'x' },
  };

  test.each(Object.entries(GRANTS))('%s: fields that are no text, or are not there', async (grant_type, fields) => {
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

  test.each(['__proto__', 'constructor', 'toString', 'PASSWORD', 'password '])('%j is no grant', async (grant_type) => {
    const reply = await app.call('/oauth/token', { body: { grant_type, client_id: 'web' }, token: null });
    expect([reply.status, reply.json.error]).toEqual([400, 'unsupported_grant_type']);
  });

  test.each([
    ['sealed by nobody', 'v1.test.AAAA.AAAA'],
    ['of another key', 'v1.x.y.z'],
    ['dots', '....'],
    ['without a body', 'v1.test.AAAAAAAAAAAAAAAA.'],
    ['signed by nobody', `brt_${'0'.repeat(36)}.1.${'A'.repeat(43)}`],
    ['long', 'x'.repeat(7_000)],
    ['a picture', '💥'],
  ])('%s: neither an mfa_token nor a refresh token', async (_name, text) => {
    const codes = { client_id: 'web', otp: '123456', mfa_token: text, refresh_token: text };
    for (const grant_type of ['refresh_token', 'urn:balcao:params:oauth:grant-type:mfa-otp']) {
      const reply = await postForm(app, '/oauth/token', { ...codes, grant_type });
      expect([reply.status, reply.json.error]).toEqual([400, 'invalid_grant']);
    }
    const reply = await postForm(app, '/oauth/revoke', { client_id: 'web', token: text });
    expect(reply.status).toBe(200);
  });

  test('a parameter sent twice means nothing', async () => {
    const body = 'grant_type=password&client_id=web&username=a@b.ao&password=x&username=c@d.ao';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await app.call('/oauth/token', { body, token: null, headers });
    expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
  });

  test.each(['\u0000', '%00', "' or 1=1 --", 'web ', 'WEB'])('client %j is none', async (id) => {
    const basic = `Basic ${Buffer.from(`${encodeURIComponent(id)}:x`).toString('base64')}`;
    const body = { grant_type: 'client_credentials' };
    const reply = await postForm(app, '/oauth/token', body, { authorization: basic });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
  });
});
