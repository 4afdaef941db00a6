import { beforeAll, describe, expect, test } from 'vitest';
import { roleOf } from '../../../shared/roles.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { cookieOf, enterConsole, visitWith, type Visit } from '../../support/console.ts';
import { linkIn, receiveMail, tokenIn } from '../../support/mail.ts';
import { addMember, PASSWORD } from '../../support/members.ts';
import { anyEmail } from '../../support/people.ts';

let app: TestApp;
let nobody: Visit;
beforeAll(async () => {
  app = await startTestApp();
  nobody = visitWith(app, '');
});

const ANA = { firstName: 'Ana', lastName: 'Domingos', password: PASSWORD };
const register = (fields: Record<string, string>) => nobody.post('/account/register?lang=pt', { ...ANA, ...fields });
const titleOf = ({ text }: Reply) => /<h1[^>]*>([^<]*)/.exec(text)?.[1];

/** Opens the link of the newest mail to an address, and submits the form of the page. */
async function followMail(email: string, fields: Record<string, string>, count = 1): Promise<Reply> {
  const letter = await receiveMail(app, email, count);
  const path = linkIn(letter);
  expect((await nobody.open(path)).status).toBe(200);
  return nobody.post(path.replace(/[?].*/, '?lang=pt'), { token: tokenIn(letter), ...fields });
}

async function registered(): Promise<string> {
  const email = anyEmail();
  await register({ email });
  await followMail(email, { password: PASSWORD });
  return email;
}

