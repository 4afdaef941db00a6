// A page behind a link in a mail: its form and its result.
import type { Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import { BasePage } from './base.ts';

export class AccountPage extends BasePage {
  readonly password: Locator;
  readonly email: Locator;

  constructor(page: Page) {
    super(page);
    this.password = page.getByLabel('Palavra-passe');
    this.email = page.getByLabel('E-mail', { exact: true });
  }

  async open(app: TestApp, path: string) {
    await this.page.goto(app.node.core.publicUrl + path);
  }

  field(name: string) {
    return this.page.getByLabel(name);
  }

  async send(button: string) {
    await this.page.getByRole('button', { name: button, exact: true }).click();
  }

  async expectTitle(title: string) {
    await expect(this.heading).toHaveText(title);
    expect(await this.page.title()).toContain(title);
  }
}
