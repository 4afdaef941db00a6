// The payer's app in the sandbox, which scans and pays a QR code.
import type { Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import { BasePage } from './base.ts';

export class ScanPage extends BasePage {
  /** The field for the pasted content of a code. */
  readonly content: Locator;
  /** The file chooser, offered where scripts run. */
  readonly image: Locator;

  constructor(page: Page) {
    super(page);
    this.content = page.getByRole('textbox', { name: 'O que o código diz' });
    this.image = page.getByLabel('Escolher a imagem do código');
  }

  async open(app: TestApp, content?: string) {
    const query = content === undefined ? '' : `?content=${encodeURIComponent(content)}`;
    await this.page.goto(`${app.node.core.publicUrl}/sandbox/scan${query}`);
  }

  async paste(content: string) {
    await this.content.fill(content);
    await this.page.getByRole('button', { name: 'Ver o pagamento' }).click();
  }

  /** Pays the shown amount, which must be this one. */
  async pay(number: string, amount: string) {
    await this.page.getByRole('textbox', { name: 'Pagar com o número' }).fill(number);
    await this.page.getByRole('button', { name: `Pagar ${amount}` }).click();
  }

  async expectOutcome(title: string) {
    await expect(this.page.getByRole('heading', { level: 2, name: title })).toBeVisible();
  }
}
