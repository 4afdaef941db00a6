// Another origin serves the widget's script. The widget finds its gateway, or the browser console explains the fix.
import { createServer, type Server } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { create, webframe } from '../../support/payments.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const read = (name: string) => readFileSync(new URL(`../../../dist/widget/${name}`, import.meta.url), 'utf8');
const FILES: Record<string, string> = {
  '/cache/bundle.js': `window.before = 1;\n${read('widget.js')}\n;window.after = 1;`,
  '/cache/loader-bundle.js': `window.before = 1;\n${read('widget/loader.js')}\n;window.after = 1;`,
  '/vendor/widget.js': read('widget.js'),
};

/** A merchant whose optimizer serves scripts from the merchant's origin. */
let shop: Server;
let shopUrl = '';
let html = '';
let policy = '';
beforeAll(async () => {
  shop = createServer((req, res) => {
    const file = FILES[req.url ?? ''];
    if (file) return void res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(file);
    if (req.url !== '/') return void res.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>404</h1>');
    res.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      ...(policy && { 'Content-Security-Policy': policy }),
    });
    res.end(
      `<!doctype html><html lang="pt"><meta charset="utf-8"><title>Loja</title><link rel="icon" href="data:,">${html}`,
    );
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
});
afterAll(() => {
  shop.close();
  shop.closeAllConnections();
});

/** The same server under another origin, which forbids cross-origin reads. */
const elsewhere = () => shopUrl.replace('127.0.0.1', 'localhost');

async function openMerchantPage(body: (gateway: string, token: string) => string, csp = '') {
  const { clientToken } = await create(fixture.app, webframe());
  const gateway = fixture.app.node.core.publicUrl;
  const page = await fixture.visit({
    origins: [shopUrl, elsewhere()],
    expected: /404|Balcão|Content Security|CORS|ERR_/,
  });
  const said: string[] = [];
  page.on('console', (message) => message.text().startsWith('Balcão') && said.push(message.text()));
  [html, policy] = [body(gateway, clientToken), csp];
  await page.goto(shopUrl);
  return { widget: new WidgetPage(page), said };
}

const BUNDLE = '<script src="/cache/bundle.js" defer></script>';
const elementOf = (token: string, more = '') => `<balcao-payment token="${token}" ${more}></balcao-payment>`;

describe('the widget opens if the gateway is named', () => {
  test.each<[string, (gateway: string, token: string) => string]>([
    ['by the element, with a slash and spaces', (url, token) => BUNDLE + elementOf(token, `gateway="\n ${url}/ "`)],
    [
      'by `data-balcao` of any script',
      (url, token) => `<script data-balcao="${url}"></script>${BUNDLE}${elementOf(token)}`,
    ],
    [
      'by `Balcao.gateway` before the script',
      (url, token) => `<script>window.Balcao = { gateway: '${url}' }</script>${BUNDLE}${elementOf(token)}`,
    ],
    [
      'by `Balcao.gateway` after the script',
      (url, token) =>
        `${elementOf(token)}<script src="/cache/bundle.js"></script><script>Balcao.gateway = '${url}'</script>`,
    ],
    [
      'by the element of an inlined script',
      (url, token) => `<script>${read('widget.js')}</script>${elementOf(token, `gateway="${url}"`)}`,
    ],
    [
      'by the element of a bundled loader',
      (url, token) => `<script src="/cache/loader-bundle.js"></script>${elementOf(token, `gateway="${url}"`)}`,
    ],
    [
      'by the script of an element whose attributes have spaces',
      (url, token) => `<script src="${url}/widget.js" defer></script>${elementOf(`\n ${token} `, 'lang=" pt "')}`,
    ],
  ])('%s', async (_name, body) => {
    const { widget } = await openMerchantPage(body);
    await widget.expectTitle('Pague com Multicaixa Express');
  });
});

describe('the browser console explains how to fix', () => {
  test.each<[string, (gateway: string, token: string) => string, string, RegExp]>([
    ['a bundled script', (_, token) => BUNDLE + elementOf(token), '', /no gateway.*gateway="https/],
    [
      'a bundled loader',
      (_, token) => `<script src="/cache/loader-bundle.js"></script>${elementOf(token)}`,
      '',
      /no gateway/,
    ],
    [
      'a copied script',
      (_, token) => `<script src="/vendor/widget.js"></script>${elementOf(token)}`,
      '',
      /127.0.0.1.*gateway="/,
    ],
    [
      'a policy that does not name the gateway',
      (url, token) => `<script src="${url}/widget.js"></script>${elementOf(token)}`,
      "connect-src 'none'",
      /connect-src/,
    ],
    [
      'an origin that refuses cross-origin reads',
      (url, token) => `<script src="${url}/widget.js"></script>${elementOf(token, `gateway="${elsewhere()}"`)}`,
      '',
      /localhost.*does not answer/,
    ],
  ])('%s', async (_name, body, csp, message) => {
    const { widget, said } = await openMerchantPage(body, csp);
    await expect.poll(() => said.length).toBe(1);
    expect(said[0]).toMatch(message);
    await expect(widget.element).not.toContainText('Sem ligação');
  });
});

test('a widget whose request a browser extension blocks does not show a missing network', async () => {
  const { clientToken } = await create(fixture.app, webframe());
  const page = await fixture.visit({ origins: [shopUrl], expected: /Balcão|BLOCKED/ });
  await page.route('**/session?*', (route) => route.abort('blockedbyclient'));
  html = `<script src="${fixture.app.node.core.publicUrl}/widget.js"></script>${elementOf(clientToken)}`;
  policy = '';
  await page.goto(shopUrl);
  await expect(page.locator('balcao-payment')).toHaveText('O pagamento não abriu: voltamos a tentar.');
});

test('a widget without a network shows that, and opens when the network returns', async () => {
  const { clientToken } = await create(fixture.app, webframe());
  const page = await fixture.visit({ origins: [shopUrl], expected: /ERR_INTERNET_DISCONNECTED/ });
  html = `<script src="${fixture.app.node.core.publicUrl}/widget.js"></script>${elementOf('')}`;
  policy = '';
  await page.goto(shopUrl);
  await page.context().setOffline(true);
  // Playwright returns before the network process is offline.
  await page.waitForFunction(() =>
    fetch('/').then(
      () => false,
      () => true,
    ),
  );
  await page.locator('balcao-payment').evaluate((element, token) => element.setAttribute('token', token), clientToken);
  await expect(page.locator('balcao-payment')).toHaveText('Sem ligação: abre assim que houver rede.');
  await page.context().setOffline(false);
  await new WidgetPage(page).expectTitle('Pague com Multicaixa Express');
});
