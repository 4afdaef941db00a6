import type { Page } from 'playwright';
import { expect as expectValue, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { openOpg, SECRET, untilThere } from '../../support/rail-accounts.ts';
import { travelUntil } from '../../support/payments.ts';
import { AccountPage } from '../pages/account.ts';
import { BasePage } from '../pages/base.ts';
import { InboxPage } from '../pages/inbox.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const PASSWORD = 'mulemba kitanda roxo 57';
const PHONE = { width: 360, height: 740 };

const enterPhone = () => fixture.visit({ viewport: PHONE, cookies: ['balcao'], expected: /\b40[34]\b/ });

const open = (page: Page, path: string) => page.goto(fixture.app.node.core.publicUrl + path);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const unfold = (page: Page, title: string) => page.locator('summary', { hasText: title }).click();

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
}

async function register(page: Page, email: string): Promise<void> {
  await open(page, '/console');
  await page.getByRole('link', { name: 'Criar conta' }).click();
  const form = new AccountPage(page);
  await form.expectTitle('Crie a sua conta');
  await fill(page, { Nome: 'Ana', Apelido: 'Domingos', 'E-mail': email, 'Palavra-passe': PASSWORD });
  await new BasePage(page).expectFitsNarrow();
  await form.send('Criar a conta');
  await form.expectTitle('Veja o seu correio');
  await new InboxPage(page).followLink(fixture.app, email);
  await form.send('Confirmar e entrar');
  await expect(page.getByRole('heading', { name: 'Dê nome à sua loja' })).toBeVisible();
  await page.getByLabel('Nome da loja').fill('Panos da Ana');
  await press(page, 'Criar a loja');
  await expect(page.getByRole('status')).toContainText('A sua loja está criada.');
}

async function enterContract(page: Page) {
  const { fake, body } = await openOpg(fixture.app.clock);
  await open(page, '/console/rails');
  await page.getByRole('link', { name: 'Adicionar contrato' }).click();
  await page.getByRole('link', { name: 'ProxyPay OPG' }).click();
  await fill(page, { 'Número do terminal (POS)': '42', Token: SECRET });
  await unfold(page, 'Outro endereço do prestador');
  await page.getByLabel('Endereço da API').fill(String(body.settings['baseUrl']));
  await new BasePage(page).expectFitsNarrow();
  await press(page, 'Guardar o contrato');
  await expect(page.getByRole('status')).toContainText('Contrato guardado.');
  await press(page, 'Confirmar os dados com o prestador');
  await expect(page.getByText('O prestador aceitou os dados.')).toBeVisible();
  return fake;
}

/** Charges 1,500 Kz by phone and returns the address of the payment. */
async function charge(page: Page, fake: Awaited<ReturnType<typeof enterContract>>): Promise<string> {
  await page.getByRole('navigation', { name: 'Atalhos' }).getByRole('link', { name: 'Cobrar' }).click();
  await fill(page, { 'Montante em kwanzas': '1500', 'Telemóvel do cliente': '923456789' });
  await press(page, 'Cobrar');
  await expect(page.locator('.huge')).toHaveText('1 500,00 Kz');
  const order = await untilThere(() => [...fake.book.transactions.values()][0], 'the push');
  await fake.act(order.id, 'Approve');
  const id = page.url().split('/').at(-1)!.split('?')[0];
  const isPaid = `select 1 from payments where id = $1 and status = 'Paid'`;
  await travelUntil(
    fixture.app,
    async () => (await fixture.app.sql(isPaid, [id])).length > 0,
    'the payment being paid',
  );
  await expect(page.getByRole('heading', { name: 'Comprovativo' })).toBeVisible();
  await page.getByRole('link', { name: 'Ver o pagamento' }).click();
  await page.waitForURL(/\/console\/payments\//);
  return page.url();
}

/** The account refunds whole amounts only, so the form has no amount field. */
async function refund(page: Page): Promise<void> {
  await unfold(page, 'Devolver');
  await expect(page.locator('input#refund-amount')).toHaveCount(0);
  await page.getByRole('button', { name: /^Devolver 1.500,00.Kz$/ }).click();
}

async function inviteCashier(owner: Page, email: string): Promise<Page> {
  await open(owner, '/console/team');
  await owner.getByLabel('E-mail').fill(email);
  await owner
    .getByLabel('Função')
    .first()
    .selectOption({ label: await labelOf(owner, 'Caixa') });
  await press(owner, 'Convidar');
  const page = await enterPhone();
  await new InboxPage(page).followLink(fixture.app, email);
  await fill(page, { Nome: 'Rui', Apelido: 'Neto', 'Palavra-passe': PASSWORD });
  await press(page, 'Aceitar o convite');
  await expect(page.getByRole('heading', { level: 1, name: 'Cobrar' })).toBeVisible();
  return page;
}

async function labelOf(page: Page, role: string): Promise<string> {
  const labels = await page.getByLabel('Função').first().locator('option').allTextContents();
  return labels.find((label) => label.startsWith(role)) ?? '';
}

const readRefunds = (page: string) =>
  fixture.app.sql<{ minor: string }>('select amount_minor::text as minor from refunds where payment_id = $1', [
    page.split('/').at(-1),
  ]);

test('a new owner creates a merchant, charges, refunds, and invites a cashier without the right to refund', async () => {
  const page = await enterPhone();
  await register(page, 'ana@example.ao');
  const fake = await enterContract(page);
  const payment = await charge(page, fake);

  const cashier = await inviteCashier(page, 'rui@example.ao');
  await cashier.goto(payment);
  await expect(cashier.locator('.amount')).toHaveText('1 500,00 Kz');
  await expect(cashier.locator('summary', { hasText: 'Devolver' })).toHaveCount(0);
  await open(cashier, '/console/rails');
  await expect(cashier.getByRole('heading', { level: 1, name: 'Esta página não existe' })).toBeVisible();

  await page.goto(payment);
  await refund(page);
  await expect(page.getByRole('status')).toHaveText('A devolução foi pedida.');
  expectValue(await readRefunds(payment)).toEqual([{ minor: '150000' }]);
});
