// The hosted checkout as a payer uses it.
import type { Locator, Page } from 'playwright';
import { expect, PATIENCE_MS } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import type { BrowserFixture, VisitOptions } from '../../support/browser-fixture.ts';
import { create, travelUntil, untilStatus, webframe } from '../../support/payments.ts';
import { BasePage } from './base.ts';
import { answerPush, ownNumber } from './phone.ts';

export class CheckoutPage extends BasePage {
  readonly main: Locator;
  readonly phone: Locator;
  readonly payButton: Locator;
  readonly again: Locator;
  /** The note about a missing network. */
  readonly offlineNote: Locator;

  constructor(page: Page) {
    super(page);
    this.main = page.getByRole('main');
    this.phone = this.main.getByRole('textbox');
    this.payButton = this.main.locator('form').getByRole('button').first();
    this.again = this.main.getByRole('button', { name: 'Tentar novamente' });
    this.offlineNote = page.getByText('Sem ligação');
  }

  /** Opens the checkout of a created payment. */
  async open({ checkoutUrl }: { checkoutUrl: string }, lang?: string) {
    await this.page.goto(lang ? `${checkoutUrl}?lang=${lang}` : checkoutUrl);
  }

  async pay(number: string) {
    await this.phone.fill(number);
    await this.payButton.click();
  }

  async expectTitle(title: string, timeout = PATIENCE_MS) {
    await expect(this.heading).toHaveText(title, { timeout });
  }

  /** Advances the node's clock until the page shows the title without a reload. */
  async travelToTitle(app: TestApp, title: string) {
    const isShown = async () => (await this.heading.textContent()) === title;
    await travelUntil(app, isShown, `the page saying "${title}"`);
  }

  async expectWaiting() {
    await this.expectTitle('Confirme o pagamento no seu telemóvel');
  }

  /** Records all titles of the page. Called before the page opens. */
  async rememberTitles() {
    await this.page.addInitScript(() => {
      const titles: string[] = [];
      Object.assign(window, { titles });
      new MutationObserver(() => {
        const title = document.querySelector('h1')?.textContent;
        if (title && title !== titles.at(-1)) titles.push(title);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });
  }

  readTitles(): Promise<string[]> {
    return this.page.evaluate(() => (window as unknown as { titles: string[] }).titles);
  }
}

/** The titles of a payment that is approved at once. */
export const JOURNEY = ['Pague com Multicaixa Express', 'Confirme o pagamento no seu telemóvel', 'Pago'];

/** Stops the timers that the pages of this profile start from now on. */
export async function stopTimers(page: Page) {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

/** Console errors of a page without a network. */
export const OFFLINE = /ERR_|Failed to load resource/;

type Opening = VisitOptions & {
  lang?: string;
  /** A page that is open already. */
  page?: Page;
  /** A proxy before the node. */
  origin?: string;
  /** Runs before the page loads. */
  prepare?: (page: Page) => Promise<unknown>;
};

/** Opens a new webframe payment of 1500 Kz. `number` is a new phone, which approves or declines its push. */
export async function openCheckout(
  fixture: BrowserFixture,
  { lang, origin, prepare, page: opened, ...options }: Opening = {},
) {
  const page = opened ?? (await fixture.visit({ ...(origin && { origins: [origin], expected: OFFLINE }), ...options }));
  const [payment, number, { publicUrl }] = [await create(fixture.app, webframe()), ownNumber(), fixture.app.node.core];
  const checkout = new CheckoutPage(page);
  await checkout.rememberTitles();
  await prepare?.(page);
  await checkout.open({ checkoutUrl: payment.checkoutUrl.replace(publicUrl, origin ?? publicUrl) }, lang);
  const approve = async (app: TestApp = fixture.app) => {
    await answerPush(app, number, 'approve');
    await untilStatus(app, payment.id, 'Paid');
  };
  const decline = async () => {
    await answerPush(fixture.app, number, 'decline');
    await untilStatus(fixture.app, payment.id, 'Pending');
  };
  return { payment, page, checkout, main: checkout.main, number, approve, decline };
}

/** Opens a payment and sends its push, so that the payer waits. */
export async function openWaitingCheckout(fixture: BrowserFixture, opening: Opening = {}) {
  const opened = await openCheckout(fixture, opening);
  await opened.checkout.pay(opened.number);
  await opened.checkout.expectWaiting();
  return opened;
}
