import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { roleOf } from '../../../shared/roles.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { creepUntil } from '../../support/payments.ts';
import { startMailServer, type Delivered, type MailServer } from '../../support/mail.ts';
import { addMember, postForm, type Member } from '../../support/members.ts';
import { sendRaw } from '../../support/raw.ts';

let server: MailServer;
let app: TestApp;
let ana: Member;
beforeAll(async () => {
  server = await startMailServer();
  app = await startTestApp({ env: { SMTP_URL: server.url, MAIL_FROM: 'Balcão <no-reply@pay.example>' } });
  ana = await addMember(app);
});
afterAll(async () => {
  await server?.close();
});

let nth = 0;
const anyAddress = () => `pessoa-${(nth += 1)}@exemplo.ao`;

const receive = (to: string): Promise<Delivered> =>
  creepUntil(app, () => server.delivered.find((mail) => mail.to.includes(to)) as Delivered, `mail to ${to}`);

function readRaw(raw: string): { headers: string[]; subject: string; text: string; html: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const unfolded = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const subject = unfolded.find((line) => line.startsWith('Subject: '))?.slice(9) ?? '';
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '';
  const parts = rest.join('\r\n\r\n').split(`--${boundary}`);
  const decode = (type: string) => {
    const part = parts.find((each) => each.includes(`Content-Type: ${type}`)) ?? '';
    const [about = '', ...body] = part.split('\r\n\r\n');
    const content = body.join('\r\n\r\n');
    if (/base64/i.test(about)) return Buffer.from(content, 'base64').toString('utf8');
    return /quoted-printable/i.test(about) ? decodeQuoted(content.replace(/=\r\n/g, '')) : content;
  };
  return {
    headers: unfolded.map((line) => line.split(':')[0] ?? ''),
    subject: decodeWords(subject),
    text: decode('text/plain'),
    html: decode('text/html'),
  };
}

const decodeQuoted = (text: string) =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

/** Decodes RFC 2047 headers, as mail programs do. */
const decodeWords = (text: string) =>
  text.replace(/=\?utf-8\?([qb])\?([^?]*)\?=(\s+(?==\?))?/gi, (_, kind: string, word: string) =>
    /b/i.test(kind) ? Buffer.from(word, 'base64').toString('utf8') : decodeQuoted(word.replaceAll('_', ' ')),
  );

const NAMES = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  `Loja "Ana" & 'Rui' <b>`,
  'Banco evil.example/login http://evil.example',
  '=?utf-8?Q?evil=2Eexample?=',
  '=?utf-8?B?aHR0cDovL2V2aWwuZXhhbXBsZQ==?=',
  'Loja%0d%0aBcc: x@evil.example',
  '${link} {{link}} %s $& $1',
  '</title></p><a href=//evil.example>Aqui</a>',
];

/** Every mail of the gateway has exactly these headers. */
const HEADERS = [
  'From',
  'To',
  'Subject',
  'Message-ID',
  'Auto-Submitted',
  'X-Auto-Response-Suppress',
  'Date',
  'MIME-Version',
  'Content-Type',
];

describe('a mail', () => {
  test.each([
    ...NAMES.map((name) => ['pt', name]),
    ...['en', 'fr'].flatMap((language) => [NAMES[0], NAMES[4]].map((name) => [language, name])),
  ])("in %s contains the merchant's name %j as plain text", async (defaultLanguage = '', name = '') => {
    const [row] = await app.sql(
      `insert into merchants (id, name, default_language, allowed_origins, return_origins, gpo_merchant_ids, gpo_pos_ids, created_at)
       values (gen_random_uuid(), 'x', $1, '{}', '{}', '{}', '{}', now()) returning id`,
      [defaultLanguage],
    );
    await app.sql(
      `insert into memberships (merchant_id, user_id, role, created_at, accepted_at) values ($1, $2, 'Owner', now(), now())`,
      [row.id, ana.userId],
    );
    const token = await ana.token({ merchant_id: row.id });
    const path = `/api/merchants/${row.id}`;
    expect((await app.call(path, { method: 'PUT', body: { name }, token })).json.name).toBe(name);
    await app.clock.advance(5_000);
    const email = anyAddress();
    await app.call(`${path}/users`, { body: { email, roleId: roleOf('Viewer').id }, token });
    const { raw, to } = await receive(email);
    const { headers, subject, text, html } = readRaw(raw);
    expect(to).toEqual([email]);
    expect(headers.toSorted()).toEqual(HEADERS.toSorted());
    // The mail has exactly one link, and its HTML has only the tags of the template.
    for (const said of [subject, text]) expect(said).not.toMatch(/evil\.example|http:\/\/evil/);
    const links = [...text.matchAll(/https?:\/\/\S+/g)].map(([link]) => link);
    expect(links).toHaveLength(1);
    expect(links[0]).toMatch(new RegExp(`^${app.node.core.publicUrl}/account/invitation\\?token=[\\w-]{43}&lang=`));
    const tags = new Set([...html.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([, tag]) => String(tag).toLowerCase()));
    expect([...tags].toSorted()).toEqual('!doctype a body div h1 head html meta p title'.split(' '));
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href?.replaceAll('&amp;', '&'));
    expect(new Set(targets)).toEqual(new Set(links));
  });
});

