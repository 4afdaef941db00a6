// Other people's pages around the checkout: who may show it in a frame, and what an address says of where somebody came from.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const seen: IncomingMessage[] = [];
let framed = '';
const server = createServer((req, res) => {
  seen.push(req);
  res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Referrer-Policy': 'unsafe-url' });
  res.end(`<!doctype html><title>Loja</title>${framed && `<iframe src="${framed}"></iframe>`}`);
});
let shop = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await fixture.app.sql('update merchants set return_origins = return_origins || $1::text', [shop]);
});
afterAll(() => void server.close());

const allowFrames = async (origin: string | null) => {
  await fixture.app.sql('update merchants set allowed_origins = $1', [origin ? [origin] : []]);
  // The merchant's settings may be some seconds old.
  await fixture.app.clock.advance(5_000);
};

async function openFramed(origin: string | null) {
  await allowFrames(origin);
  const { checkoutUrl } = await create(fixture.app, webframe());
  framed = checkoutUrl;
  const page = await fixture.visit({ origins: [shop], expected: /frame-ancestors|ERR_BLOCKED|chrome-error/ });
  const answered = page.waitForResponse(checkoutUrl);
  await page.goto(shop);
  expect((await answered).status()).toBe(200);
  framed = '';
  return page.frameLocator('iframe').getByRole('textbox');
}

test.each([
  ['a page of nobody', () => null],
  ['the page of another origin', () => 'https://loja.example'],
  ['the same host at another port', () => 'http://127.0.0.1:9'],
])('%s shows no checkout in a frame', async (_who, origin) => {
  const field = await openFramed(origin());
  // The browser shows its own notice instead; there is nothing to be clicked through to.
  await expect.poll(() => field.page().frames()[1]?.url()).toMatch(/^chrome-error:/);
  expect(await field.count()).toBe(0);
});

test('the merchant’s own page does', async () => {
  const field = await openFramed(shop);
  await field.waitFor();
  expect(await field.isEnabled()).toBe(true);
});

test('who leaves for the shop tells it neither the token nor that they came from a checkout', async () => {
  const metadata = { cancelUrl: `${shop}/carrinho`, returnUrl: `${shop}/obrigado` };
  const payment = await create(fixture.app, webframe({ metadata }));
  const page = await fixture.visit({ origins: [shop] });
  await new CheckoutPage(page).open(payment);
  seen.length = 0;
  await page.locator(`a[href="${shop}/carrinho"]`).click();
  await page.waitForURL(`${shop}/carrinho`);
  const left = seen.find(({ url }) => url === '/carrinho')!;
  expect(left.headers['referer']).toBeUndefined();
  expect(JSON.stringify(left.rawHeaders)).not.toContain(payment.clientToken);
  expect(await page.evaluate(() => [document.referrer, window.opener])).toEqual(['', null]);
});
