import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { linkIn, listInbox, receiveMail, tokenIn } from '../../support/mail.ts';
import { addAccess, addMember } from '../../support/members.ts';
import { ROLES } from '../../../shared/roles.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { AccountPage } from '../pages/account.ts';
import { setStage, type VisitOptions } from '../pages/stage.ts';

const stage = setStage();
/** Without JavaScript; links that lead nowhere are 400. */
const PLAIN: VisitOptions = { javaScriptEnabled: false, expected: /400/ };
const WORDS = 'mulemba kitanda roxo 57';
const DEMO_NAME = 'Loja da Ilha';

const roleId = ROLES.find(({ name }) => name === 'Cashier')?.id;
let count = 0;
const anyAddress = () => `pessoa${++count}@example.ao`;

async function grant(merchantId: string, email: string, token?: string): Promise<{ userId: string }> {
  const options = { body: { email, roleId }, headers: { prefer: 'return=representation' } };
  const reply = await stage.app.call(`/api/merchants/${merchantId}/users`, { ...options, ...(token && { token }) });
  if (reply.status !== 200) throw new Error(`not granted: ${reply.text}`);
  return reply.json;
}

async function register(email: string): Promise<void> {
  const body = { email, password: WORDS, firstName: 'Ana', lastName: 'Domingos', phoneNumber: '923456789' };
  expect((await stage.app.call('/api/auth/register', { body, token: null })).status).toBe(201);
}

async function signIn(username: string, password: string): Promise<number> {
  const body = { grant_type: 'password', client_id: 'web', username, password };
  return (await stage.app.call('/oauth/token', { body, token: null })).status;
}

async function openNewest(email: string, mails = 1, options = PLAIN): Promise<AccountPage> {
  const account = new AccountPage(await stage.visit(options));
  await account.open(stage.app, linkIn(await receiveMail(stage.app, email, mails)));
  return account;
}

describe('the page of an invitation', () => {
  test('names the merchant and the address', async () => {
    const email = anyAddress();
    await grant(DEMO.merchantId, email);
    const account = await openNewest(email);
    await account.expectTitle('Aceite o convite');
    await expect(account.page.getByText(`De ${DEMO_NAME}`)).toBeVisible();
    await expect(account.page.getByText(email)).toBeVisible();
    await account.page.getByRole('link', { name: 'English' }).click();
    await expect(account.page.getByText(`From ${DEMO_NAME}`)).toBeVisible();
    await account.page.getByRole('link', { name: 'Français' }).click();
    await expect(account.page.getByText(`De la part de ${DEMO_NAME}`)).toBeVisible();
  });

  test('for two merchants names both in order, as text of any length', async () => {
    const email = anyAddress();
    const name = `<b>${'Panificadora'.repeat(7)}</b>`;
    const other = await stage.app.addMerchant({ name, entity: null });
    await grant(DEMO.merchantId, email);
    // Two mails at once come in either order.
    await receiveMail(stage.app, email);
    await grant(other.merchantId, email, other.token);
    const account = await openNewest(email, 2, {});
    await expect(account.page.getByText(`De ${DEMO_NAME} · ${name.slice(0, 80)}`)).toBeVisible();
    await account.expectAccessible();
    await account.expectReadableEnlarged();
  });

  test('names no merchant whose invitation was withdrawn or accepted', async () => {
    const email = anyAddress();
    const other = await stage.app.addMerchant({ name: 'Outra Casa', entity: null });
    const { userId } = await grant(DEMO.merchantId, email);
    await addAccess(stage.app, { userId, merchantId: other.merchantId, role: 'Viewer' });
    const account = await openNewest(email);
    await expect(account.page.getByText(`De ${DEMO_NAME}`)).toBeVisible();
    await expect(account.page.getByText('Outra Casa')).toHaveCount(0);
    const path = `/api/merchants/${DEMO.merchantId}/users/${userId}`;
    expect((await stage.app.call(path, { method: 'DELETE' })).status).toBe(200);
    await account.page.reload();
    await account.expectTitle('Aceite o convite');
    await expect(account.page.getByText(DEMO_NAME)).toHaveCount(0);
  });

  test('keeps its names beside errors, and other pages do not show them', async () => {
    const email = anyAddress();
    await grant(DEMO.merchantId, email);
    const account = await openNewest(email);
    await account.field('Nome').fill('Rui');
    await account.field('Apelido').fill('Manuel');
    await account.password.fill('curta');
    await account.send('Aceitar o convite');
    await expect(account.page.getByText(`De ${DEMO_NAME}`)).toBeVisible();
    // The page of a password reset does not show the invitation.
    const member = await addMember(stage.app);
    await grant(DEMO.merchantId, member.email);
    await receiveMail(stage.app, member.email);
    await account.open(stage.app, '/account/recover');
    await account.email.fill(member.email);
    await account.send('Enviar o link');
    await account.open(stage.app, linkIn(await receiveMail(stage.app, member.email, 2)));
    await account.expectTitle('Escolha uma nova palavra-passe');
    await expect(account.page.getByText(member.email)).toBeVisible();
    await expect(account.page.getByText(DEMO_NAME)).toHaveCount(0);
  });
});

