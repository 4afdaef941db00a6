// What a merchant's page does with the elements: sets them early, gives them their token late, has its own link inside, and hides them.
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { allowOrigin, DialogPage } from '../pages/dialog.ts';
import { startMerchant, type Merchant, type MerchantPage } from '../pages/merchant.ts';
import { makeReference } from '../pages/reference.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
  await allowOrigin(fixture.app, merchant.url);
});
afterAll(() => merchant.close());

const FORM = 'Pague com Multicaixa Express';
const SCRIPTS = ['/widget.js', '/widget/loader.js'];

async function openShop(page: MerchantPage, expected?: RegExp) {
  const viewport = { width: 1280, height: 900 };
  const visitor = await fixture.visit({ origins: [merchant.url], viewport, ...(expected && { expected }) });
  const asked: string[] = [];
  visitor.on('request', (request) => void asked.push(new URL(request.url()).pathname));
  const open = () => visitor.goto(merchant.show(page));
  const link = visitor.getByRole('link', { name: 'Pagar' });
  return { page: visitor, widget: new WidgetPage(visitor), shop: new DialogPage(visitor), asked, link, open };
}

const linkTo = ({ checkoutUrl }: { checkoutUrl: string }) => `<a href="${checkoutUrl}">Pagar</a>`;

