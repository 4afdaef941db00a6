// `@balcao/react` in a shop of another origin, in React's strict mode: drawn in the browser, and by a server that React then takes over.
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect as expectValue, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { create, webframe } from '../../support/payments.ts';
import { ROOT } from '../../support/source.ts';
import { allowOrigin, DialogPage } from '../pages/dialog.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { Shop } from '../pages/react-shop.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
let script: string;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
  await allowOrigin(fixture.app, merchant.url);
  script = await bundle();
});
afterAll(() => merchant.close());

/** The shop as a merchant's tools make it, with what React says of mistakes. */
async function bundle(): Promise<string> {
  const made = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'silent',
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { write: false, rolldownOptions: { input: `${ROOT}/test/browser/pages/react-shop.ts` } },
  });
  const [{ output }] = [made].flat() as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  return output[0].code;
}

async function openShop(how: 'browser' | 'server', { url, show } = merchant) {
  const [payment, other] = [
    await create(fixture.app, webframe()),
    await create(fixture.app, webframe({ amount: 200 })),
  ];
  const gateway = fixture.app.node.core.publicUrl;
  const props = { gateway, token: payment.clientToken, other: other.clientToken };
  const drawn = how === 'server' ? renderToString(createElement(Shop, props)) : '';
  const data = Object.entries(props).map(([name, value]) => `data-${name}="${value}"`);
  const body = `<div id="root" ${data.join(' ')}>${drawn}</div><script type="module" src="/shop.js"></script>`;
  const page = await fixture.visit({
    origins: [url],
    viewport: { width: 1280, height: 900 },
    ...(url !== merchant.url && { expected: /status of 403|allowedOrigins/ }),
  });
  await page.route(`${url}/shop.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  const scriptSource = `'self' ${gateway}`;
  await page.goto(show({ body, scripts: [], scriptSource }));
  return { page, drawn, widget: new WidgetPage(page), dialog: new DialogPage(page), heard: page.locator('output') };
}

test.each(['browser', 'server'] as const)('drawn by the %s: pays in place, and tells each change once', async (how) => {
  const { page, drawn, widget, heard } = await openShop(how);
  if (how === 'server') expectValue(drawn).toContain('<a href="/pay">Pagar</a></balcao-payment>');
  await expect(widget.element).toContainText('1 500,00 Kz');
  expectValue(await page.locator('script[src$="/widget/loader.js"]').count()).toBe(1);
  await widget.pay('900000000');
  await widget.travelToTitle(fixture.app, 'Pago');
  await expect(heard).toHaveText('status Pending, status Processing, status Paid, paid Paid');
  await page.getByRole('button', { name: 'Tirar' }).click();
  await expect(widget.element).toHaveCount(0);
});

test('the dialog is opened and closed as the shop says, and tells when it was closed by its payer', async () => {
  const { page, dialog, heard } = await openShop('server');
  for (const times of [1, 2]) {
    await page.getByRole('button', { name: 'Numa janela' }).click();
    await dialog.expectInside('Pague com Multicaixa Express');
    await dialog.closeButton.click();
    await expect(dialog.dialog).toHaveCount(0);
    await expect(heard).toContainText(Array.from({ length: times }, () => 'closed Pending').join(', '));
  }
});

test('the dialog on an origin that is not the merchant’s tells so', async () => {
  const stranger = await startMerchant(fixture.app.node.core.publicUrl);
  const { page, dialog, heard } = await openShop('browser', stranger);
  await page.getByRole('button', { name: 'Numa janela' }).click();
  await dialog.expectInside('Este site não está autorizado a mostrar este pagamento');
  await expect(heard).toContainText('blocked');
  await stranger.close();
});
