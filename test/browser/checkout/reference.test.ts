// Payment by reference on the checkout page: the digits, the copy buttons, and live updates.
import { describe, test } from 'vitest';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { cancel } from '../../support/ppr.ts';
import { CheckoutPage, stopTimers } from '../pages/checkout.ts';
import { makeReference, payAtMachine, readClipboard, ReferencePart, type MadeReference } from '../pages/reference.ts';

const fixture = openBrowserFixture();
const PAYABLE = 'Pague por referência';
const CLIPBOARD: VisitOptions = { permissions: ['clipboard-read', 'clipboard-write'] };

/** @param isStill the page shows the result of a copy until its clock runs */
async function openPage(made: MadeReference, options: VisitOptions = {}, isStill = false) {
  const page = await fixture.visit(options);
  const checkout = new CheckoutPage(page);
  if (isStill) await stopTimers(page);
  await checkout.open(made);
  return { checkout, page, part: new ReferencePart(checkout.main, page.locator('#news')) };
}

describe('the checkout page of a reference', () => {
  test('shows the digits, and after the payment the receipt without a reload', async () => {
    const made = await makeReference(fixture.app);
    const { checkout, page, part } = await openPage(made);
    await checkout.expectTitle(PAYABLE);
    await part.expectDigits(made);
    await expect(part.valueOf('Montante')).toHaveText('1 500,00 Kz');
    await expect(part.root.getByText('Pagamentos › Pagamento por Referência', { exact: true })).toBeVisible();
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await part.copyButton('Montante').focus();
    await payAtMachine(fixture.app, made);
    await checkout.expectTitle('Pago');
    // The focused button is gone, so the focus moves to the heading.
    await expect(checkout.heading).toBeFocused();
    await expect(checkout.main.getByText(made.reference.replace(/(\d{3})(?=\d)/g, '$1 '))).toBeVisible();
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  test('copies digits without spaces by keyboard, and announces each copy', async () => {
    const made = await makeReference(fixture.app);
    const { page, part } = await openPage(made, CLIPBOARD, true);
    await expect(part.copyButtons).toHaveCount(3);
    for (const [label, copied, announced] of [
      ['Entidade', made.entity, 'Entidade copiada'],
      ['Referência', made.reference, 'Referência copiada'],
      ['Montante', '1500.00', 'Montante copiado'],
    ] as const) {
      await page.keyboard.press('Tab');
      await expect(part.copyButton(label)).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(part.news).toHaveText(announced);
      await expect(part.root.getByRole('button', { name: `Copiado ${label}` })).toBeFocused();
      expect(await readClipboard(page)).toBe(copied);
    }
    await page.clock.runFor(4_000);
    for (const label of ['Entidade', 'Montante']) await expect(part.copyButton(label)).toBeVisible();
    await expect(part.news).toHaveText('');
  });

  test('also announces a repeated copy, because it empties the status line first', async () => {
    const { page, part } = await openPage(await makeReference(fixture.app), CLIPBOARD, true);
    await part.news.evaluate((line) => {
      const said: string[] = [];
      new MutationObserver(() => said.push(line.textContent ?? '')).observe(line, { childList: true });
      Object.assign(window, { said });
    });
    await part.copyButton('Referência').click();
    await expect(part.news).toHaveText('Referência copiada');
    await part.root.getByRole('button', { name: 'Copiado Referência' }).click();
    const readSaid = () => page.evaluate(() => (window as unknown as { said: string[] }).said);
    await expect.poll(readSaid).toEqual(['Referência copiada', '', 'Referência copiada']);
  });

  test('selects the digits for a manual copy if the browser has no clipboard', async () => {
    const made = await makeReference(fixture.app);
    const { page, part } = await openPage(made, {}, true);
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await part.copyButton('Referência').click();
    await expect(part.news).toHaveText('Texto seleccionado: já o pode copiar');
    expect(await page.evaluate(() => String(getSelection()))).toBe(made.reference);
  });

  test('shows the focus on each button', async () => {
    const { checkout, part } = await openPage(await makeReference(fixture.app));
    await expect(part.copyButtons).toHaveCount(3);
    await checkout.expectFocusVisible();
  });

  test('counts the payments of an open reference until the merchant cancels the reference', async () => {
    const made = await makeReference(fixture.app, { referenceType: 'Charging' }, { amount: 0 });
    const { checkout, part } = await openPage(made);
    await checkout.expectTitle(PAYABLE);
    await expect(part.valueOf('Montante')).toHaveText('O montante que quiser');
    await expect(part.copyButtons).toHaveCount(2);
    await payAtMachine(fixture.app, made, '700.00');
    await checkout.expectTitle('Pagamento recebido');
    const count = checkout.main.getByRole('status');
    await expect(count).toHaveText('Recebemos 700,00 Kz.');
    await part.expectDigits(made);
    await payAtMachine(fixture.app, made, '800.50');
    await expect(count).toHaveText('Recebemos 2 pagamentos, no total de 1 500,50 Kz.');
    expect((await cancel(fixture.app, made.reference)).status).toBe(200);
    await checkout.expectTitle('Pago');
    await expect(checkout.main.getByText('Recebemos 2 pagamentos, no total de 1 500,50 Kz.')).toBeVisible();
  });
});
