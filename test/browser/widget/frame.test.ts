// Messages between the hosted page in a frame and its parent page.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { DialogPage } from '../pages/dialog.ts';
import { checkoutElement, openMerchant } from '../pages/merchant.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);
const other = openMerchant(fixture);

type Heard = { origin: string; type: string; balcao: string };

/** A page of the merchant that records its messages. */
function visitListener(body = '', options = {}): Promise<Page> {
  const prepare = (page: Page) =>
    page.addInitScript(() => {
      const heard: unknown[] = [];
      Object.assign(window, { heard });
      addEventListener('message', ({ origin, data }) => heard.push({ origin, ...data }));
    });
  return merchant.open({ body }, { prepare, origins: [merchant.url, other.url], ...options });
}

const readHeard = (page: Page) => page.evaluate(() => (window as unknown as { heard: Heard[] }).heard);

const NONCE = '12345678901234567890123';

/** Puts the payment's page into a frame without the widget, and waits until the script of the page runs. */
async function frameByHand(page: Page, { checkoutUrl }: { checkoutUrl: string }, query: string, name: string) {
  // The script opens the stream. A form that is sent before loads a second page, which greets again.
  const stream = page.waitForResponse('**/events?*');
  await page.evaluate((frame) => void document.body.append(Object.assign(document.createElement('iframe'), frame)), {
    name,
    src: `${checkoutUrl}?lang=pt${query}`,
  });
  await stream;
  const inside = page.frameLocator('iframe');
  await inside.getByRole('textbox').fill('12');
  await inside.locator('form').getByRole('button').click();
  await expect(inside.getByRole('textbox')).toHaveAttribute('aria-invalid', 'true');
}

const answerFrame = (page: Page, word: object) =>
  page.evaluate((data) => document.querySelector('iframe')!.contentWindow!.postMessage(data, '*'), word);

describe('the hosted page', () => {
  test.each([
    ['has no name', () => '', '&embed=1'],
    ['has a nonce without an origin', () => NONCE, '&embed=1'],
    ['names an origin that the merchant does not allow', () => `${NONCE}@https://elsewhere.example`, '&embed=1'],
    ['is not embedded', () => `${NONCE}@${merchant.url}`, ''],
  ])('sends no message if it %s', async (_why, name, query) => {
    const page = await visitListener();
    await frameByHand(page, await create(fixture.app, webframe()), query, name());
    await answerFrame(page, { type: 'welcome', balcao: NONCE });
    expect(await readHeard(page)).toEqual([]);
  });

  test('sends no message to an allowed origin that differs from the origin in the frame’s name', async () => {
    const page = await visitListener('', { expected: /does not match the recipient window/ });
    await frameByHand(page, await create(fixture.app, webframe()), '&embed=1', `${NONCE}@${other.url}`);
    await answerFrame(page, { type: 'welcome', balcao: NONCE });
    expect(await readHeard(page)).toEqual([]);
  });

  test('sends only its greeting until the parent replies with the nonce', async () => {
    const page = await visitListener();
    await frameByHand(page, await create(fixture.app, webframe()), '&embed=1', `${NONCE}@${merchant.url}`);
    const hello = { origin: fixture.app.node.core.publicUrl, type: 'hello', balcao: NONCE };
    expect(await readHeard(page)).toEqual([hello]);
    await answerFrame(page, { type: 'welcome', balcao: '99999999999999999999999' });
    await answerFrame(page, { type: 'welcome' });
    // Messages arrive in order, so a wrong reply would have had its effect before the third.
    await answerFrame(page, { type: 'welcome', balcao: NONCE });
    await expect.poll(async () => (await readHeard(page)).map(({ type }) => type)).toContain('height');
    expect((await readHeard(page)).map(({ type }) => type)).toEqual(['hello', 'status', 'height']);
  });

  test('works outside of a frame, although its window has the name and URL of a frame', async () => {
    const payment = await create(fixture.app, webframe());
    const page = await fixture.visit();
    await page.addInitScript((name) => Object.assign(window, { name }), `${NONCE}@${merchant.url}`);
    await page.goto(`${payment.checkoutUrl}?lang=pt&embed=1`);
    await page.getByRole('textbox').fill('900000000');
    await page.locator('form').getByRole('button').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirme o pagamento no seu telemóvel');
  });
});

describe('the widget element around a frame', () => {
  test('accepts messages of its frame only, with the right origin and nonce', async () => {
    const payment = await create(fixture.app, webframe());
    const page = await visitListener(checkoutElement(payment, 'open'));
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
          lie(gateway!, frame, nonce),
        ];
      },
      [origin, balcao] as const,
    );
    expect(believed).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  test('creates a new nonce for each opening', async () => {
    const payment = await create(fixture.app, webframe());
    const page = await visitListener(checkoutElement(payment, 'open'));
    const shop = new DialogPage(page);
    const readName = () => shop.frame.getAttribute('name');
    const first = await readName();
    shop.pressEscape();
    // A browser hides a dialog before it dispatches the close event.
    await expect(shop.frame).toHaveCount(0);
    await shop.open();
    const second = await readName();
    for (const name of [first, second]) expect(name).toMatch(new RegExp(`^\\d{20,40}@${merchant.url}$`));
    expect(second).not.toBe(first);
  });
});
