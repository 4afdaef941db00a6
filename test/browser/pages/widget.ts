// The widget on any page: what stands in its shadow root.
import type { Locator, Page } from 'playwright';
import { expect, PATIENCE_MS } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import { travelUntil } from '../../support/payments.ts';
import { BasePage } from './base.ts';

export class WidgetPage extends BasePage {
  readonly element: Locator;
  readonly title: Locator;
  readonly phone: Locator;
  readonly payButton: Locator;

  constructor(page: Page, element = page.locator('balcao-payment')) {
    super(page);
    this.element = element;
    this.title = this.element.getByRole('heading', { level: 2 });
    this.phone = this.element.getByRole('textbox');
    this.payButton = this.element.getByRole('button').first();
  }

  async pay(number: string) {
    await this.phone.fill(number);
    await this.payButton.click();
  }

  /** From now on, and before the page is opened, keeps the widget's events as the merchant's page hears them. */
  async rememberEvents() {
    await this.page.addInitScript(() => {
      const events: string[] = [];
      Object.assign(window, { events });
      for (const name of ['status', 'paid', 'failed', 'expired', 'blocked', 'close'].map((end) => `balcao:${end}`)) {
        document.addEventListener(name, (event) => {
          const { detail } = event as CustomEvent<{ status: string } | null>;
          events.push(`${name} ${detail?.status}`);
        });
      }
    });
  }

  readEvents(): Promise<string[]> {
    return this.page.evaluate(() => (window as unknown as { events: string[] }).events);
  }

  async expectTitle(title: string, timeout = PATIENCE_MS) {
    await expect(this.title).toHaveText(title, { timeout });
  }

  /**
   * Lets the node's clock run until the widget, without being touched, shows the title.
   * @param pass lets the page's own time run on too
   */
  async travelToTitle(app: TestApp, title: string, pass = async () => {}) {
    const isShown = async () => (await pass(), (await this.title.textContent()) === title);
    await travelUntil(app, isShown, `the widget saying "${title}"`);
  }
}
