// Pages that end, change or begin an element while it tells them something: nothing of what it had opened stays.
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { create, travelToStatus, webframe } from '../../support/payments.ts';
import { allowOrigin, DialogPage } from '../pages/dialog.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
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

async function visitShop(body: string, { expected, hasClock }: { expected?: RegExp; hasClock?: boolean } = {}) {
  const viewport = { width: 1280, height: 900 };
  const page = await fixture.visit({ viewport, origins: [merchant.url], ...(expected && { expected }) });
  if (hasClock) await page.clock.install();
  await page.addInitScript(countOpened);
  await page.goto(merchant.show({ body }));
  return page;
}

type Counts = { streams: number; intervals: number; requests: number };

/** In the page, first: counts what was opened and not closed again, and what was asked. */
function countOpened() {
  const streams: EventSource[] = [];
  const intervals = new Set<unknown>();
  let requests = 0;
  const { fetch, setInterval, clearInterval, EventSource } = window;
  Object.assign(window, {
    countOpen: () => ({
      streams: streams.filter(({ readyState }) => readyState !== 2).length,
      intervals: intervals.size,
      requests,
    }),
    fetch(...args: Parameters<typeof fetch>) {
      requests++;
      return fetch(...args);
    },
    setInterval(act: () => void, ms: number) {
      const id = setInterval(act, ms);
      intervals.add(id);
      return id;
    },
    clearInterval(id: number) {
      intervals.delete(id);
      clearInterval(id);
    },
    EventSource: class extends EventSource {
      constructor(url: string) {
        super(url);
        streams.push(this);
      }
    },
  });
}

const readOpen = (widget: WidgetPage): Promise<Counts> =>
  widget.page.evaluate(() => (window as unknown as { countOpen(): Counts }).countOpen());

async function createPaid() {
  const payment = await create(fixture.app, webframe());
  const body = { phoneNumber: '900000000' };
  await fixture.app.call(`/checkout/${payment.clientToken}/pay`, { body, token: null });
  await travelToStatus(fixture.app, payment.id, 'Paid');
  return payment;
}

describe('<balcao-payment>', () => {
  test.each([
    ['that waits', () => create(fixture.app, webframe()), 'Pending'],
    ['that is paid', createPaid, 'Paid'],
  ])('%s, unmounted by whoever hears of it, leaves neither stream nor timer', async (_what, make, status) => {
    const { clientToken: token } = await make();
    const widget = new WidgetPage(await visitShop('<div id="here"></div>'));
    const heard = await widget.page.evaluate(
      (options) =>
        new Promise((resolve) => {
          const { unmount } = window.Balcao!.mount('#here', {
            ...options,
            onStatus({ status: now }) {
              unmount();
              setTimeout(resolve, 0, now);
            },
          });
        }),
      { token },
    );
    expect(heard).toBe(status);
    await expect(widget.element).toHaveCount(0);
    expect(await readOpen(widget)).toMatchObject({ streams: 0, intervals: 0 });
  });

  test('that is given another token by whoever hears of it shows and follows that one alone', async () => {
    const [first, second] = [
      await create(fixture.app, webframe()),
      await create(fixture.app, webframe({ amount: 200 })),
    ];
    const widget = new WidgetPage(await visitShop(''));
    await widget.page.evaluate(
      ([from, to]) => {
        document.addEventListener('balcao:status', ({ target }) => (target as Element).setAttribute('token', to!));
        window.Balcao!.mount('main', { token: from! });
      },
      [first.clientToken, second.clientToken],
    );
    await expect(widget.element).toContainText('200,00 Kz');
    await expect.poll(() => readOpen(widget)).toMatchObject({ streams: 1, intervals: 1 });
  });

  test('that was taken away without network asks no more', async () => {
    const body = '<balcao-payment token="x"></balcao-payment>';
    const page = await visitShop('', { expected: /ERR_FAILED|Balcão/, hasClock: true });
    await page.route('**/session?*', (route) => route.abort());
    await page.locator('main').evaluate((main, html) => main.insertAdjacentHTML('beforeend', html), body);
    const widget = new WidgetPage(page);
    await expect(widget.element).toContainText('O pagamento não abriu');
    await widget.element.evaluate((element) => element.remove());
    const { requests } = await readOpen(widget);
    await page.clock.runFor(10_000);
    expect((await readOpen(widget)).requests).toBe(requests);
  });
});

describe('<balcao-checkout>', () => {
  async function openDialog() {
    const { clientToken } = await create(fixture.app, webframe());
    const page = await visitShop(`<balcao-checkout token="${clientToken}"></balcao-checkout>`, { hasClock: true });
    const shop = new DialogPage(page);
    await shop.open();
    await shop.expectInside(FORM);
    return shop;
  }

  test('closed by whoever hears of a status tells that status last, and nothing but what it promises', async () => {
    const shop = await openDialog();
    await shop.element.evaluate((element: HTMLElement & { close(): void }) => {
      const told: unknown[] = [];
      Object.assign(window, { told });
      element.addEventListener('balcao:status', ({ detail }) => detail.status === 'Processing' && element.close());
      element.addEventListener('balcao:close', ({ detail }) => void told.push(detail));
    });
    await shop.payInside('900000000');
    await expect(shop.dialog).toHaveCount(0);
    const told = await shop.page.evaluate(() => (window as unknown as { told: unknown[] }).told);
    const token = await shop.element.getAttribute('token');
    expect(told).toEqual([{ status: 'Processing', revision: expect.any(Number), token }]);
  });

  test('opened again by whoever hears that it was closed is one dialog, which stays as it is', async () => {
    const shop = await openDialog();
    await shop.element.evaluate((element: HTMLElement & { open(): void }) => {
      element.addEventListener('balcao:close', () => element.open(), { once: true });
    });
    const first = await shop.frame.getAttribute('name');
    await shop.closeButton.click();
    await shop.expectInside(FORM);
    await expect(shop.dialog).toHaveCount(1);
    const second = await shop.frame.getAttribute('name');
    expect(second).not.toBe(first);
    // Until after a dialog that was not heard would offer its page by itself.
    await shop.page.clock.runFor(10_000);
    expect(await shop.frame.getAttribute('name')).toBe(second);
    await expect(shop.elsewhere).toHaveCount(0);
    await shop.closeButton.click();
    await expect(shop.dialog).toHaveCount(0);
    await expect(shop.element).not.toHaveAttribute('open');
    await expect.poll(() => fixture.app.node.app.streams.count()).toBe(0);
  });
});