describe('an invitation of a person who registered meanwhile', () => {
  const NEW = 'outra ginguba azul 81';

  async function inviteAndVerify() {
    const email = anyAddress();
    const { userId } = await grant(DEMO.merchantId, email);
    const invitation = linkIn(await receiveMail(stage.app, email));
    await register(email);
    const body = { token: tokenIn(await receiveMail(stage.app, email, 2)) };
    expect((await stage.app.call('/api/auth/verify-email', { body, token: null })).status).toBe(200);
    return { email, userId, invitation };
  }

  test('asks for a password again, chosen by the reader of the mail', async () => {
    const { email, invitation } = await inviteAndVerify();
    const account = new AccountPage(await stage.visit(PLAIN));
    await account.open(stage.app, invitation);
    await account.expectTitle('Aceite o convite');
    await expect(account.page.getByText(`De ${DEMO_NAME}`)).toBeVisible();
    await account.field('Nome').fill('Ana');
    await account.field('Apelido').fill('Domingos');
    await account.password.fill(NEW);
    await account.send('Aceitar o convite');
    await account.expectTitle('A sua conta está pronta');
    expect(await signIn(email, WORDS)).toBe(400);
    expect(await signIn(email, NEW)).toBe(200);
  });

  test('is invalid once withdrawn, before anything is typed', async () => {
    const { userId, invitation } = await inviteAndVerify();
    const path = `/api/merchants/${DEMO.merchantId}/users/${userId}`;
    expect((await stage.app.call(path, { method: 'DELETE' })).status).toBe(200);
    const account = new AccountPage(await stage.visit(PLAIN));
    await account.open(stage.app, invitation);
    await account.expectTitle('Este link já não é válido');
  });
});

test('a replaced link leads to a new link, and that to the account', async () => {
  const email = anyAddress();
  await register(email);
  const older = linkIn(await receiveMail(stage.app, email));
  await stage.app.clock.pass(60_000);
  await stage.app.call('/api/auth/verify-email/resend', { body: { email }, token: null });
  const newer = linkIn(await receiveMail(stage.app, email, 2));
  const account = new AccountPage(await stage.visit(PLAIN));
  await account.open(stage.app, older);
  await account.expectTitle('Este link já não é válido');
  await account.page.getByRole('link', { name: 'Pedir um novo link' }).click();
  await account.expectTitle('Recupere o acesso');
  await account.email.fill(email);
  await account.send('Enviar o link');
  await account.open(stage.app, linkIn(await receiveMail(stage.app, email, 3)));
  await account.password.fill('outra ginguba azul 81');
  await account.send('Mudar a palavra-passe');
  await account.expectTitle('Palavra-passe mudada');
  // The mail was read to get here: the address is confirmed, and its links are over.
  await account.open(stage.app, newer);
  await account.expectTitle('Este link já não é válido');
  expect(await signIn(email, 'outra ginguba azul 81')).toBe(200);
  await receiveMail(stage.app, email, 4);
  expect((await listInbox(stage.app, email))[0]?.subject).toBe('A sua palavra-passe mudou');
});

test('a truncated link is reported differently from an expired one', async () => {
  const account = new AccountPage(await stage.visit({ javaScriptEnabled: false, expected: /404/ }));
  await account.open(stage.app, '/account/verify-em');
  await account.expectTitle('Esta página não existe');
  await expect(account.page.getByRole('link')).toHaveCount(0);
  await account.open(stage.app, '/account/verify-em?lang=fr');
  await account.expectTitle('Cette page n’existe pas');
});
