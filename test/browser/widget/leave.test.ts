// Elements that a page removes or changes in an event handler: they leave no stream, timer or frame.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, travelToStatus, webframe } from '../../support/payments.ts';
import { DialogPage } from '../pages/dialog.ts';
import { checkoutElement, openMerchant } from '../pages/merchant.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

const FORM = 'Pague com Multicaixa Express';

function openMerchantPage(body: string, { hasClock = false, ...options }: VisitOptions & { hasClock?: boolean } = {}) {
  const prepare = async (page: Page) => {
    if (hasClock) await page.clock.install();
    await page.addInitScript(countOpened);
  };
  return merchant.open({ body }, { prepare, viewport: { width: 1280, height: 900 }, ...options });
}

type Counts = { streams: number; intervals: number; requests: number };

/** Runs in the page before other scripts. Counts open streams and timers, and all requests. */
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

describe('the element <balcao-payment>', () => {
  test.each([
    ['unpaid', () => create(fixture.app, webframe()), 'Pending'],
    ['paid', createPaid, 'Paid'],
  ])('leaves neither an open stream nor a timer if an event handler unmounts it (%s)', async (_what, make, status) => {
    const { clientToken: token } = await make();
    const widget = new WidgetPage(await openMerchantPage('<div id="here"></div>'));
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

  test('shows only the new payment if an event handler changes its token', async () => {
    const [first, second] = [
      await create(fixture.app, webframe()),
      await create(fixture.app, webframe({ amount: 200 })),
    ];
    const widget = new WidgetPage(await openMerchantPage(''));
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

  test('sends no request after it was removed while the network was missing', async () => {
    const body = '<balcao-payment token="x"></balcao-payment>';
    const page = await openMerchantPage('', { expected: /ERR_FAILED|Balcão/, hasClock: true });
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

describe('the element <balcao-checkout>', () => {
  async function openDialog() {
    const { clientToken } = await create(fixture.app, webframe());
    const page = await openMerchantPage(checkoutElement({ clientToken }), {
      hasClock: true,
    });
    const shop = new DialogPage(page);
    await shop.open();
    await shop.expectInside(FORM);
    return shop;
  }

  test('has reported the last status if an event handler closes it', async () => {
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

  test('has one dialog if the close handler opens it again', async () => {
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
    // A dialog without a greeting of its page would show its link by now.
    await shop.page.clock.runFor(10_000);
    expect(await shop.frame.getAttribute('name')).toBe(second);
    await expect(shop.elsewhere).toHaveCount(0);
    await shop.closeButton.click();
    await expect(shop.dialog).toHaveCount(0);
    await expect(shop.element).not.toHaveAttribute('open');
    await expect.poll(() => fixture.app.node.app.streams.count()).toBe(0);
  });
});
