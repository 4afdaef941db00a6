// Merchants' pages set properties early or late, put links inside the elements, hide them and scroll behind them.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { DialogPage } from '../pages/dialog.ts';
import { checkoutElement, paymentElement, openMerchant, type MerchantPage } from '../pages/merchant.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

const FORM = 'Pague com Multicaixa Express';
const SCRIPTS = ['/widget.js', '/widget/loader.js'];

async function openMerchantPage(page: MerchantPage, expected?: RegExp, prepare = async (_page: Page) => {}) {
  const requested: string[] = [];
  const visitor = await merchant.open(page, {
    viewport: { width: 1280, height: 900 },
    ...(expected && { expected }),
    prepare: (each) => (
      each.on('request', (request) => void requested.push(new URL(request.url()).pathname)),
      prepare(each)
    ),
  });
  const link = visitor.getByRole('link', { name: 'Pagar' });
  return { page: visitor, widget: new WidgetPage(visitor), shop: new DialogPage(visitor), requested, link };
}

const linkTo = ({ checkoutUrl }: { checkoutUrl: string }) => `<a href="${checkoutUrl}">Pagar</a>`;

describe.each(SCRIPTS)('the widget script %s', (script) => {
  test('keeps properties that were set before it loads', async () => {
    const [first, second] = [
      await create(fixture.app, webframe()),
      await create(fixture.app, webframe({ amount: 200 })),
    ];
    const { page, widget, shop } = await openMerchantPage({ body: '', scripts: [] });
    await page.evaluate(
      ([token, other]) => {
        const payment = Object.assign(document.createElement('balcao-payment'), { token });
        const dialog = document.createElement('balcao-checkout');
        document
          .querySelector('main')!
          .append(payment, Object.assign(dialog, { token: other, theme: 'dark', open: true }));
      },
      [first.clientToken, second.clientToken],
    );
    await page.addScriptTag({ url: fixture.app.node.core.publicUrl + script });
    await expect(widget.element).toContainText('1 500,00 Kz');
    await shop.expectInside(FORM);
    await expect(shop.element).toHaveAttribute('theme', 'dark');
    await shop.element.evaluate((element) => void Object.assign(element, { open: false }));
    await expect(shop.dialog).toHaveCount(0);
    await widget.element.evaluate((element, token) => void Object.assign(element, { token }), second.clientToken);
    await expect(widget.element).toContainText('200,00 Kz');
  });

  test('draws nothing and sends no request without a token', async () => {
    const payment = await create(fixture.app, webframe());
    const body = `<balcao-payment token="">${linkTo(payment)}</balcao-payment><balcao-checkout open></balcao-checkout>`;
    const { page, widget, shop, requested, link } = await openMerchantPage({ body, scripts: [script] });
    await page.waitForFunction(() => customElements.get('balcao-checkout') && document.readyState === 'complete');
    await expect(link).toBeVisible();
    const setToken = (token: string | null) =>
      page.evaluate((given) => {
        for (const element of document.querySelectorAll('balcao-payment, balcao-checkout'))
          Object.assign(element, { token: given });
      }, token);
    await setToken(payment.clientToken);
    await expect(widget.element).toContainText('1 500,00 Kz');
    await shop.expectInside(FORM);
    await setToken(null);
    await expect(shop.dialog).toHaveCount(0);
    await expect(link).toBeVisible();
    await expect(widget.element).toHaveText('Pagar');
    expect(requested.filter((path) => path.startsWith('/checkout/') && !path.includes(payment.clientToken))).toEqual(
      [],
    );
  });
});

describe('the link inside <balcao-payment>', () => {
  test('is visible until the payment is drawn', async () => {
    const payment = await create(fixture.app, webframe());
    const body = `<balcao-payment token="${payment.clientToken}">${linkTo(payment)}</balcao-payment>`;
    const { page, widget, link } = await openMerchantPage({ body }, /ERR_FAILED|Balcão/, async (each) => {
      await each.clock.install();
      await each.route('**/session?*', (route) => route.abort());
    });
    await expect(widget.element.getByText('O pagamento não abriu')).toBeVisible();
    await expect(link).toBeVisible();
    await page.unroute('**/session?*');
    await page.clock.runFor(3_000);
    await widget.expectTitle(FORM);
    await expect(link).toBeHidden();
  });

  test('is visible in the font of the page if the token is unknown', async () => {
    const body = '<balcao-payment token="nothing"><a href="/">Pagar</a></balcao-payment>';
    const css = 'body { font: 30px serif }';
    const { widget, link } = await openMerchantPage({ body, css }, /404/);
    await expect(widget.element.getByText('Este pagamento já não está disponível.')).toBeVisible();
    await expect(link).toBeVisible();
    await expect(link).toHaveCSS('font-size', '30px');
  });
});

