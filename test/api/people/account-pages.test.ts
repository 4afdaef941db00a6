import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { roleOf } from '../../../shared/roles.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { linkIn, receiveMail, tokenIn } from '../../support/mail.ts';
import { addAccess, addMember, postForm } from '../../support/members.ts';
import { anyEmail, PASSWORD } from '../../support/people.ts';

const DEMO_NAME = 'Loja da Ilha';
const INVALID = 'Este link já não é válido';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** Returns the text of a page without its tags. */
const words = ({ text }: Reply) =>
  text
    .split('</style>')
    .at(-1)!
    .replace(/<[^>]+>/g, '');
const open = (path: string) => app.call(path, { token: null, headers: { accept: 'text/html' } });
const openNewest = async (email: string, mails = 1) => open(linkIn(await receiveMail(app, email, mails)));
const titleOf = ({ text }: Reply) => /<h1[^>]*>([^<]*)/.exec(text)?.[1];
const userPath = (userId = '') => `/api/merchants/${DEMO.merchantId}/users${userId && `/${userId}`}`;

async function invite(email: string): Promise<string> {
  const body = { email, roleId: roleOf('Cashier').id };
  const { status, json } = await app.call(userPath(), { body, headers: { prefer: 'return=representation' } });
  expect(status).toBe(200);
  return json.userId;
}

async function register(email: string): Promise<void> {
  const body = { email, password: PASSWORD, firstName: 'Ana', lastName: 'Domingos' };
  expect((await app.call('/api/auth/register', { body, token: null })).status).toBe(201);
}

const withdraw = async (userId: string) =>
  expect((await app.call(userPath(userId), { method: 'DELETE' })).status).toBe(200);

describe('the page of an invitation to a merchant', () => {
  test.each([
    ['pt', `De ${DEMO_NAME}`],
    ['en', `From ${DEMO_NAME}`],
    ['fr', `De la part de ${DEMO_NAME}`],
  ])("in the language %s contains the merchant's name and the invited email address", async (lang, said) => {
    const email = anyEmail();
    await invite(email);
    const page = await open(linkIn(await receiveMail(app, email)).replace('lang=pt', `lang=${lang}`));
    expect(words(page)).toContain(said);
    expect(words(page)).toContain(email);
  });

  test('does not contain the name of a merchant whose invitation was withdrawn or accepted', async () => {
    const email = anyEmail();
    const { merchantId } = await app.addMerchant({ name: 'Outra Casa', entity: null });
    const userId = await invite(email);
    await addAccess(app, { userId, merchantId, role: 'Viewer' });
    const page = await openNewest(email);
    expect([words(page).includes(`De ${DEMO_NAME}`), words(page).includes('Outra Casa')]).toEqual([true, false]);
    await withdraw(userId);
    const bare = await openNewest(email);
    expect([titleOf(bare), words(bare).includes(DEMO_NAME)]).toEqual(['Aceite o convite', false]);
  });

  test("keeps the merchant's name when it shows errors, unlike the page of a password reset", async () => {
    const email = anyEmail();
    await invite(email);
    const fields = { token: tokenIn(await receiveMail(app, email)), firstName: 'Rui', lastName: 'Neto' };
    const refused = await postForm(app, '/account/invitation?lang=pt', { ...fields, password: 'curta' });
    expect([refused.status, words(refused).includes(`De ${DEMO_NAME}`)]).toEqual([400, true]);
    const member = await addMember(app);
    await invite(member.email);
    await receiveMail(app, member.email);
    await app.call('/api/auth/recover', { body: { email: member.email }, token: null });
    const page = await openNewest(member.email, 2);
    expect(titleOf(page)).toBe('Escolha uma nova palavra-passe');
    expect([words(page).includes(member.email), words(page).includes(DEMO_NAME)]).toEqual([true, false]);
  });

  test('stays valid after the invited person registers, until the invitation is withdrawn', async () => {
    const email = anyEmail();
    const userId = await invite(email);
    const invitation = linkIn(await receiveMail(app, email));
    await register(email);
    const body = { token: tokenIn(await receiveMail(app, email, 2)) };
    expect((await app.call('/api/auth/verify-email', { body, token: null })).status).toBe(200);
    const page = await open(invitation);
    expect([titleOf(page), words(page).includes(`De ${DEMO_NAME}`)]).toEqual(['Aceite o convite', true]);
    await withdraw(userId);
    expect(titleOf(await open(invitation))).toBe(INVALID);
  });

  test('becomes invalid when the invited person confirms an earlier registration', async () => {
    const email = anyEmail();
    await register(email);
    await receiveMail(app, email);
    await invite(email);
    const invitation = linkIn(await receiveMail(app, email, 2));
    await app.sql('update users set verified_at = created_at where email = $1', [email]);
    expect(titleOf(await open(invitation))).toBe(INVALID);
  });
});

test('a link that a newer link replaced opens a page where the person can request another', async () => {
  const email = anyEmail();
  await register(email);
  const older = linkIn(await receiveMail(app, email));
  await app.call('/api/auth/verify-email/resend', { body: { email }, token: null });
  await receiveMail(app, email, 2);
  const page = await open(older);
  expect([titleOf(page), page.text]).toEqual([
    INVALID,
    expect.stringMatching(/href="\/account\/recover[^>]*>Pedir um/),
  ]);
});

test('a truncated link shows another error than an expired link', async () => {
  const page = await open('/account/verify-em');
  expect([page.status, titleOf(page), page.text.includes('<a ')]).toEqual([404, 'Esta página não existe', false]);
  expect(titleOf(await open('/account/verify-em?lang=fr'))).toBe('Cette page n’existe pas');
});
