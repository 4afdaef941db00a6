import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { linkIn, receiveMail } from '../../support/mail.ts';
import { ROLES } from '../../../shared/roles.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { AccountPage } from '../pages/account.ts';
import { InboxPage } from '../pages/inbox.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
/** Submits a form without JavaScript. Refused forms return 400. */
const PLAIN: VisitOptions = { javaScriptEnabled: false, expected: /400/, cookies: ['balcao'] };
const FIRST = 'mulemba kitanda roxo 57';
const SECOND = 'outra ginguba azul 81';

let count = 0;
async function register(): Promise<string> {
  const email = `ana${++count}@example.ao`;
  const body = { email, password: FIRST, firstName: 'Ana', lastName: 'Domingos', phoneNumber: '923456789' };
  expect((await fixture.app.call('/api/auth/register', { body, token: null })).status).toBe(201);
  return email;
}

async function signIn(username: string, password: string): Promise<number> {
  const body = { grant_type: 'password', client_id: 'web', username, password };
  return (await fixture.app.call('/oauth/token', { body, token: null })).status;
}

async function invite(
  email: string,
  { merchantId, token }: { merchantId: string; token?: string } = DEMO,
): Promise<void> {
  const roleId = ROLES.find(({ name }) => name === 'Cashier')?.id;
  const options = { body: { email, roleId }, ...(token && { token }) };
  expect((await fixture.app.call(`/api/merchants/${merchantId}/users`, options)).status).toBe(200);
}

test('a person registers, confirms the e-mail address, resets the password and signs in', async () => {
  const email = await register();
  expect(await signIn(email, FIRST)).toBe(400);
  const page = await fixture.visit(PLAIN);
  const inbox = new InboxPage(page);
  const account = new AccountPage(page);
  await inbox.followLink(fixture.app, email);
  await account.expectTitle('Confirme o seu e-mail');
  await expect(page.getByText(email)).toBeVisible();
  expect(await signIn(email, FIRST), 'opening the link is not confirming').toBe(400);
  await account.password.fill(FIRST);
  await account.send('Confirmar o e-mail');
  await account.expectTitle('Dê nome à sua loja');
  expect(new URL(page.url()).search, 'the secret is gone from the address').toBe('');
  expect(await signIn(email, FIRST)).toBe(200);

  await account.open(fixture.app, '/account/recover');
  await account.email.fill(email);
  await account.send('Enviar o link');
  await account.expectTitle('Veja o seu correio');
  await inbox.followLink(fixture.app, email, 2);
  await account.expectTitle('Escolha uma nova palavra-passe');
  await account.password.fill('curta');
  await account.send('Mudar a palavra-passe');
  await expect(page.getByText('Use 12 a 128 caracteres.')).toBeVisible();
  await expect(account.password).toHaveAttribute('aria-invalid', 'true');
  await expect(account.password).toHaveAccessibleDescription('Use 12 a 128 caracteres.');
  await expect(account.password).toHaveValue('');
  await expect(account.password).toBeFocused();
  await account.password.fill(SECOND);
  await account.send('Mudar a palavra-passe');
  await account.expectTitle('Palavra-passe mudada');
  expect(await signIn(email, FIRST)).toBe(400);
  expect(await signIn(email, SECOND)).toBe(200);

  await page.reload();
  await account.expectTitle('Este link já não é válido');
});

test('an invited person enters a name and gets access to the merchant', async () => {
  const email = 'rui@example.ao';
  await invite(email);
  const page = await fixture.visit(PLAIN);
  const account = new AccountPage(page);
  await new InboxPage(page).followLink(fixture.app, email);
  await account.expectTitle('Aceite o convite');
  await account.field('Nome').fill('Rui');
  await account.field('Apelido').fill('Manuel');
  await account.field('Telemóvel').fill('12 345');
  await account.password.fill(FIRST);
  await account.send('Aceitar o convite');
  await expect(page.getByText('Escreva os 9 algarismos')).toBeVisible();
  // The form keeps every field except the password.
  await expect(account.field('Nome')).toHaveValue('Rui');
  await expect(account.field('Apelido')).toHaveValue('Manuel');
  await expect(account.field('Telemóvel')).toHaveValue('12 345');
  await expect(account.password).toHaveValue('');
  await account.field('Telemóvel').fill('923 456 789');
  await account.password.fill(FIRST);
  await account.send('Aceitar o convite');
  await expect(page.getByText('Rui Manuel · Caixa')).toBeVisible();
  expect(await signIn(email, FIRST)).toBe(200);
});

describe('accessibility of the account pages in light and dark, at 320 px and enlarged', () => {
  const open = async (path: string, expected?: RegExp) => {
    const account = new AccountPage(await fixture.visit({ cookies: ['balcao'], ...(expected && { expected }) }));
    await account.open(fixture.app, path);
    return account;
  };
  const expectGood = async (account: AccountPage) => {
    await account.expectAccessible();
    await account.expectReadableEnlarged();
  };

  test('holds for the form of every page and for its result', async () => {
    const email = await register();
    const account = await open(linkIn(await receiveMail(fixture.app, email)));
    await expectGood(account);
    await account.expectFocusVisible();
    await account.password.fill(FIRST);
    await account.send('Confirmar o e-mail');
    await account.expectTitle('Dê nome à sua loja');
    await expectGood(account);
    await account.open(fixture.app, '/account/recover');
    await expectGood(account);
    await account.email.fill(email);
    await account.send('Enviar o link');
    await account.expectTitle('Veja o seu correio');
    await expectGood(account);
  });

  test('holds for a form that shows every error', async () => {
    await invite('wrong@example.ao');
    const link = linkIn(await receiveMail(fixture.app, 'wrong@example.ao'));
    const account = await open(link, /400/);
    await expectGood(account);
    await account.field('Nome').fill(' ');
    await account.field('Apelido').fill('x'.repeat(101));
    await account.field('Telemóvel').fill('1');
    await account.password.fill('passwordpassword');
    await account.send('Aceitar o convite');
    await expect(account.page.locator('[aria-invalid]')).toHaveCount(4);
    await expectGood(account);
  });

  test('holds for an invitation of two merchants, one with a long name', async () => {
    const [email, name] = ['two@example.ao', `<b>${'Panificadora'.repeat(7)}</b>`];
    await invite(email);
    // Two concurrent mails arrive in either order.
    await receiveMail(fixture.app, email);
    await invite(email, await fixture.app.addMerchant({ name, entity: null }));
    const account = await open(linkIn(await receiveMail(fixture.app, email, 2)));
    await expect(account.page.getByText(`De Loja da Ilha · ${name.slice(0, 80)}`)).toBeVisible();
    await expectGood(account);
  });

  test('holds for an invalid link', async () => {
    const account = await open(`/account/reset?token=${'x'.repeat(43)}`, /400/);
    await account.expectTitle('Este link já não é válido');
    await expectGood(account);
  });
});
