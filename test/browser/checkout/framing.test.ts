// Allowed origins can frame the checkout. A link to the shop sends neither the client token nor a referrer.
import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { listen } from '../../support/listen.ts';

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
  shop = await listen(server);
  await fixture.app.sql('update merchants set return_origins = return_origins || $1::text', [shop]);
});
afterAll(() => void server.close());

const allowFrames = async (origin: string) => {
  await fixture.app.sql('update merchants set allowed_origins = $1', [[origin]]);
  // A node caches the settings of a merchant for some seconds.
  await fixture.app.clock.advance(5_000);
};

async function openFramed(origin: string) {
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

describe('a frame of the checkout', () => {
  test('stays empty on a foreign origin, and shows the checkout on an allowed origin', async () => {
    // A sandbox shows its checkout on each loopback origin.
    const setSandbox = (isSandbox: boolean) => Object.assign(fixture.app.node.core.config, { isSandbox });
    setSandbox(false);
    const blocked = await openFramed('https://loja.example').finally(() => setSandbox(true));
    // On a foreign origin the browser shows its own error page in the frame.
    await expect.poll(() => blocked.page().frames()[1]?.url()).toMatch(/^chrome-error:/);
    expect(await blocked.count()).toBe(0);
    const allowed = await openFramed(shop);
    await allowed.waitFor();
    expect(await allowed.isEnabled()).toBe(true);
  });
});

describe('a link from the checkout to the shop', () => {
  test('sends neither the client token nor a referrer', async () => {
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
});