describe.each(SCRIPTS)('%s', (script) => {
  test('keeps the properties that were set before it came', async () => {
    const [first, second] = [
      await create(fixture.app, webframe()),
      await create(fixture.app, webframe({ amount: 200 })),
    ];
    const { page, widget, shop, open } = await openShop({ body: '', scripts: [] });
    await open();
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

  test('draws, asks and hides nothing until there is a token, nor without one any more', async () => {
    const payment = await create(fixture.app, webframe());
    const body = `<balcao-payment token="">${linkTo(payment)}</balcao-payment><balcao-checkout open></balcao-checkout>`;
    const { page, widget, shop, asked, link, open } = await openShop({ body, scripts: [script] });
    await open();
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
    expect(asked.filter((path) => path.startsWith('/checkout/') && !path.includes(payment.clientToken))).toEqual([]);
  });
});

describe('the link inside <balcao-payment>', () => {
  test('is there while the gateway cannot be reached, and gone when the payment is drawn', async () => {
    const payment = await create(fixture.app, webframe());
    const body = `<balcao-payment token="${payment.clientToken}">${linkTo(payment)}</balcao-payment>`;
    const { page, widget, link, open } = await openShop({ body }, /ERR_FAILED|Balcão/);
    await page.clock.install();
    await page.route('**/session?*', (route) => route.abort());
    await open();
    await expect(widget.element.getByText('O pagamento não abriu')).toBeVisible();
    await expect(link).toBeVisible();
    await page.unroute('**/session?*');
    await page.clock.runFor(3_000);
    await widget.expectTitle(FORM);
    await expect(link).toBeHidden();
  });

  test('is there for a payment that is not, in the page’s own type', async () => {
    const body = '<balcao-payment token="nothing"><a href="/">Pagar</a></balcao-payment>';
    const css = 'body { font: 30px serif }';
    const { widget, link, open } = await openShop({ body, css }, /404/);
    await open();
    await expect(widget.element.getByText('Este pagamento já não está disponível.')).toBeVisible();
    await expect(link).toBeVisible();
    await expect(link).toHaveCSS('font-size', '30px');
  });
});

test('what stands inside <balcao-checkout> is there before, during and after it is open', async () => {
  const payment = await create(fixture.app, webframe());
  const body = `<balcao-checkout token="${payment.clientToken}"><b>Comprar</b></balcao-checkout>`;
  const { page, shop, open } = await openShop({ body });
  await open();
  const own = page.locator('b');
  await expect(own).toBeVisible();
  await shop.open();
  await shop.expectInside(FORM);
  await expect(own).toBeVisible();
  await shop.closeButton.click();
  await expect(own).toBeVisible();
});

describe('a page that hides', () => {
  const css = `.gone { display: none } .d-none { display: none !important }`;
  const HIDDEN: Record<string, (element: HTMLElement, isHidden: boolean) => void> = {
    'by its style': ({ style }, isHidden) => void (style.display = isHidden ? 'none' : ''),
    'by a class': ({ classList }, isHidden) => void classList.toggle('gone', isHidden),
    'by an important class': ({ classList }, isHidden) => void classList.toggle('d-none', isHidden),
    'by its attribute': (element, isHidden) => void (element.hidden = isHidden),
  };

  test('<balcao-payment>, however it does it, sees no more of it until it shows it again', async () => {
    const payment = await create(fixture.app, webframe());
    const { widget, open } = await openShop({
      body: `<balcao-payment token="${payment.clientToken}"></balcao-payment>`,
      css,
    });
    await open();
    await widget.expectTitle(FORM);
    for (const [how, hide] of Object.entries(HIDDEN)) {
      await widget.element.evaluate(hide as (element: HTMLElement, isHidden: boolean) => void, true);
      expect(await widget.element.boundingBox(), how).toBeNull();
      await expect(widget.title).toBeHidden();
      await widget.element.evaluate(hide as (element: HTMLElement, isHidden: boolean) => void, false);
      await expect(widget.title).toBeVisible();
    }
  });

  test('<balcao-checkout> while it is open is not left with a page that nobody can touch', async () => {
    const payment = await create(fixture.app, webframe());
    const body = `<balcao-checkout class="d-none" token="${payment.clientToken}"><b>Comprar</b></balcao-checkout>`;
    const { page, shop, open } = await openShop({ body, css });
    await open();
    await shop.open();
    await shop.expectInside(FORM);
    await shop.closeButton.click();
    await expect(page.locator('b')).toBeHidden();
  });
});

describe('the page behind a dialog', () => {
  const readOverflow = (shop: DialogPage) =>
    shop.page.locator('html').evaluate((html) => getComputedStyle(html).overflowY);

  test('does not scroll, and does again when the last of them is closed', async () => {
    const body = (await Promise.all([1, 2].map(() => create(fixture.app, webframe()))))
      .map(({ clientToken }) => `<balcao-checkout token="${clientToken}"></balcao-checkout>`)
      .join('');
    const { page, open } = await openShop({ body, css: 'main { height: 5000px }' });
    await open();
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

  test('scrolls again even if the page puts back the sheets that it found while the dialog was open', async () => {
    const { clientToken } = await create(fixture.app, webframe());
    const { page, shop, open } = await openShop({ body: `<balcao-checkout token="${clientToken}"></balcao-checkout>` });
    await open();
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

  test('stays where it was scrolled to as the focus goes back to a button out of sight', async () => {
    const { clientToken } = await create(fixture.app, webframe());
    const body = `<button id="pay">Pagar</button><balcao-checkout token="${clientToken}"></balcao-checkout>`;
    const { page, shop, open } = await openShop({ body, css: 'main { height: 5000px }' }, /ERR_ABORTED/);
    await open();
    await page.locator('#pay').focus();
    await page.evaluate(() => scrollTo(0, 2_000));
    await shop.open();
    await shop.expectInside(FORM);
    await shop.element.evaluate((element) => element.remove());
    await expect(page.locator('#pay')).toBeFocused();
    expect(await page.evaluate(() => scrollY)).toBe(2_000);
  });
});

test('words of a newer page that an older element does not know pass it by', async () => {
  const payment = await create(fixture.app, webframe());
  const { shop, open } = await openShop({ body: `<balcao-checkout token="${payment.clientToken}"></balcao-checkout>` });
  await open();
  await shop.open();
  await shop.expectInside(FORM);
  // What its window hears wrongly would be told as an error, which fails the test.
  await shop.inside.locator('html').evaluate(() => {
    const [balcao] = window.name.split('@');
    for (const type of ['theme', 'constructor', 'toString', 'close']) parent.postMessage({ type, balcao }, '*');
  });
  await expect(shop.dialog).toHaveCount(0);
});

describe('what is to be kept', () => {
  test('a receipt leads to the page that prints and saves it, and says what was bought', async () => {
    const payment = await create(fixture.app, webframe({ description: 'Café da Gabela' }));
    const { widget, open } = await openShop({
      body: `<balcao-payment token="${payment.clientToken}"></balcao-payment>`,
    });
    await open();
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

  test('so does a reference that is to be paid at a machine', async () => {
    const made = await makeReference(fixture.app);
    const { widget, open } = await openShop({ body: `<balcao-payment token="${made.clientToken}"></balcao-payment>` });
    await open();
    const link = widget.element.getByRole('link', { name: 'Imprimir ou guardar' });
    await expect(link).toHaveAttribute(
      'href',
      `${fixture.app.node.core.publicUrl}/checkout/${made.clientToken}?lang=pt`,
    );
  });
});
