import { describe, expect, test } from 'vitest';
import { roleOf } from '../../../shared/roles.ts';
import { declaredRoutes, refuseBody } from '../../support/declared.ts';
import { PASSWORD } from '../../support/members.ts';

type Field = { good: unknown; bad: Record<string, unknown[]> };
type Asked = { method?: string; path: string; isPublic?: true; fields: Record<string, Field> };

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
    'a\u200b@b.ao',
    'a\u0001@b.ao',
    'a@b\u001b[31m.ao',
    'a\u007f@b.ao',
    'a\u00ad@b.ao',
    'a@b\u202e.ao',
    '"a b"@c.ao',
    'a@b.ao>, <c@d.ao',
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
/** Texts with line breaks or invisible characters. */
const HIDDEN = ['a\nb', 'a\r\nb', 'a\tb', 'a\u0085', 'a\u2028b', 'a\u202eb', '\u2066a', '\u2067a', 'a\u001bb'];
const NAME: Field = { good: 'Ana', bad: { '*': [...NO_TEXT, '', ' ', 'x'.repeat(101), ...HIDDEN] } };
const PHONE: Field = {
  good: '923456789',
  bad: { '*': [1, {}, [], true], invalid_phone: ['', 'x', '12', '+1 202 555 0100'] },
};
const LANGUAGE: Field = { good: 'pt', bad: { '*': [1, {}, []], invalid_value: ['xx', '__proto__', ''] } };
const OLD_PASSWORD: Field = { good: PASSWORD, bad: { '*': [...NO_TEXT, 'x'.repeat(1_001)] } };
const CODE: Field = { good: '123456', bad: { '*': [...NO_TEXT, 'x'.repeat(101)] } };
const ORIGINS: Field = {
  good: ['https://a.example'],
  bad: {
    '*': [
      1,
      {},
      [7],
      'https://a.example',
      Array.from({ length: 21 }, (_, nth) => `https://a${nth}.example`),
      ['https://a.example/x'],
      ['https://*.example'],
      ['http://a.example'],
    ],
  },
};
const about = { firstName: NAME, lastName: NAME, phoneNumber: PHONE, language: LANGUAGE };
const optional = (field: Field, code: string): Field => ({
  good: field.good,
  bad: { ...field.bad, [code]: field.bad[code]!.filter((value) => value !== undefined && value !== null) },
});

const ASKED: Asked[] = [
  { path: '/api/auth/register', isPublic: true, fields: { email: EMAIL, password: PASS, ...about } },
  {
    path: '/api/auth/verify-email',
    isPublic: true,
    fields: { token: TOKEN, password: optional({ ...PASS, bad: { '*': NO_TEXT } }, '*') },
  },
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
      brandColor: {
        good: '#0a7d4b',
        bad: { '*': [1, {}, []], invalid_color: ['', 'red', '#0a7d4', '#0a7d4b;x', '#000000;}'] },
      },
      brandLogo: {
        good: null,
        bad: {
          '*': [1, {}, []],
          invalid_logo: ['', 'x', 'data:image/svg+xml;base64,PHN2Zz4=', 'https://a.example/logo.png'],
        },
      },
      taxId: { good: null, bad: { invalid_nif: ['541712345'] } },
      privacyContact: { good: null, bad: { invalid_format: ['a\nb'] } },
      privacyNotice: { good: null, bad: { '*': ['x'.repeat(2_001), ' ', 'a\u202eb'] } },
      allowedOrigins: ORIGINS,
      returnOrigins: ORIGINS,
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

const nameOf = ({ method = 'POST', path }: { method?: string; path: string }) => `${method} ${path}`;

test('the table of this test lists every route about people with a body', () => {
  const tags = ['Accounts', 'Profile', 'Merchants', 'Clients', 'People', 'Billing'];
  const declared = declaredRoutes.filter(({ tag, body, isHidden }) => tags.includes(tag) && body && !isHidden);
  expect(ASKED.map(nameOf).toSorted()).toEqual(declared.map(nameOf).toSorted());
});

describe.each(ASKED.map((asked) => ({ method: 'POST', ...asked })))('$method $path', (asked) => {
  const { fields } = asked;
  const good = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.good]));
  const { operationId = '' } = declaredRoutes.find((route) => nameOf(route) === nameOf(asked)) ?? {};

  test('accepts a valid body', () => {
    expect(refuseBody(operationId, good)).toEqual({ code: null, faults: [], messages: [] });
  });

  test.each(Object.entries(fields))('reports each wrong value of %s by its pointer', (name, { bad }) => {
    for (const [code, values] of Object.entries(bad))
      for (const value of values) {
        const refused = refuseBody(operationId, { ...good, [name]: value });
        const here = refused.faults.filter((fault) => fault.startsWith(`/${name}`));
        expect(here, JSON.stringify(value)).not.toEqual([]);
        if (code !== '*') expect(here, JSON.stringify(value)).toEqual([`/${name} ${code}`]);
        else expect(refused.code).toBe('validation_failed');
        // A refused value may be a secret, so the response does not contain it.
        if (typeof value === 'string' && value.length > 8) expect(refused.messages.join()).not.toContain(value);
      }
  });

  test.each([
    ['NUL', 'a\\u0000b'],
    ['half of a pair', 'a\\ud800b'],
  ])('refuses %s in a text', (_name, text) => {
    for (const name of Object.keys(fields))
      expect(refuseBody(operationId, `{"${name}":"${text}"}`)).toMatchObject({
        code: 'invalid_text',
        faults: [`/${name} invalid_text`],
      });
  });

  test('ignores names of JavaScript prototype members as unknown fields', () => {
    const text =
      '{"__proto__":{"email":"a@b.ao","name":"x","isAdmin":true},"constructor":{"prototype":{"name":"x"}},"toString":1}';
    const { code } = refuseBody(operationId, text);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    // A required field stays missing, although the prototype has a member of that name.
    const isOptional = /^(PUT .*(profile|merchantId\})|POST .*rotate-secret)$/.test(nameOf(asked));
    expect(code).toBe(isOptional ? null : 'validation_failed');
  });
});
