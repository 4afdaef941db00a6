import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../shared/durations.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { cookieOf, visitWith } from '../../support/console.ts';
import { linkIn, receiveMail, tokenIn } from '../../support/mail.ts';
import { anyEmail, PASSWORD } from '../../support/people.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** The header that browsers add to a form of one of our own pages. */
const OWN = { 'sec-fetch-site': 'same-origin' };
const INVALID = 'Este link já não é válido';

const titleOf = ({ text }: Reply) => /<h1[^>]*>([^<]*)/.exec(text)?.[1];
const send = (cookie: string, page: string, fields: Record<string, string>, headers: Record<string, string> = OWN) =>
  visitWith(app, cookie).post(`/account/${page}?lang=pt`, fields, headers);

async function register(fields: { email?: string; password?: string } = {}, headers: Record<string, string> = OWN) {
  const person = { email: anyEmail(), password: PASSWORD, firstName: 'Ana', lastName: 'Domingos', ...fields };
  const reply = await send('', 'register', person, headers);
  expect(titleOf(reply)).toBe('Veja o seu correio');
  return { email: person.email, reply, cookie: cookieOf(reply) };
}

/** Registers a person. Returns the browser's cookie, and the page and token of the mailed link. */
async function registerAndRead() {
  const { email, cookie } = await register();
  const letter = await receiveMail(app, email);
  return { email, cookie, path: linkIn(letter), token: tokenIn(letter) };
}

const isConfirmed = async (email: string) =>
  (await app.sql('select 1 from users where email = $1 and verified_at is not null', [email])).length > 0;

describe('the browser that registered', () => {
  test('confirms the address without the password, and is signed in', async () => {
    const { email, cookie, path, token } = await registerAndRead();
    const page = await visitWith(app, cookie).open(path);
    expect(page.text).toContain('Ana Domingos');
    expect(page.text).toContain(email);
    expect(page.text).not.toContain('type="password"');
    const done = await send(cookie, 'verify-email', { token });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/console']);
    const [removed, session] = done.headers.getSetCookie();
    expect(removed).toMatch(/^balcao-new=;.*Max-Age=0/);
    const home = await visitWith(app, session!.split(';')[0]!).open('/console');
    expect(home.headers.get('location')).toBe('/console/start');
  });

  test('gets a lax cookie for an hour, hidden from scripts, also for an address that has an account', async () => {
    const { email, token } = await registerAndRead();
    await send('', 'verify-email', { token, password: PASSWORD });
    const secure = await app.startTwin({
      env: { PUBLIC_URL: 'https://pagar.example', SANDBOX_PASSWORD: 'mulemba-kitanda' },
    });
    const person = { password: PASSWORD, firstName: 'Ana', lastName: 'Domingos' };
    for (const address of [email, anyEmail()]) {
      const reply = await visitWith(secure, '').post('/account/register', { ...person, email: address }, OWN);
      const [cookie, ...others] = reply.headers.getSetCookie();
      expect(others).toEqual([]);
      expect(cookie).toMatch(
        /^__Host-balcao-new=\d+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=3600$/,
      );
    }
  });

  test('is asked for a password an hour after the registration', async () => {
    const { cookie, path } = await registerAndRead();
    await app.clock.leap(HOUR_MS);
    expect((await visitWith(app, cookie).open(path)).text).toContain('type="password"');
  });

  test('keeps its proof when the mail is sent again', async () => {
    const { email, cookie } = await registerAndRead();
    await send(cookie, 'resend', { email });
    const token = tokenIn(await receiveMail(app, email, 2));
    expect((await send(cookie, 'verify-email', { token })).status).toBe(303);
  });

  test('cannot use the link twice', async () => {
    const { cookie, token } = await registerAndRead();
    expect((await send(cookie, 'verify-email', { token })).status).toBe(303);
    const again = await send(cookie, 'verify-email', { token });
    expect([again.status, titleOf(again), again.headers.getSetCookie()]).toEqual([400, INVALID, []]);
  });
});

describe('a confirmation link', () => {
  test('asks another browser for a password, and then signs it in', async () => {
    const { email, path, token } = await registerAndRead();
    expect((await visitWith(app, '').open(path)).text).toContain('type="password"');
    const refused = await send('', 'verify-email', { token });
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([400, []]);
    expect(await isConfirmed(email)).toBe(false);
    const done = await send('', 'verify-email', { token, password: PASSWORD });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/console']);
  });

  test('asks the browser of another person for a password', async () => {
    const [mine, theirs] = [await registerAndRead(), await registerAndRead()];
    expect((await visitWith(app, theirs.cookie).open(mine.path)).text).toContain('type="password"');
    expect((await send(theirs.cookie, 'verify-email', { token: mine.token })).status).toBe(400);
    expect(await isConfirmed(mine.email)).toBe(false);
  });

  test('asks for a password in a browser that registered the address a second time', async () => {
    const { email, path, token } = await registerAndRead();
    const { cookie } = await register({ email, password: 'outra ginguba azul 81' });
    const claim = tokenIn(await receiveMail(app, email, 2));
    expect((await visitWith(app, cookie).open(path)).text).toContain('type="password"');
    for (const each of [token, claim]) expect((await send(cookie, 'verify-email', { token: each })).status).toBe(400);
    expect(await isConfirmed(email)).toBe(false);
  });

  test('is not confirmed by the cookie alone, or by a changed cookie', async () => {
    const { cookie, email, token } = await registerAndRead();
    expect(titleOf(await send(cookie, 'verify-email', {}))).toBe(INVALID);
    const [until, mac] = cookie.split('=')[1]!.split('.');
    for (const forged of [`${Number(until) + 1}.${mac}`, `${until}.${'A'.repeat(43)}`, `${until}.`, 'x'])
      expect((await send(`balcao-new=${forged}`, 'verify-email', { token })).status).toBe(400);
    expect(await isConfirmed(email)).toBe(false);
  });

  test.each([['cross-site'], ['same-site'], ['none']])(
    'needs the password in a form whose Sec-Fetch-Site is %s, which signs nobody in',
    async (site) => {
      const { cookie, email, token } = await registerAndRead();
      const headers = { 'sec-fetch-site': site };
      expect((await send(cookie, 'verify-email', { token }, headers)).status).toBe(400);
      expect(await isConfirmed(email)).toBe(false);
      const done = await send(cookie, 'verify-email', { token, password: PASSWORD }, headers);
      expect([done.status, titleOf(done)]).toEqual([200, 'E-mail confirmado']);
      expect(done.headers.getSetCookie().filter((each) => each.startsWith('balcao='))).toEqual([]);
    },
  );
});

test('a registration by the form of another website gives the browser no proof', async () => {
  const { reply } = await register({}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' });
  expect(reply.headers.getSetCookie()).toEqual([]);
});

test('an invitation signs in the person who accepts it', async () => {
  const email = anyEmail();
  const { merchantId, token } = await app.addMerchant({ name: 'Padaria da Samba' });
  const roles = (await app.call('/api/roles', { token })).json.data as { id: string; name: string }[];
  const roleId = roles.find(({ name }) => name === 'Cashier')?.id;
  await app.call(`/api/merchants/${merchantId}/users`, { token, body: { email, roleId } });
  const fields = { token: tokenIn(await receiveMail(app, email)), firstName: 'Rui', lastName: 'Neto' };
  const done = await send('', 'invitation', { ...fields, password: PASSWORD });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/console']);
  expect((await visitWith(app, cookieOf(done)).open('/console/charge')).text).toContain('Padaria da Samba');
});
