// The loader script fetches the widget when a page needs it. A page also works if the widget cannot be fetched.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { ROOT } from '../../support/source.ts';
import { DialogPage } from '../pages/dialog.ts';
import { checkoutElement, openMerchant } from '../pages/merchant.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

/** Matches the versioned URL of the widget, and not that of the loader. */
const WIDGET = /\/widget\/\d[\w.-]*-[0-9a-f]{8}\.js$/;

/** Opens a page with the loader, and counts the requests for the widget. */
async function openMerchantPage(
  body: string,
  { policy = '', ...options }: VisitOptions & { policy?: string } = {},
  prepare: (page: Page) => Promise<unknown> = async () => {},
) {
  let asked = 0;
  const page = await merchant.open(
    { body, policy, scripts: ['/widget/loader.js'] },
    {
      ...options,
      prepare: (each) => (
        each.on('request', (request) => (asked += Number(WIDGET.test(request.url())))),
        prepare(each)
      ),
    },
  );
  return { page, widget: new WidgetPage(page), shop: new DialogPage(page), countAsked: () => asked };
}

const paymentOf = ({ clientToken, checkoutUrl }: { clientToken: string; checkoutUrl: string }) =>
  `<balcao-payment token="${clientToken}"><a href="${checkoutUrl}">Pagar</a></balcao-payment>`;
describe('the loader fetches the widget', () => {
  test('when a dialog opens, and not before', async () => {
    const { page, shop, countAsked } = await openMerchantPage(checkoutElement(await create(fixture.app, webframe())));
    await page.waitForFunction(() => customElements.get('balcao-checkout') && document.readyState === 'complete');
    expect(await page.evaluate(() => [typeof window.Balcao!.mount, !!customElements.get('balcao-checkout')])).toEqual([
      'function',
      true,
    ]);
    expect(countAsked()).toBe(0);
    await shop.open();
    await shop.expectInside('Pague com Multicaixa Express');
    expect(countAsked()).toBe(1);
  });

  test('once for all elements of a page', async () => {
    const [one, two] = [await create(fixture.app, webframe()), await create(fixture.app, webframe())];
    const { widget, countAsked } = await openMerchantPage(paymentOf(one) + paymentOf(two));
    await expect(widget.title).toHaveText(Array(2).fill('Pague com Multicaixa Express'));
    expect(countAsked()).toBe(1);
  });
});

test('calls that a page makes before the widget arrives take effect when the widget arrives', async () => {
  const payments = [await create(fixture.app, webframe()), await create(fixture.app, webframe())];
  let letCome = () => {};
  const held = new Promise<void>((resolve) => (letCome = resolve));
  const { page, widget, shop } = await openMerchantPage(
    `<div id="here"></div>${payments.map((payment) => checkoutElement(payment)).join('')}`,
    {},
    (each) => each.route(WIDGET, (route) => held.then(() => route.continue())),
  );
  await page.evaluate((token) => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    window.Balcao!.mount('#here', { token, lang: 'en', onStatus: ({ status }) => void seen.push(status) });
    const [first, second] = document.querySelectorAll('balcao-checkout');
    first!.open();
    second!.open();
    second!.close();
  }, payments[0].clientToken);
  letCome();
  await widget.expectTitle('Pay with Multicaixa Express');
  await expect.poll(() => page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual(['Pending']);
  await expect(shop.dialog).toHaveCount(1);
});

describe('the loader without the widget', () => {
  test('keeps the link, retries after growing delays, and retries immediately when the network returns', async () => {
    const payment = await create(fixture.app, webframe());
    const { page, widget, countAsked } = await openMerchantPage(
      paymentOf(payment),
      { expected: /ERR_(FAILED|INTERNET_DISCONNECTED)/ },
      async (each) => {
        await each.clock.install({ time: 0 });
        await each.clock.pauseAt(1_000);
        await each.route(WIDGET, (route) => route.abort());
      },
    );
    const failed = (times: number) => async () =>
      [countAsked(), await page.locator('script[integrity]').count()].join() === `${times},0`;
    await expect.poll(failed(1)).toBe(true);
    const link = page.getByRole('link', { name: 'Pagar' });
    await expect(link).toBeVisible();
    let times = 1;
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      await page.clock.runFor(seconds * 1_000 - 1);
      expect([seconds, countAsked()]).toEqual([seconds, times]);
      await page.clock.runFor(1);
      times += 1;
      await expect.poll(failed(times)).toBe(true);
    }
    await page.context().setOffline(true);
    await page.unroute(WIDGET);
    await page.context().setOffline(false);
    await widget.expectTitle('Pague com Multicaixa Express');
    await expect(link).toBeHidden();
    expect(countAsked()).toBe(times + 1);
    await page.clock.runFor(120_000);
    expect(countAsked()).toBe(times + 1);
  });

  test('does not fetch the widget again for an element that has caused a fetch', async () => {
    const [one, two] = [await create(fixture.app, webframe()), await create(fixture.app, webframe())];
    const { page, widget, countAsked } = await openMerchantPage(
      paymentOf(one),
      { expected: /ERR_FAILED/ },
      async (each) => {
        await each.clock.install();
        await each.route(WIDGET, (route) => route.abort());
      },
    );
    await expect.poll(countAsked).toBe(1);
    await expect(page.locator('script[integrity]')).toHaveCount(0);
    await page.unroute(WIDGET);
    await page.evaluate((token) => window.Balcao!.mount('main', { token }), two.clientToken);
    await expect(widget.title).toHaveText(Array(2).fill('Pague com Multicaixa Express'));
    await page.clock.runFor(120_000);
    expect(countAsked()).toBe(2);
  });

  test.each([
    ['the network fails', '', /ERR_FAILED/],
    ['trusted types forbid it', "require-trusted-types-for 'script'; trusted-types 'none'", /Trusted/],
  ])('opens the hosted page instead of a dialog if %s', async (_why, policy, expected) => {
    const payment = await create(fixture.app, webframe());
    const { page, shop } = await openMerchantPage(checkoutElement(payment), { policy, expected }, async (each) => {
      if (!policy) await each.route(WIDGET, (route) => route.abort());
    });
    await shop.open();
    await expect(page).toHaveURL(payment.checkoutUrl);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Pague com Multicaixa Express');
  });

  test('does not run a widget file whose hash differs', async () => {
    const payment = await create(fixture.app, webframe());
    const { page, countAsked } = await openMerchantPage(paymentOf(payment), { expected: /integrity/ }, async (each) => {
      await each.route(WIDGET, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: `${await response.text()};document.title = 'mine'` });
      });
    });
    await expect.poll(countAsked).toBe(1);
    await expect(page.locator('script[integrity]')).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'Pagar' })).toBeVisible();
    expect(await page.title()).toBe('Loja');
  });
});