const register = (given: object) => ({
  password: 'mulemba kitanda roxo 57',
  firstName: 'Ana',
  lastName: 'Neto',
  ...given,
});

test.each(['<b>Ana</b>', 'Ganhou em evil.example', '=?utf-8?Q?evil=2Eexample?=', 'Ana, ligue 923456789'])(
  'a mail to a person without an account does not contain the first name %j',
  async (firstName) => {
    const email = anyAddress();
    const body = register({ email, firstName });
    expect((await app.call('/api/auth/register', { body, token: null })).status).toBe(201);
    const { headers, subject, text, html } = readRaw((await receive(email)).raw);
    expect(headers.toSorted()).toEqual(HEADERS.toSorted());
    // The random token of the link may contain the letters of a word.
    const words = [subject, text, html].map((said) => said.replaceAll(/token=[\w-]{43}/g, ''));
    for (const said of words) expect(said).not.toMatch(/evil|923456789|<b>/);
  },
);

describe('a link in a mail', () => {
  test("leads to the gateway's own URL, even if the request has another Host header", async () => {
    const email = anyAddress();
    const body = JSON.stringify(register({ email }));
    const reply = await sendRaw(
      app.url,
      'POST /api/auth/register',
      [
        'X-Forwarded-Host: evil.example',
        'X-Forwarded-Proto: https',
        'Forwarded: host=evil.example',
        'Origin: https://evil.example',
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
      ],
      body,
    );
    expect(reply.status).toBe(201);
    const { text, html } = readRaw((await receive(email)).raw);
    expect(text + html).not.toContain('evil.example');
  });
});

describe('a page shows typed text without interpreting it', () => {
  const HOSTILE = [
    '"><script>alert(1)</script>',
    `' onfocus=alert(1) autofocus x='`,
    '</form><form action=https://evil.example>',
    '<!--',
    'javascript:alert(1)',
  ];
  const TAG = /<(!doctype|\/?[a-z][a-z0-9]*)((?:\s+[\w-]+(?:="[^"<]*")?)*)\s*\/?>/gi;
  /** Accepts only tags whose attributes have double quotes, so that typed text cannot open or close a tag. */
  const isHarmless = (html: string) => {
    expect(html).toContain('<!doctype html>');
    expect(html.replace(TAG, '')).not.toContain('<');
    for (const [, tag = '', attributes = ''] of html.matchAll(TAG)) {
      // The script of account pages is a file of the gateway.
      if (tag.toLowerCase() === 'script') expect(attributes).toMatch(/ src="\/assets\//);
      for (const [, name = '', value = ''] of attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) {
        if (/^(href|action|src)$/.test(name)) expect(value).toMatch(/^(\/(?!\/)|\?|#|data:image\/gif)/);
        expect(name).not.toMatch(/^on/i);
      }
    }
  };

  test.each(HOSTILE)('for the text %j', async (text) => {
    const token = encodeURIComponent(text);
    for (const page of ['register', 'verify-email', 'resend', 'reset', 'invitation', 'recover']) {
      for (const query of [`?token=${token}`, `?lang=${token}&token=${token}`, `?${token}=${token}`]) {
        const reply = await app.call(`/account/${page}${query}`, { token: null, headers: { 'accept-language': 'pt' } });
        isHarmless(reply.text);
      }
      const fields = { token: text, email: text, password: text, firstName: text, lastName: text, phoneNumber: text };
      isHarmless((await postForm(app, `/account/${page}`, fields)).text);
    }
    const recover = await postForm(app, '/account/recover', { email: text });
    expect(recover.status).toBe(400);
    isHarmless(recover.text);
  });

  test('in a form that shows errors', async () => {
    const email = anyAddress();
    const shop = await app.addMerchant();
    const body = { email, roleId: roleOf('Viewer').id };
    await app.call(`/api/merchants/${shop.merchantId}/users`, { body, token: shop.token });
    const link = /token=([\w-]{43})/.exec(readRaw((await receive(email)).raw).text)?.[1] ?? '';
    const fields = { token: link, firstName: HOSTILE[0]!, lastName: HOSTILE[1]!, password: 'curta' };
    const page = await postForm(app, '/account/invitation', fields);
    expect(page.status).toBe(400);
    expect(page.text).toContain('&quot;>&lt;script');
    expect(page.text).not.toContain('curta');
    isHarmless(page.text);
  });
});