describe('a page that hides an element', () => {
  const css = `.gone { display: none } .d-none { display: none !important }`;
  const HIDDEN: Record<string, (element: HTMLElement, isHidden: boolean) => void> = {
    'by its style': ({ style }, isHidden) => void (style.display = isHidden ? 'none' : ''),
    'by a class': ({ classList }, isHidden) => void classList.toggle('gone', isHidden),
    'by an important class': ({ classList }, isHidden) => void classList.toggle('d-none', isHidden),
    'by its attribute': (element, isHidden) => void (element.hidden = isHidden),
  };

  test('hides <balcao-payment> by style, class and attribute, and shows it again', async () => {
    const payment = await create(fixture.app, webframe());
    const { widget } = await openMerchantPage({ body: paymentElement(payment), css });
    await widget.expectTitle(FORM);
    for (const [how, hide] of Object.entries(HIDDEN)) {
      await widget.element.evaluate(hide as (element: HTMLElement, isHidden: boolean) => void, true);
      expect(await widget.element.boundingBox(), how).toBeNull();
      await expect(widget.title).toBeHidden();
      await widget.element.evaluate(hide as (element: HTMLElement, isHidden: boolean) => void, false);
      await expect(widget.title).toBeVisible();
    }
  });

  test.each(['', 'd-none'])(
    'can close the dialog of <balcao-checkout class="%s"> around its own content',
    async (name) => {
      const payment = await create(fixture.app, webframe());
      const body = `<balcao-checkout class="${name}" token="${payment.clientToken}"><b>Comprar</b></balcao-checkout>`;
      const { page, shop } = await openMerchantPage({ body, css });
      const own = page.locator('b');
      await expect(own).toBeVisible({ visible: !name });
      await shop.open();
      await shop.expectInside(FORM);
      await expect(own).toBeVisible();
      await shop.closeButton.click();
      await expect(own).toBeVisible({ visible: !name });
    },
  );
});

describe('the page behind a dialog', () => {
  const readOverflow = (shop: DialogPage) =>
    shop.page.locator('html').evaluate((html) => getComputedStyle(html).overflowY);

  test('scrolls only after the last dialog is closed', async () => {
    const body = (await Promise.all([1, 2].map(() => create(fixture.app, webframe()))))
      .map(({ clientToken }) => checkoutElement({ clientToken }))
      .join('');
    const { page } = await openMerchantPage({ body, css: 'main { height: 5000px }' });
    const [one, two] = [0, 1].map((nth) => new DialogPage(page, page.locator('balcao-checkout').nth(nth)));
    await page.mouse.move(5, 450);
    await one!.open();
    await one!.expectInside(FORM);
    await page.mouse.wheel(0, 700);
    await two!.open();
    await two!.expectInside(FORM);
    const close = (shop: DialogPage) => shop.element.evaluate((element) => element.removeAttribute('open'));
    await close(one!);
    expect(await readOverflow(two!)).toBe('hidden');
    await close(two!);
    expect(await readOverflow(two!)).toBe('visible');
    await page.mouse.wheel(0, 50);
    const readPlace = () => page.evaluate(() => scrollY);
    await expect.poll(readPlace).toBeGreaterThan(0);
    await expect.poll(readPlace).toBe(50);
  });

  test('scrolls after the page has restored the style sheets that it had while the dialog was open', async () => {
    const { clientToken } = await create(fixture.app, webframe());
    const { page, shop } = await openMerchantPage({ body: checkoutElement({ clientToken }) });
    await shop.open();
    await shop.expectInside(FORM);
    await page.evaluate(() => Object.assign(window, { found: [...document.adoptedStyleSheets] }));
    expect(await readOverflow(shop)).toBe('hidden');
    await shop.closeButton.click();
    await expect(shop.dialog).toHaveCount(0);
    await page.evaluate(() => {
      document.adoptedStyleSheets = (window as unknown as { found: CSSStyleSheet[] }).found;
    });
    expect(await page.evaluate(() => document.adoptedStyleSheets.length)).toBe(1);
    expect(await readOverflow(shop)).toBe('visible');
  });

  test('keeps its scroll position when the focus returns to a button outside of the visible part', async () => {
    const { clientToken } = await create(fixture.app, webframe());
    const body = `<button id="pay">Pagar</button><balcao-checkout token="${clientToken}"></balcao-checkout>`;
    const { page, shop } = await openMerchantPage({ body, css: 'main { height: 5000px }' }, /ERR_ABORTED/);
    await page.locator('#pay').focus();
    await page.evaluate(() => scrollTo(0, 2_000));
    await shop.open();
    await shop.expectInside(FORM);
    await shop.element.evaluate((element) => element.remove());
    await expect(page.locator('#pay')).toBeFocused();
    expect(await page.evaluate(() => scrollY)).toBe(2_000);
  });
});

test('unknown messages of a newer hosted page do not disturb an older widget element', async () => {
  const payment = await create(fixture.app, webframe());
  const { shop } = await openMerchantPage({ body: checkoutElement(payment) });
  await shop.open();
  await shop.expectInside(FORM);
  // An error in the parent window fails the test.
  await shop.inside.locator('html').evaluate(() => {
    const [balcao] = window.name.split('@');
    for (const type of ['theme', 'constructor', 'toString', 'close']) parent.postMessage({ type, balcao }, '*');
  });
  await expect(shop.dialog).toHaveCount(0);
});

describe('the widget', () => {
  test('links a receipt to the hosted page, where the payer can print and save it', async () => {
    const payment = await create(fixture.app, webframe({ description: 'Café da Gabela' }));
    const { widget } = await openMerchantPage({ body: paymentElement(payment) });
    await expect(widget.element.getByText('Café da Gabela')).toBeVisible();
    await widget.pay('900000000');
    await widget.expectTitle('Confirme o pagamento no seu telemóvel');
    await expect(widget.element.getByText('Não feche esta página')).toBeVisible();
    await widget.travelToTitle(fixture.app, 'Pago');
    const [kept] = await Promise.all([
      widget.page.waitForEvent('popup'),
      widget.element.getByRole('link', { name: 'Imprimir ou guardar' }).click(),
    ]);
    await expect(kept).toHaveURL(`${payment.checkoutUrl}?lang=pt`);
    await expect(kept.getByRole('heading', { level: 1 })).toHaveText('Pago');
  });
});
