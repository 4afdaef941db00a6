// The console in a browser: with and without a script, on a phone, live, and accessible however it is looked at.
import { expect as expectValue, test } from 'vitest';
import { DEMO_PEOPLE } from '../../shared/sandbox.ts';
import { expect } from '../support/expect.ts';
import { addMember, PASSWORD } from '../support/members.ts';
import { create, purchase, travelToStatus, webframe } from '../support/payments.ts';
import { BasePage } from './pages/base.ts';
import { setStage, type VisitOptions } from './pages/stage.ts';

const stage = setStage();
const PHONE = { width: 360, height: 740 };
/** Approves by itself after a second. */
const APPROVER = '900000000';

const findDemo = async () =>
  (await stage.app.sql<{ id: string }>(`select id from merchants where name = 'Loja da Ilha'`))[0]!.id;

/** The list of payments, of somebody who signed in by the form. */
async function enter(options: VisitOptions = {}) {
  const { email } = await addMember(stage.app, { merchantId: await findDemo() });
  const page = await stage.visit({ viewport: PHONE, cookies: ['balcao'], ...options });
  await page.goto(`${stage.app.node.core.publicUrl}/console`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Palavra-passe').fill(PASSWORD);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Hoje' })).toBeVisible();
  await page.goto(`${stage.app.node.core.publicUrl}/console/payments`);
  await expect(page.getByRole('heading', { level: 1, name: 'Pagamentos' })).toBeVisible();
  return page;
}

test('without a script a payment is found, given back in part, and every step is said', async () => {
  const { internalId, reference } = await create(stage.app, purchase(APPROVER, { reference: 'PANO77' }));
  await travelToStatus(stage.app, internalId, 'Paid');
  const page = await enter({ javaScriptEnabled: false, expected: /\b4\d\d\b/ });
  await page.getByRole('searchbox').fill(reference);
  await page.getByRole('button', { name: 'Procurar' }).click();
  await page.getByRole('link', { name: /PANO77/ }).click();
  await expect(page.locator('.amount')).toHaveText('1 500,00 Kz');
  await page.locator('summary', { hasText: 'Devolver' }).click();
  await page.getByLabel('Montante a devolver').fill('1.500');
  await page.getByRole('button', { name: 'Devolver' }).click();
  // A thousand and a half, or one and a half: nobody guesses.
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(page.getByLabel('Montante a devolver')).toHaveValue('1.500');
  await page.getByLabel('Montante a devolver').fill('500');
  await page.getByRole('button', { name: 'Devolver' }).click();
  await expect(page.getByRole('status')).toHaveText('A devolução foi pedida.');
  const refunds = await stage.app.sql('select amount_minor from refunds where payment_id = $1', [internalId]);
  expectValue(refunds.map(({ amount_minor }) => Number(amount_minor))).toEqual([50_000]);
});

test('a list says what is new and what became of its lines, and a payment tells its story, without being asked', async () => {
  const page = await enter();
  const { internalId } = await create(stage.app, webframe({ reference: 'NOVO1' }));
  const line = page.getByRole('link', { name: /NOVO1/ });
  await expect(line).toContainText('A aguardar');
  await stage.app.call(`/api/payments/${internalId}/cancel`, { method: 'POST', body: {} });
  await expect(line).toContainText('Cancelado');

  const other = await create(stage.app, webframe({ reference: 'NOVO2' }));
  await page.goto(`${stage.app.node.core.publicUrl}/console/payments/${other.internalId}`);
  await expect(page.locator('.timeline')).toContainText('pedido criado');
  await page.locator('summary', { hasText: 'Cancelar' }).click();
  await stage.app.call(`/api/payments/${other.internalId}/cancel`, { method: 'POST', body: {} });
  await expect(page.locator('.timeline')).toContainText('cancelado');
  // What somebody is about to do is not taken from under their hand.
  await expect(page.getByRole('button', { name: 'Cancelar o pagamento' })).toBeVisible();
});

test('a long list goes on by itself, and by a link without a script', async () => {
  const few = Array.from({ length: 30 }, () => create(stage.app, webframe()));
  await Promise.all(few);
  const without = await enter({ javaScriptEnabled: false });
  await without.getByRole('link', { name: 'Mostrar mais' }).click();
  await expect(without).toHaveURL(/after=/);
  const page = await enter();
  await expect(page.locator('[data-list] > li')).toHaveCount(25);
  await page.locator('[data-more]').scrollIntoViewIfNeeded();
  const total = Number((await stage.app.sql('select count(*) as n from payments'))[0]!.n);
  await expect(page.locator('[data-list] > li')).toHaveCount(total);
});

test('the demo owner comes in by one press', async () => {
  const page = await stage.visit({ cookies: ['balcao'] });
  await page.goto(`${stage.app.node.core.publicUrl}/sandbox`);
  await page.getByRole('button', { name: 'Entrar como dona' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Hoje' })).toBeVisible();
  await expect(page.getByText(`${DEMO_PEOPLE.owner.firstName} da Ilha · Dono`)).toBeVisible();
});

test('is accessible on a phone: the door, the list, a payment with its forms, the account, and what is not there', async () => {
  const { internalId } = await create(stage.app, webframe());
  const door = new BasePage(await stage.visit({ viewport: PHONE }));
  await door.page.goto(`${stage.app.node.core.publicUrl}/console/sign-in`);
  await door.expectAccessible();
  const page = new BasePage(await enter({ expected: /\b404\b/ }));
  const home = `${stage.app.node.core.publicUrl}/console`;
  for (const path of [
    '/today',
    '/charge',
    '/payments',
    `/payments/${internalId}`,
    '/account',
    `/payments/${crypto.randomUUID()}`,
  ]) {
    await page.page.goto(home + path);
    await page.expectAccessible();
    await page.expectReadableEnlarged();
  }
  await page.page.goto(`${home}/account`);
  await page.expectFocusVisible();
});
