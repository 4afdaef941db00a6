// Paying by reference on a merchant’s own pages: the digits in the widget, and the demo shop that sells so.
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { pay } from '../../support/ppr.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { makeReference, payAtMachine, readClipboard, ReferencePart, type MadeReference } from '../pages/reference.ts';
import { OrderPage, ShopPage } from '../pages/shop.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const PAYABLE = 'Pague por referência';

let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
});
afterAll(() => merchant?.close());

async function openWidget({ clientToken }: MadeReference) {
  const widget = new WidgetPage(await fixture.visit({ origins: [merchant.url] }));
  await widget.rememberEvents();
  const body = `<balcao-payment token="${clientToken}" lang="pt"></balcao-payment>`;
  await widget.page.goto(merchant.show({ body }));
  return { widget, part: new ReferencePart(widget.element, widget.element.locator('#news')) };
}

describe('the widget', () => {
  test('shows the digits, copies them, and tells the page when they were paid', async () => {
    const made = await makeReference(fixture.app);
    const { widget, part } = await openWidget(made);
    await widget.expectTitle(PAYABLE);
    await part.expectDigits(made);
    await widget.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await part.copyButton('Referência').click();
    await expect(part.news).toHaveText('Referência copiada');
    await expect(part.root.getByRole('button', { name: 'Copiado Referência' })).toBeFocused();
    expect(await readClipboard(widget.page)).toBe(made.reference);
    await widget.expectAccessible();
    await widget.expectReadableEnlarged();
    await payAtMachine(fixture.app, made);
    await widget.expectTitle('Pago');
    await expect.poll(() => widget.readEvents()).toContain('balcao:paid Paid');
  });

  test('selects what is to be copied where a page has no clipboard', async () => {
    const made = await makeReference(fixture.app);
    const { widget, part } = await openWidget(made);
    await widget.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await part.copyButton('Entidade').click();
    await expect(part.news).toHaveText('Texto selecionado: já o pode copiar');
  });

  test('counts what an open reference receives, and goes on showing it', async () => {
    const made = await makeReference(fixture.app, { referenceType: 'Charging' }, { amount: 0 });
    const { widget, part } = await openWidget(made);
    await widget.expectTitle(PAYABLE);
    await payAtMachine(fixture.app, made, '700.00');
    await widget.expectTitle('Pagamento recebido');
    await payAtMachine(fixture.app, made, '300.00');
    await expect(widget.element.getByText('Recebemos 2 pagamentos, no total de 1 000,00 Kz.')).toBeVisible();
    await part.expectDigits(made);
    await widget.expectNoViolations();
    await widget.expectFitsNarrow();
  });
});

describe('the demo shop', () => {
  test('sells by reference: paid at the test machine, the order is paid', async () => {
    const page = await fixture.visit();
    const shop = new ShopPage(page);
    await shop.open(fixture.app);
    await shop.buy('Café de Amboim', 'Por referência');
    const checkout = new CheckoutPage(page);
    await checkout.expectTitle(PAYABLE);
    const part = new ReferencePart(checkout.main, page.locator('#news'));
    const reference = (await part.valueOf('Referência').textContent()) ?? '';
    const machine = page.getByRole('link', { name: 'Pagar no caixa automático de teste' });
    await expect(machine).toHaveAttribute('href', `/sandbox/atm?entity=00999&reference=${reference}`);
    await page.getByRole('link', { name: 'Voltar à loja' }).click();
    const order = new OrderPage(page);
    await order.expectState('À espera de pagamento');
    const widget = new WidgetPage(page);
    await widget.expectTitle(PAYABLE);
    await pay(fixture.app, { entity: '00999', reference }, { channel: 'MB' });
    await widget.travelToTitle(fixture.app, 'Pago');
    await order.expectState('Pago');
  });

  test('an order begun in one way stays that one payment in another', async () => {
    const page = await fixture.visit();
    const shop = new ShopPage(page);
    await shop.open(fixture.app);
    const number = await page.locator('form', { hasText: 'Contos da ilha' }).locator('[name=order]').inputValue();
    const second = await page.context().newPage();
    await second.goto(`${fixture.app.node.core.publicUrl}/demo`);
    await second
      .locator('form', { hasText: 'Contos da ilha' })
      .locator('[name=order]')
      .evaluate((field, value) => {
        (field as HTMLInputElement).value = value;
      }, number);
    await shop.buy('Contos da ilha', 'Por referência');
    await new CheckoutPage(page).expectTitle(PAYABLE);
    await new ShopPage(second).buy('Contos da ilha', 'Pagar na página');
    await new CheckoutPage(second).expectTitle(PAYABLE);
    expect(second.url()).toContain(page.url().split('?')[0]);
  });
});
