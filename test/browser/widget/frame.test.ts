// The words between the hosted page in a frame and the page around it: who is heard, who is told, and who learns nothing.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { allowOrigin, DialogPage } from '../pages/dialog.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
let other: Merchant;
beforeAll(async () => {
  const { publicUrl } = fixture.app.node.core;
  [merchant, other] = await Promise.all([startMerchant(publicUrl), startMerchant(publicUrl)]);
  await allowOrigin(fixture.app, merchant.url);
  await allowOrigin(fixture.app, other.url);
});
afterAll(() => Promise.all([merchant.close(), other.close()]));

type Heard = { origin: string; type: string; balcao: string };

/** A page of the merchant that keeps every message it is sent. */
async function visitListener(body = '', options = {}): Promise<Page> {
  const page = await fixture.visit({ origins: [merchant.url, other.url], ...options });
  await page.addInitScript(() => {
    const heard: unknown[] = [];
    Object.assign(window, { heard });
    addEventListener('message', ({ origin, data }) => heard.push({ origin, ...data }));
  });
  await page.goto(merchant.show({ body }));
  return page;
}

const readHeard = (page: Page) => page.evaluate(() => (window as unknown as { heard: Heard[] }).heard);

const NONCE = '12345678901234567890123';

/** Frames the payment's page as no element of ours does; waits until the page's script runs. */
async function frameByHand(page: Page, { checkoutUrl }: { checkoutUrl: string }, query: string, name: string) {
  await page.evaluate((frame) => void document.body.append(Object.assign(document.createElement('iframe'), frame)), {
    name,
    src: `${checkoutUrl}?lang=pt${query}`,
  });
  const inside = page.frameLocator('iframe');
  await inside.getByRole('textbox').fill('12');
  await inside.locator('form').getByRole('button').click();
  await expect(inside.getByRole('textbox')).toHaveAttribute('aria-invalid', 'true');
}

const answerFrame = (page: Page, word: object) =>
  page.evaluate((data) => document.querySelector('iframe')!.contentWindow!.postMessage(data, '*'), word);

describe('the page in a frame', () => {
  test.each([
    ['was given no name', () => '', '&embed=1'],
    ['was given a nonce alone', () => NONCE, '&embed=1'],
    ['was given an origin that is not the merchant’s', () => `${NONCE}@https://elsewhere.example`, '&embed=1'],
    ['was not asked to speak', () => `${NONCE}@${merchant.url}`, ''],
  ])('says nothing when it %s', async (_why, name, query) => {
    const page = await visitListener();
    await frameByHand(page, await create(fixture.app, webframe()), query, name());
    await answerFrame(page, { type: 'welcome', balcao: NONCE });
    expect(await readHeard(page)).toEqual([]);
  });

  test('says nothing to a page of another origin than it was told, be it an allowed one', async () => {
    const page = await visitListener('', { expected: /does not match the recipient window/ });
    await frameByHand(page, await create(fixture.app, webframe()), '&embed=1', `${NONCE}@${other.url}`);
    await answerFrame(page, { type: 'welcome', balcao: NONCE });
    expect(await readHeard(page)).toEqual([]);
  });

  test('says that it is there, and no more before it was answered under its nonce', async () => {
    const page = await visitListener();
    await frameByHand(page, await create(fixture.app, webframe()), '&embed=1', `${NONCE}@${merchant.url}`);
    const hello = { origin: fixture.app.node.core.publicUrl, type: 'hello', balcao: NONCE };
    expect(await readHeard(page)).toEqual([hello]);
    await answerFrame(page, { type: 'welcome', balcao: '99999999999999999999999' });
    await answerFrame(page, { type: 'welcome' });
    // Messages arrive in order: had one of those been an answer, it would have told all before the third.
    await answerFrame(page, { type: 'welcome', balcao: NONCE });
    await expect.poll(async () => (await readHeard(page)).map(({ type }) => type)).toContain('height');
    expect((await readHeard(page)).map(({ type }) => type)).toEqual(['hello', 'status', 'height']);
  });

  test('opened by itself with all of it, name and address, works as ever', async () => {
    const payment = await create(fixture.app, webframe());
    const page = await fixture.visit();
    await page.addInitScript((name) => Object.assign(window, { name }), `${NONCE}@${merchant.url}`);
    await page.goto(`${payment.checkoutUrl}?lang=pt&embed=1`);
    await page.getByRole('textbox').fill('900000000');
    await page.locator('form').getByRole('button').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirme o pagamento no seu telemóvel');
  });
});

describe('the element', () => {
  test('hears its frame alone: not the page around, not another frame, not another’s words', async () => {
    const payment = await create(fixture.app, webframe());
    const page = await visitListener(`<balcao-checkout token="${payment.clientToken}" open></balcao-checkout>`);
    await expect.poll(async () => (await readHeard(page)).map(({ type }) => type)).toContain('status');
    const [{ origin, balcao } = { origin: '', balcao: '' }] = await readHeard(page);
    expect(origin).toBe(fixture.app.node.core.publicUrl);
    const believed = await page.evaluate(
      ([gateway, nonce]) => {
        let paid = 0;
        document.addEventListener('balcao:paid', () => paid++);
        const frame = document.querySelector('balcao-checkout')!.shadowRoot!.querySelector('iframe')!.contentWindow!;
        const lie = (origin: string, source: Window | null, balcao: unknown) => {
          const data = { balcao, type: 'status', status: 'Paid', revision: 99 };
          dispatchEvent(new MessageEvent('message', { origin, source, data }));
          return paid;
        };
        dispatchEvent(new MessageEvent('message', { origin: gateway!, source: frame, data: null }));
        return [
          lie(gateway!, window, nonce),
          lie(gateway!, null, nonce),
          lie(location.origin, frame, nonce),
          lie('null', frame, nonce),
          lie(gateway!, frame, '1'),
          lie(gateway!, frame, undefined),
          // What its own page would say is believed.
          lie(gateway!, frame, nonce),
        ];
      },
      [origin, balcao] as const,
    );
    expect(believed).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  test('draws a nonce of its own for each opening', async () => {
    const payment = await create(fixture.app, webframe());
    const page = await visitListener(`<balcao-checkout token="${payment.clientToken}" open></balcao-checkout>`);
    const shop = new DialogPage(page);
    const readName = () => shop.frame.getAttribute('name');
    const first = await readName();
    shop.pressEscape();
    // A browser hides a dialog first, and tells that it was closed a moment later.
    await expect(shop.frame).toHaveCount(0);
    await shop.open();
    const second = await readName();
    for (const name of [first, second]) expect(name).toMatch(new RegExp(`^\\d{20,40}@${merchant.url}$`));
    expect(second).not.toBe(first);
  });
});