describe('a page with the widget', () => {
  test('can set the widget’s colours, corners, font, width and parts', async () => {
    const css = `balcao-payment, balcao-checkout {
        --balcao-brand: #7a1f5c; --balcao-on-brand: #ffe; --balcao-radius: 4px;
        --balcao-font: monospace; --balcao-width: 300px }
      balcao-payment::part(amount) { font-size: 28px } balcao-checkout::part(bar) { background: #ffe }`;
    const payment = await create(fixture.app, webframe());
    const page = await merchant.open({ body: paymentOf(payment) + checkoutElement(payment), css });
    const [widget, shop] = [new WidgetPage(page), new DialogPage(page)];
    const button = widget.element.locator('form').getByRole('button');
    await expect(button).toHaveCSS('background-color', 'rgb(122, 31, 92)');
    await expect(button).toHaveCSS('color', 'rgb(255, 255, 238)');
    await expect(button).toHaveCSS('border-radius', '4px');
    await expect(button).toHaveCSS('font-family', 'monospace');
    await expect(widget.element.locator('.card')).toHaveCSS('width', '300px');
    await expect(widget.element.locator('.amount')).toHaveCSS('font-size', '28px');
    await shop.open();
    await expect(shop.dialog.locator('.bar')).toHaveCSS('background-color', 'rgb(255, 255, 238)');
    await expect(shop.dialog).toHaveCSS('font-family', 'monospace');
  });

  test('can use exactly the attributes and members of the manifest', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../widget/custom-elements.json', import.meta.url), 'utf8'));
    const { page } = await openMerchantPage('');
    for (const { tagName, attributes, members } of manifest.modules[0].declarations.slice(0, 2)) {
      const found = await page.evaluate((tag) => {
        const element = customElements.get(tag) as CustomElementConstructor & { observedAttributes: string[] };
        const names: string[] = [];
        for (let each = element.prototype; each !== HTMLElement.prototype; each = Object.getPrototypeOf(each))
          names.push(...Object.getOwnPropertyNames(each));
        return { attributes: element.observedAttributes, names };
      }, tagName as string);
      const namesOf = (named: { name: string }[]) => named.map(({ name }) => name).toSorted();
      // Only the style sheet reads the theme attribute of a payment.
      expect([...new Set([...found.attributes, 'theme'])].toSorted()).toEqual(namesOf(attributes));
      const own = found.names.filter((name) => !/Callback$|^constructor$/.test(name));
      expect([...new Set(own)].toSorted()).toEqual(namesOf(members));
    }
  });
});

/** A shop's module that loads the widget twice by `@balcao/widget`, and writes the events of its payment. */
const SHOP = `import { listen, loadWidget } from '/package.js';
const { gateway } = document.body.querySelector('main > div').dataset;
const [one, two] = [loadWidget(gateway), loadWidget(gateway + '/')];
const received = [];
const write = () => (document.querySelector('output').textContent = received.join(', '));
const stop = listen({ status: ({ status }) => { received.push(status); write(); } })(document.querySelector('balcao-payment'));
document.querySelector('button').onclick = () => { stop(); received.push('stopped'); write(); };
received.push(await one, await two);
write();`;

test('`loadWidget` of the package adds the script once, and `listen` receives events until it is stopped', async () => {
  const payment = await create(fixture.app, webframe());
  const gateway = fixture.app.node.core.publicUrl;
  const source = stripTypeScriptTypes(readFileSync(`${ROOT}/packages/widget/src/widget.ts`, 'utf8'));
  const modules: Record<string, string> = { '/package.js': source, '/shop.js': SHOP };
  const body = `<div data-gateway="${gateway}"></div>${paymentOf(payment)}<output></output><button>Parar</button>
    <script type="module" src="/shop.js"></script>`;
  const page = await merchant.open(
    { body, scripts: [], scriptSource: `'self' ${gateway}` },
    {
      prepare: (each) =>
        each.route(/\/(package|shop)\.js$/, (route) =>
          route.fulfill({ contentType: 'text/javascript', body: modules[new URL(route.request().url()).pathname]! }),
        ),
    },
  );
  const widget = new WidgetPage(page);
  await expect(page.locator('output')).toHaveText('true, true, Pending');
  expect(await page.locator('script[src$="/widget/loader.js"]').count()).toBe(1);
  await page.locator('button', { hasText: 'Parar' }).click();
  await widget.pay('900000000');
  await widget.travelToTitle(fixture.app, 'Pago');
  await expect(page.locator('output')).toHaveText('true, true, Pending, stopped');
});
