// The inbox of the sandbox: mails, newest first, and their links.
import type { Locator, Page } from 'playwright';
import type { TestApp } from '../../support/app.ts';
import { receiveMail } from '../../support/mail.ts';
import { BasePage } from './base.ts';

export class InboxPage extends BasePage {
  readonly letters: Locator;
  readonly address: Locator;

  constructor(page: Page) {
    super(page);
    this.letters = page.getByRole('article');
    this.address = page.getByRole('textbox', { name: 'Só as mensagens para' });
  }

  async open(app: TestApp) {
    await this.page.goto(`${app.node.core.publicUrl}/sandbox/inbox`);
  }

  async search(to: string) {
    await this.address.fill(to);
    await this.page.getByRole('button', { name: 'Procurar' }).click();
  }

  /** Replies to the open SMS of this phone. */
  async reply(phone: string, text: string) {
    const form = this.page.getByRole('textbox', { name: `Responder como ${phone}` });
    await form.fill(text);
    await form.press('Enter');
  }

  /** Waits for the next mail to an address, and follows its link. */
  async followLink(app: TestApp, to: string, count = 1) {
    await receiveMail(app, to, count);
    await this.open(app);
    await this.search(to);
    await this.letters.first().getByRole('link').click();
  }
}
