// Payment by reference in the widget and in the demo shop.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { pay } from '../../support/ppr.ts';
import { CheckoutPage, stopTimers } from '../pages/checkout.ts';
import { openMerchant, paymentElement } from '../pages/merchant.ts';
import { makeReference, payAtMachine, readClipboard, ReferencePart } from '../pages/reference.ts';
import { OrderPage, ShopPage } from '../pages/shop.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const PAYABLE = 'Pague por referência';

const merchant = openMerchant(fixture);

describe('the widget of a reference', () => {
  test('shows the digits, copies them, and sends an event when the reference is paid', async () => {
    const made = await makeReference(fixture.app);
    const prepare = async (page: Page) => {
      await new WidgetPage(page).rememberEvents();
      // The widget shows the result of a copy for four seconds.
      await stopTimers(page);
    };
    const widget = new WidgetPage(await merchant.open({ body: paymentElement(made, 'lang="pt"') }, { prepare }));
    const part = new ReferencePart(widget.element, widget.element.locator('#news'));
    await widget.expectTitle(PAYABLE);
    await part.expectDigits(made);
    await widget.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await part.copyButton('Referência').click();
    await expect(part.news).toHaveText('Referência copiada');
    await expect(part.root.getByRole('button', { name: 'Copiado Referência' })).toBeFocused();
    expect(await readClipboard(widget.page)).toBe(made.reference);
    await widget.page.clock.resume();
    const link = widget.element.getByRole('link', { name: 'Imprimir ou guardar' });
    await expect(link).toHaveAttribute('href', `${made.checkoutUrl}?lang=pt`);
    await widget.expectAccessible();
    await widget.expectReadableEnlarged();
    await payAtMachine(fixture.app, made);
    await widget.expectTitle('Pago');
    await expect.poll(() => widget.readEvents()).toContain('balcao:paid Paid');
  });
});

describe('the demo shop', () => {
  test('sells by reference: the order is paid after the payment at the cash machine', async () => {
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

  test('keeps one payment for an order that is opened with two payment methods', async () => {
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
