// The script hydrates the page that the server rendered, without moving elements or losing typed text.
import type { Page, Route } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, travelToStatus, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

/** Opens a URL, and blocks the script of the page until the test calls the returned function. */
async function openBeforeScript(address: string) {
  const page = await fixture.visit();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/*.js', (route: Route) => released.then(() => route.continue()));
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction(() => document.readyState === 'interactive');
  return { page, release };
}

/** Records all changes of the document. */
async function rememberChanges(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const changes: string[] = [];
    const nameOf = (node: Node) => (node instanceof Element ? node.outerHTML : node.textContent) ?? '';
    new MutationObserver((records) => {
      for (const { type, target, addedNodes, removedNodes, attributeName } of records) {
        if (type !== 'childList') changes.push(`${type} ${attributeName ?? ''} of ${nameOf(target)}`);
        for (const node of addedNodes) changes.push(`added ${nameOf(node)}`);
        for (const node of removedNodes) changes.push(`removed ${nameOf(node)}`);
      }
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    Object.assign(window, { changes });
  });
  return () => page.evaluate(() => (window as unknown as { changes: string[] }).changes);
}

/** Waits two frames, after which the effects of a render have run. */
const settle = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

describe('the script of the page', () => {
  test.each([
    ['the form', async () => create(fixture.app, webframe({ description: 'Café & <b>bolo</b>' }))],
    ['the form after a refusal', createRefused],
  ])('changes nothing on %s', async (_screen, make) => {
    const { page, release } = await openBeforeScript((await make()).checkoutUrl);
    const readChanges = await rememberChanges(page);
    const stream = page.waitForResponse('**/events?*');
    release();
    await stream;
    await settle(page);
    expect(await readChanges()).toEqual([]);
  });

  test('changes nothing on the sandbox phone page, also while the page polls', async () => {
    const { page, release } = await openBeforeScript(`${fixture.app.node.core.publicUrl}/sandbox/phone/${ownNumber()}`);
    const readChanges = await rememberChanges(page);
    const news = page.waitForResponse('**/pushes');
    release();
    await news;
    await settle(page);
    expect(await readChanges()).toEqual([]);
  });

  test('adds only the print button to a receipt', async () => {
    const payment = await create(fixture.app, webframe());
    await fixture.app.call(`/checkout/${payment.clientToken}/pay`, { token: null, body: { phoneNumber: '900000000' } });
    await travelToStatus(fixture.app, payment.id, 'Paid');
    const { page, release } = await openBeforeScript(payment.checkoutUrl);
    const readChanges = await rememberChanges(page);
    release();
    await expect(page.getByRole('button')).toBeVisible();
    await settle(page);
    expect(await readChanges()).toEqual([
      expect.stringMatching(/^added <button[^>]*><span>Imprimir ou guardar<\/span><\/button>$/),
    ]);
  });

  async function createRefused() {
    const number = ownNumber();
    const payment = await create(fixture.app, webframe());
    await fixture.app.call(`/checkout/${payment.clientToken}/pay`, { token: null, body: { phoneNumber: number } });
    await answerPush(fixture.app, number, 'decline');
    await travelToStatus(fixture.app, payment.id, 'Pending');
    return payment;
  }
});

test('a phone number that was typed before the script arrived stays and can be submitted', async () => {
  const number = ownNumber();
  const { page, release } = await openBeforeScript((await create(fixture.app, webframe())).checkoutUrl);
  const checkout = new CheckoutPage(page);
  await checkout.phone.fill(number);
  const stream = page.waitForResponse('**/events?*');
  release();
  await stream;
  await expect(checkout.phone).toHaveValue(number);
  await expect(checkout.phone).toBeFocused();
  await checkout.payButton.click();
  await checkout.expectWaiting();
});

test.each(['?lang=pt', '?lang=fr&embed=1&theme=dark'])(
  'a wrong number sent before the script arrives shows its error until a reload (%s)',
  async (search) => {
    const { checkoutUrl } = await create(fixture.app, webframe());
    const { page, release } = await openBeforeScript(checkoutUrl + search);
    const { phone, payButton } = new CheckoutPage(page);
    await phone.fill('92 345');
    await payButton.click();
    await expect(page).toHaveURL(`${checkoutUrl}${search}&error=phone_invalid`);
    release();
    await expect(page).toHaveURL(checkoutUrl + search);
    await expect(phone).toHaveAttribute('aria-invalid', 'true');
    await page.reload();
    await expect(phone).toHaveAttribute('aria-invalid', 'false');
    await expect(page).not.toHaveTitle(/Err/);
  },
);

test('a checkout page whose script and images are missing is complete and can be paid', async () => {
  const number = ownNumber();
  const payment = await create(fixture.app, webframe());
  const page = await fixture.visit({ expected: /ERR_FAILED/ });
  await page.route('**/*', (route) => (route.request().isNavigationRequest() ? route.continue() : route.abort()));
  const checkout = new CheckoutPage(page);
  await checkout.open(payment);
  await expect(checkout.payButton).toHaveCSS('background-color', 'rgb(11, 93, 91)');
  await checkout.pay(number);
  await checkout.expectWaiting();
  await answerPush(fixture.app, number, 'approve');
  await travelToStatus(fixture.app, payment.id, 'Paid');
  await page.getByRole('link', { name: 'Actualizar' }).click();
  await checkout.expectTitle('Pago');
});
