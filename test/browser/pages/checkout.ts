// The hosted checkout as its payer uses it.
import type { Locator, Page } from 'playwright';
import { expect, PATIENCE_MS } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import { travelUntil } from '../../support/payments.ts';
import { BasePage } from './base.ts';

export class CheckoutPage extends BasePage {
  readonly main: Locator;
  readonly phone: Locator;
  readonly payButton: Locator;
  readonly again: Locator;
  /** The line that says there is no network. */
  readonly offlineNote: Locator;

  constructor(page: Page) {
    super(page);
    this.main = page.getByRole('main');
    this.phone = this.main.getByRole('textbox');
    this.payButton = this.main.locator('form').getByRole('button').first();
    this.again = this.main.getByRole('button', { name: 'Tentar novamente' });
    this.offlineNote = page.getByText('Sem ligação');
  }

  /** Opens a payment as its creation answered it. */
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

  /** Lets the node's clock run until the page, without being touched, shows the title. */
  async travelToTitle(app: TestApp, title: string) {
    const isShown = async () => (await this.heading.textContent()) === title;
    await travelUntil(app, isShown, `the page saying "${title}"`);
  }

  async expectWaiting() {
    await this.expectTitle('Confirme o pagamento no seu telemóvel');
  }

  /** From now on, and before the page is opened, keeps every title the page ever shows. */
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