describe('registration in the console', () => {
  test('leads from the mailed link to the sign-in, and then to a new merchant', async () => {
    const email = anyEmail();
    expect((await nobody.open('/console/sign-in?lang=pt')).text).toContain('href="/account/register?lang=pt"');
    const led = await nobody.open('/console/register', { headers: { 'accept-language': 'fr' } });
    expect([led.status, led.headers.get('location')]).toEqual([303, '/account/register?lang=fr']);
    expect(titleOf(await nobody.open('/account/register?lang=pt'))).toBe('Crie a sua conta');
    const reply = await register({ email, phoneNumber: ' 923 456 789 ' });
    expect([reply.status, titleOf(reply)]).toEqual([200, 'Veja o seu correio']);
    expect(reply.text).toContain('href="/sandbox/inbox"');
    await expect(enterConsole(app, { email })).rejects.toThrow('not signed in');

    const done = await followMail(email, { password: PASSWORD });
    expect([done.status, titleOf(done)]).toEqual([200, 'E-mail confirmado']);
    expect(done.text).toContain('href="/console/sign-in?lang=pt"');
    const [user] = await app.sql('select first_name, phone_number, language from users where email = $1', [email]);
    expect(user).toEqual({ first_name: 'Ana', phone_number: '+244923456789', language: 'pt' });

    const ana = await enterConsole(app, { email });
    const { headers } = await ana.open('/console');
    expect(headers.get('location')).toBe('/console/start');
    expect((await ana.open('/console/start')).text).toContain('Dê nome à sua loja');
    const made = await ana.act('/console/start', 'create', { name: 'Panos da Ana' });
    expect([made.status, made.headers.get('location')]).toEqual([303, '/console/start?done=create']);
    const owner = visitWith(app, cookieOf(made));
    const start = await owner.open('/console/start?done=create');
    expect([start.status, start.text]).toEqual([200, expect.stringContaining('<strong>Panos da Ana</strong>')]);
    expect(start.text).toContain('A sua loja está criada.');
    // Creating the merchant has ended the session without a merchant.
    expect((await ana.open('/console/account')).status).toBe(303);
  });

  test('shows errors beside their fields, stores nothing and never shows the password', async () => {
    const refused = await register({ email: 'ana', lastName: '', phoneNumber: '12', password: 'ana domingos' });
    expect(refused.status).toBe(400);
    for (const field of ['email', 'lastName', 'phoneNumber'])
      expect(refused.text).toMatch(new RegExp(`<input[^>]*id="${field}"[^>]*aria-invalid="true"`));
    expect(refused.text).toContain('value="Ana"');
    expect(refused.text).not.toContain('ana domingos');
    const common = await register({ email: anyEmail(), password: 'passwordpassword' });
    expect(common.text).toContain('É demasiado fácil de adivinhar');
    expect(await app.sql(`select 1 from users where email in ('ana')`)).toEqual([]);
  });

  test('refuses a merchant without a name, and the person stays on the page', async () => {
    const ana = await enterConsole(app, { email: await registered() });
    const refused = await ana.act('/console/start', 'create', { name: ' ' });
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([400, []]);
    expect(refused.text).toMatch(/id="create-name"[^>]*aria-invalid="true"/);
    expect((await ana.open('/console/account')).status).toBe(200);
  });

  test('sends the mail again, and the new link replaces the first one', async () => {
    const email = anyEmail();
    await register({ email });
    const first = await receiveMail(app, email);
    expect(titleOf(await nobody.post('/account/resend?lang=pt', { email }))).toBe('Veja o seu correio');
    expect((await followMail(email, { password: PASSWORD }, 2)).status).toBe(200);
    expect(titleOf(await nobody.open(linkIn(first)))).toBe('Este link já não é válido');
    const wrong = await nobody.post('/account/resend?lang=pt', { email: 'ana' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Escreva um e-mail')]);
  });
});

test('a forgotten password is reset through the mailed link, whose page leads to the sign-in', async () => {
  const email = await registered();
  const reply = await nobody.post('/account/recover?lang=pt', { email });
  expect(reply.text).toContain('Abrir o correio do ambiente de testes');
  const done = await followMail(email, { password: 'outra ginguba azul 81' }, 2);
  expect(done.text).toContain('href="/console/sign-in?lang=pt"');
  await expect(enterConsole(app, { email })).rejects.toThrow('not signed in');
  expect((await (await enterConsole(app, { email }, 'outra ginguba azul 81')).open('/console/account')).status).toBe(
    200,
  );
});

describe('an invitation in the console', () => {
  const invite = async (email: string, name: string) => {
    const { merchantId } = await app.addMerchant({ name });
    const owner = await enterConsole(app, await addMember(app, { merchantId }));
    expect((await owner.act('/console/team', 'invite', { email, roleId: roleOf('Cashier').id })).status).toBe(303);
  };

  test('creates the account of an unknown person, and the console opens at the inviting merchant', async () => {
    const email = anyEmail();
    await invite(email, 'Padaria da Samba');
    const done = await followMail(email, { ...ANA, phoneNumber: '' });
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('href="/console/sign-in?lang=pt"')]);
    const { text } = await (await enterConsole(app, { email })).open('/console/account');
    expect(text).toMatch(/<strong>Padaria da Samba<\/strong>.*Ana Domingos · Caixa/s);
  });

  test('gives a known person access to both merchants in the console', async () => {
    const email = await registered();
    const ana = await enterConsole(app, { email });
    await ana.act('/console/account', 'create', { name: 'Panos da Ana' });
    await invite(email, 'Padaria da Samba');
    const letter = await receiveMail(app, email, 2);
    expect(linkIn(letter)).toBe('/console');
    const again = await enterConsole(app, { email });
    expect((await again.open('/console/account')).text).toContain('<strong>Padaria da Samba</strong>');
  });
});

test('a mailed link shows a button to the console, because browsers withhold the cookie at first', async () => {
  const from = (site: string) =>
    nobody.open('/console/sign-in?to=%2Fconsole%2Fteam&lang=pt', { headers: { 'sec-fetch-site': site } });
  const onward = /<a class="button plain" href="\/console\/team">Já iniciei sessão neste navegador/;
  expect((await from('cross-site')).text).toMatch(onward);
  expect((await from('same-origin')).text).not.toMatch(onward);
});
