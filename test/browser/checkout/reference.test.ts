// Paying by reference as people see it: the digits on the page, taken along, paid at a machine, live to the end.
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { creepUntil, orderFault } from '../../support/payments.ts';
import { cancel, digits, readReference } from '../../support/ppr.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { makeReference, payAtMachine, readClipboard, ReferencePart, type MadeReference } from '../pages/reference.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const PLAIN: VisitOptions = { javaScriptEnabled: false };
const PAYABLE = 'Pague por referência';

/** Pages without a script ask again each half minute; what can be paid at once is asked about sooner. */
const SOON_S = 4;

async function openPage(made: MadeReference, options: VisitOptions = {}, lang?: string) {
  const checkout = new CheckoutPage(await fixture.visit(options));
  await checkout.open(made, lang);
  return { checkout, part: new ReferencePart(checkout.main, checkout.page.locator('#news')) };
}

const CLIPBOARD: VisitOptions = { permissions: ['clipboard-read', 'clipboard-write'] };

describe('the page', () => {
  test('shows the digits and turns to paid without being touched', async () => {
    const made = await makeReference(fixture.app);
    const { checkout, part } = await openPage(made);
    await checkout.expectTitle(PAYABLE);
    await part.expectDigits(made);
    await expect(part.valueOf('Montante')).toHaveText('1 500,00 Kz');
    await expect(part.root.getByText('Pagamentos › Pagamento por Referência', { exact: true })).toBeVisible();
    await checkout.page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await payAtMachine(fixture.app, made);
    await checkout.expectTitle('Pago');
    await expect(part.news).toHaveText('Pago');
    await expect(checkout.main.getByText(made.reference.replace(/(\d{3})(?=\d)/g, '$1 '))).toBeVisible();
    expect(await checkout.page.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  test('copies what is typed, without spaces, and says so to eyes and ears', async () => {
    const made = await makeReference(fixture.app);
    const checkout = new CheckoutPage(await fixture.visit(CLIPBOARD));
    await checkout.page.clock.install();
    await checkout.open(made);
    const part = new ReferencePart(checkout.main, checkout.page.locator('#news'));
    for (const [label, copied, told] of [
      ['Entidade', made.entity, 'Entidade copiada'],
      ['Referência', made.reference, 'Referência copiada'],
      ['Montante', '1500.00', 'Montante copiado'],
    ] as const) {
      await part.copyButton(label).click();
      await expect(part.news).toHaveText(told);
      await expect(part.root.getByRole('button', { name: `Copiado ${label}` })).toBeFocused();
      expect(await readClipboard(checkout.page)).toBe(copied);
    }
    await checkout.page.clock.runFor(4_000);
    await expect(part.copyButton('Entidade')).toBeVisible();
    await expect(part.copyButton('Montante')).toBeVisible();
    await expect(part.news).toHaveText('');
  });

  test('copied twice in a row is said twice: a screen reader hears nothing of a line that stays as it is', async () => {
    const { checkout, part } = await openPage(await makeReference(fixture.app), CLIPBOARD);
    await part.news.evaluate((line) => {
      const said: string[] = [];
      new MutationObserver(() => said.push(line.textContent ?? '')).observe(line, { childList: true });
      Object.assign(window, { said });
    });
    await part.copyButton('Referência').click();
    await expect(part.news).toHaveText('Referência copiada');
    await part.root.getByRole('button', { name: 'Copiado Referência' }).click();
    const readSaid = () => checkout.page.evaluate(() => (window as unknown as { said: string[] }).said);
    await expect.poll(readSaid).toEqual(['Referência copiada', '', 'Referência copiada']);
  });

  test('selects what is to be copied where a page has no clipboard', async () => {
    const made = await makeReference(fixture.app);
    const { checkout, part } = await openPage(made);
    await checkout.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await part.copyButton('Referência').click();
    await expect(part.news).toHaveText('Texto selecionado: já o pode copiar');
    expect(await checkout.page.evaluate(() => String(getSelection()))).toBe(made.reference);
  });

  test('is accessible, fits a small screen, and shows the focus on each of its buttons', async () => {
    const made = await makeReference(
      fixture.app,
      {},
      { description: 'Pano samakaka, algodão estampado', amount: 9_999_999.99 },
    );
    const { checkout, part } = await openPage(made);
    await expect(part.copyButtons).toHaveCount(3);
    await checkout.expectNoViolations();
    await checkout.expectFitsNarrow();
    await checkout.expectReadableEnlarged();
    await checkout.expectFocusVisible();
  });

  test('with fifteen digits still fits a small screen', async () => {
    const made = await makeReference(fixture.app, {}, { reference: `00000${digits()}` });
    const { checkout, part } = await openPage(made);
    await part.expectDigits(made);
    await checkout.expectNoViolations();
    await checkout.expectFitsNarrow();
  });

  test('prints a slip: the digits and where to pay, no buttons and no links', async () => {
    const made = await makeReference(fixture.app, { cancelUrl: `${fixture.app.node.core.publicUrl}/demo` });
    const { checkout, part } = await openPage(made);
    await expect(checkout.main.getByRole('button', { name: 'Imprimir ou guardar' })).toBeVisible();
    await checkout.page.emulateMedia({ media: 'print' });
    await part.expectDigits(made);
    await expect(checkout.main.getByText('Loja da Ilha')).toBeVisible();
    await expect(checkout.page.locator('button:visible, a:visible')).toHaveCount(0);
  });

  test('is not to be paid until the rail knows it, and turns by itself', async () => {
    const reference = digits();
    await orderFault(fixture.app, { on: 'reference_register', kind: 'unavailable', reference, times: 1 });
    const made = await makeReference(fixture.app, {}, { reference }, false);
    const { checkout, part } = await openPage(made);
    await checkout.expectTitle('A referência está a ser ativada');
    await part.expectDigits(made);
    await expect(part.copyButtons).toHaveCount(0);
    await checkout.travelToTitle(fixture.app, PAYABLE);
    await expect(part.copyButtons).toHaveCount(3);
  });

  test('says not to pay a reference that was canceled', async () => {
    const made = await makeReference(fixture.app);
    const { checkout } = await openPage(made);
    await checkout.expectTitle(PAYABLE);
    expect((await cancel(fixture.app, made.reference)).status).toBe(200);
    await checkout.expectTitle('Pagamento cancelado');
    await expect(checkout.main.getByText(/^Não pague esta referência/)).toBeVisible();
  });

  test('speaks the payer’s language, and the machine’s where the payer must find its words', async () => {
    const { checkout } = await openPage(await makeReference(fixture.app), {}, 'en');
    await checkout.expectTitle('Pay by reference');
    const path = checkout.main.getByText('Pagamentos › Pagamentos por Referência');
    await expect(path).toHaveAttribute('lang', 'pt');
    await checkout.expectNoViolations();
  });
});

describe('a reference for any amount, paid again and again', () => {
  test('shows what was received, and stays payable until it is closed', async () => {
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

describe('without JavaScript', () => {
  test('the digits can be read and typed, no button is dead, and the page asks again by itself', async () => {
    const made = await makeReference(fixture.app);
    const { checkout, part } = await openPage(made, PLAIN);
    await part.expectDigits(made);
    await expect(checkout.page.getByRole('button')).toHaveCount(0);
    await expect(checkout.page.locator('meta[http-equiv=refresh]')).toHaveAttribute('content', /^30;url=/);
    await payAtMachine(fixture.app, made);
    await checkout.page.reload();
    await checkout.expectTitle('Pago');
    await expect(checkout.page.locator('meta[http-equiv=refresh]')).toHaveCount(0);
  });

  test('a reference that is being activated refreshes itself until it can be paid', async () => {
    const reference = digits();
    await orderFault(fixture.app, { on: 'reference_register', kind: 'unavailable', reference, times: 1 });
    const made = await makeReference(fixture.app, {}, { reference }, false);
    const { checkout } = await openPage(made, PLAIN);
    await checkout.expectTitle('A referência está a ser ativada');
    const refresh = await checkout.page.locator('meta[http-equiv=refresh]').getAttribute('content');
    const [, seconds, address = ''] = /^(\d+);url=(.+)$/.exec(refresh ?? '') ?? [];
    expect(Number(seconds)).toBe(SOON_S);
    const isKnown = async () => (await readReference(fixture.app, reference)).registeredAt !== null;
    await creepUntil(fixture.app, isKnown, 'the rail knowing it');
    // Followed by hand; that a browser follows it by itself: noscript.test.ts.
    const next = new CheckoutPage(await checkout.page.context().newPage());
    await next.page.goto(new URL(address, made.checkoutUrl).href);
    await next.expectTitle(PAYABLE);
  });
});

describe('by keyboard alone', () => {
  test('the digits are copied, and the focus stays where it is', async () => {
    const { checkout, part } = await openPage(await makeReference(fixture.app), CLIPBOARD);
    await expect(part.copyButtons).toHaveCount(3);
    await checkout.page.keyboard.press('Tab');
    await expect(part.copyButton('Entidade')).toBeFocused();
    await checkout.page.keyboard.press('Tab');
    await checkout.page.keyboard.press('Enter');
    await expect(part.news).toHaveText('Referência copiada');
    await checkout.page.keyboard.press('Tab');
    await expect(part.copyButton('Montante')).toBeFocused();
  });

  test('when the reference is paid, the focus that lost its button goes to the heading', async () => {
    const made = await makeReference(fixture.app);
    const { checkout, part } = await openPage(made);
    await part.copyButton('Montante').focus();
    await payAtMachine(fixture.app, made);
    await checkout.expectTitle('Pago');
    await expect(checkout.heading).toBeFocused();
  });
});
