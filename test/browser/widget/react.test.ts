// `@balcao/react` in strict mode on another origin: rendered in the browser, and by a server that React hydrates.
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { build, type Rolldown } from 'vite';
import { beforeAll, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { create, webframe } from '../../support/payments.ts';
import { ROOT } from '../../support/source.ts';
import { DialogPage } from '../pages/dialog.ts';
import { openMerchant } from '../pages/merchant.ts';
import { Shop } from '../pages/react-shop.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);
const foreign = openMerchant(fixture, { isForeign: true });
let script: string;
beforeAll(async () => {
  script = await bundle();
});

/** Bundles the shop like a merchant's tools, with React's development warnings. */
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

async function openMerchantPage(how: 'browser' | 'server', on = merchant) {
  const [payment, other] = [
    await create(fixture.app, webframe()),
    await create(fixture.app, webframe({ amount: 200 })),
  ];
  const gateway = fixture.app.node.core.publicUrl;
  const props = { gateway, token: payment.clientToken, other: other.clientToken };
  const drawn = how === 'server' ? renderToString(createElement(Shop, props)) : '';
  const data = Object.entries(props).map(([name, value]) => `data-${name}="${value}"`);
  const body = `<div id="root" ${data.join(' ')}>${drawn}</div><script type="module" src="/shop.js"></script>`;
  const page = await on.open(
    { body, scripts: [], scriptSource: `'self' ${gateway}` },
    {
      viewport: { width: 1280, height: 900 },
      ...(on === foreign && { expected: /status of 403|allowedOrigins/ }),
      prepare: (each) =>
        each.route(`${on.url}/shop.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: script })),
    },
  );
  return { page, drawn, widget: new WidgetPage(page), dialog: new DialogPage(page), heard: page.locator('output') };
}

test.each(['browser', 'server'] as const)(
  'the React payment component rendered by the %s sends each event once',
  async (how) => {
    const { page, drawn, widget, heard } = await openMerchantPage(how);
    if (how === 'server') expect(drawn).toContain('<a href="/pay">Pagar</a></balcao-payment>');
    await expect(widget.element).toContainText('1 500,00 Kz');
    expect(await page.locator('script[src$="/widget/loader.js"]').count()).toBe(1);
    await widget.pay('900000000');
    await widget.expectTitle('Confirme o pagamento no seu telemóvel');
    await widget.travelToTitle(fixture.app, 'Pago');
    await expect(heard).toHaveText('status Pending, status Processing, status Paid, paid Paid');
    await page.getByRole('button', { name: 'Tirar' }).click();
    await expect(widget.element).toHaveCount(0);
  },
);

test('the React dialog component follows its `open` prop, and reports when the payer closes the dialog', async () => {
  const { page, dialog, heard } = await openMerchantPage('server');
  for (const times of [1, 2]) {
    await page.getByRole('button', { name: 'Numa janela' }).click();
    await dialog.expectInside('Pague com Multicaixa Express');
    await dialog.closeButton.click();
    await expect(dialog.dialog).toHaveCount(0);
    await expect(heard).toContainText(Array.from({ length: times }, () => 'closed Pending').join(', '));
  }
});

test('the React dialog component on a foreign origin sends the event "blocked"', async () => {
  const { page, dialog, heard } = await openMerchantPage('browser', foreign);
  await page.getByRole('button', { name: 'Numa janela' }).click();
  await dialog.expectInside('Este site não está autorizado a mostrar este pagamento');
  await expect(heard).toContainText('blocked');
});
