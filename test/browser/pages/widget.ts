// The widget on any page: the content of its shadow root.
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

  /** Records the widget's events that reach the page. Called before the page opens. */
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
   * Advances the node's clock until the widget shows the title.
   * @param pass advances the clock of the page too
   */
  async travelToTitle(app: TestApp, title: string, pass = async () => {}) {
    const isShown = async () => (await pass(), (await this.title.textContent()) === title);
    await travelUntil(app, isShown, `the widget saying "${title}"`);
  }
}
