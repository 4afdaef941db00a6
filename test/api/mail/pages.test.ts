import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { linkIn, listInbox, receiveMail, tokenIn } from '../../support/mail.ts';

const PASSWORD = 'mulemba kitanda roxo 57';
const OTHER = 'outra ginguba azul 81';
const DEAD = 'x'.repeat(43);

let app: TestApp;
let count = 0;
beforeAll(async () => {
  app = await startTestApp();
});

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const open = (path: string, headers: object = {}) => app.call(path, { token: null, headers: { ...HTML, ...headers } });
const send = (path: string, fields: Record<string, string>, headers: object = {}) =>
  app.call(path, {
    token: null,
    body: new URLSearchParams(fields).toString(),
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
async function register() {
  const email = `ana${++count}@example.ao`;
  const body = { email, password: PASSWORD, firstName: 'Ana', lastName: 'Domingos' };
  expect((await app.call('/api/auth/register', { body, token: null })).status).toBe(201);
  return { email, letter: await receiveMail(app, email) };
}
async function recover(email: string) {
  const before = (await listInbox(app, email)).length;
  expect((await send('/account/recover', { email })).status).toBe(200);
  return receiveMail(app, email, before + 1);
}
const verifiedAt = async (email: string) =>
  (await app.sql('select verified_at from users where email = $1', [email]))[0].verified_at;
const titleOf = ({ text }: Reply) => /<h1[^>]*>([^<]*)/.exec(text)?.[1];

describe('the page /account/verify-email', () => {
  test('changes nothing on GET', async () => {
    const { email, letter } = await register();
    const path = linkIn(letter);
    for (let n = 0; n < 3; n++) {
      const page = await open(path);
      expect([page.status, titleOf(page)]).toEqual([200, 'Confirme o seu e-mail']);
      expect(page.text).toContain(email);
    }
    expect((await app.call(path, { method: 'HEAD', token: null })).status).toBe(200);
    expect(await verifiedAt(email)).toBeNull();
  });

  test('confirms the email address once, together with a new password', async () => {
    const { email, letter } = await register();
    const token = tokenIn(letter);
    for (const [fields, words] of [
      [{}, 'Preencha este campo'],
      [{ password: 'curta' }, 'Use 12 a 128 caracteres'],
    ] as const) {
      const page = await send('/account/verify-email?lang=pt', { token, ...fields });
      expect([page.status, titleOf(page)]).toEqual([400, 'Confirme o seu e-mail']);
      expect(page.text).toContain(words);
    }
    expect(await verifiedAt(email)).toBeNull();
    const form = { token, password: OTHER };
    const done = await send('/account/verify-email?lang=pt', form);
    expect([done.status, titleOf(done)]).toEqual([200, 'E-mail confirmado']);
    expect(await verifiedAt(email)).not.toBeNull();
    const again = await send('/account/verify-email?lang=pt', form);
    expect([again.status, titleOf(again)]).toEqual([400, 'Este link já não é válido']);
    expect([(await open(linkIn(letter))).status]).toEqual([400]);
    const signIn = (password: string) =>
      app.call('/oauth/token', {
        body: { grant_type: 'password', client_id: 'web', username: email, password },
        token: null,
      });
    expect([(await signIn(PASSWORD)).status, (await signIn(OTHER)).status]).toEqual([400, 200]);
  });

  test('rejects its link after 24 hours', async () => {
    const { email, letter } = await register();
    app.clock.leap(24 * 3_600_000);
    expect(titleOf(await open(linkIn(letter)))).toBe('Este link já não é válido');
    expect((await send('/account/verify-email', { token: tokenIn(letter), password: OTHER })).status).toBe(400);
    expect(await verifiedAt(email)).toBeNull();
  });
});

describe('the page /account/reset', () => {
  test('shows the errors of the password, and its link stays valid', async () => {
    const { email } = await register();
    const letter = await recover(email);
    const token = tokenIn(letter);
    for (const [password, words] of [
      ['', 'Use 12 a 128 caracteres'],
      ['too-short', 'Use 12 a 128 caracteres'],
      ['passwordpassword', 'demasiado fácil'],
    ] as const) {
      const page = await send('/account/reset?lang=pt', { token, password });
      expect(page.status, password).toBe(400);
      expect(page.text).toContain(words);
      expect(page.text).toMatch(/<input[^>]*id="password"[^>]*aria-invalid="true"/);
      expect(page.text).toMatch(/aria-describedby="password-error"/);
      if (password) expect(page.text).not.toContain(password);
      expect(page.text).toContain(`value="${token}"`);
    }
    const done = await send('/account/reset?lang=pt', { token, password: OTHER });
    expect([done.status, titleOf(done)]).toEqual([200, 'Palavra-passe mudada']);
    expect((await send('/account/reset?lang=pt', { token, password: OTHER })).status).toBe(400);
  });

  test('rejects a link that was mailed for another purpose', async () => {
    const { letter } = await register();
    expect((await open(`/account/reset?token=${tokenIn(letter)}`)).status).toBe(400);
    const tried = await send('/account/reset', { token: tokenIn(letter), password: OTHER });
    expect(titleOf(tried)).toBe('Este link já não é válido');
  });
});

describe('the page /account/recover', () => {
  test('returns the same page for an email address with and without an account', async () => {
    const { email } = await register();
    const [known, unknown] = [
      await send('/account/recover', { email }),
      await send('/account/recover', { email: 'no@example.ao' }),
    ];
    expect(known.status).toBe(200);
    expect(known.text).toBe(unknown.text);
  });

  test('shows the error of an invalid email address at its field', async () => {
    const page = await send('/account/recover', { email: 'ana"<b>' });
    expect(page.status).toBe(400);
    expect(page.text).toContain('value="ana&quot;&lt;b>"');
    expect(page.text).toContain('id="email-error"');
  });
});

describe('each page that a mailed link opens', () => {
  const PATHS = ['verify-email', 'reset', 'invitation', 'recover'].map((page) => `/account/${page}`);

  test.each(PATHS)('has strict headers and no script: %s', async (path) => {
    const { headers, text } = await open(`${path}?token=${DEAD}`);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toBeNull();
    expect(text).toContain('<meta name="robots" content="noindex"');
    expect(text).not.toContain('<script');
  });

  test.each(PATHS)('uses the language of the link, else of the browser, else Portuguese: %s', async (path) => {
    const langOf = async (query: string, accept = '') =>
      /<html lang="(\w+)"/.exec((await open(path + query, { 'accept-language': accept })).text)?.[1];
    expect(await langOf('?lang=fr', 'en')).toBe('fr');
    expect(await langOf('', 'en-GB,en;q=0.9')).toBe('en');
    expect(await langOf('?lang=xx', 'de')).toBe('pt');
  });

  test.each(PATHS)('returns an HTML page for any input: %s', async (path) => {
    for (const fields of [{}, { token: '' }, { token: DEAD, password: 'x'.repeat(5_000) }, { token: "' or 1=1 --" }]) {
      const page = await send(path, fields as Record<string, string>);
      expect(page.status).toBe(400);
      expect(page.headers.get('content-type')).toContain('text/html');
    }
    for (const query of ['?token=a&token=b', '?token=%00', '?token=%ED%A0%80', `?token=${'x'.repeat(4_000)}`]) {
      expect((await open(path + query)).status).toBeLessThan(500);
    }
    const large = await send(path, { token: DEAD, password: 'x'.repeat(20_000) });
    expect([large.status, titleOf(large)]).toEqual([413, 'Não foi possível agora']);
    const put = await app.call(path, { method: 'PUT', token: null, body: '{}' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'HEAD, GET, POST']);
  });

  test('returns problem+json to a client that does not accept HTML', async () => {
    const headers = { accept: 'application/json' };
    const body = 'x'.repeat(20_000);
    const reply = await app.call('/account/reset', { method: 'POST', token: null, body, headers });
    expect(reply.json).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  test('keeps the token in its links to the other languages', async () => {
    const { letter } = await register();
    const token = tokenIn(letter);
    const { text } = await open(linkIn(letter));
    const hrefs = [...text.matchAll(/href="(\?[^"]*)"/g)].map(([, href]) => href);
    expect(hrefs).toEqual(['pt', 'en', 'fr'].map((lang) => `?token=${token}&amp;lang=${lang}`));
    expect(text).toContain('action="/account/verify-email?lang=pt"');
  });
});
