// The cash machine, the bank's site and the app of the sandbox, where a reference is paid.
import type { Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import { BasePage } from './base.ts';

export class AtmPage extends BasePage {
  readonly entity: Locator;
  readonly reference: Locator;
  /** The amount of an open reference. */
  readonly amount: Locator;
  readonly slips: Locator;

  constructor(page: Page) {
    super(page);
    this.entity = page.getByRole('textbox', { name: 'Entidade' });
    this.reference = page.getByRole('textbox', { name: 'Referência' });
    this.amount = page.getByRole('textbox', { name: 'Quanto quer pagar' });
    this.slips = page.getByRole('article', { name: /^Talão \d+$/ });
  }

  /** @param digits opens the payment of these digits */
  async open(app: TestApp, digits?: { entity: string; reference: string }) {
    const query = digits ? `?entity=${digits.entity}&reference=${digits.reference}` : '';
    await this.page.goto(`${app.node.core.publicUrl}/sandbox/atm${query}`);
  }

  async choosePlace(name: 'Caixa' | 'Internet' | 'Aplicação') {
    await this.page.getByRole('navigation', { name: 'Onde pagar' }).getByRole('link', { name }).click();
  }

  /** Types the digits and opens their payment. */
  async find(entity: string, reference: string) {
    await this.entity.fill(entity);
    await this.reference.fill(reference);
    await this.page.getByRole('button', { name: 'Continuar' }).click();
  }

  /** Pays the shown amount, which must be this one. For an open reference, types it first. */
  async pay(amount: string) {
    // A page that is still loading may not have its amount field yet, which precedes the button.
    await this.page.getByRole('button', { name: /^Pagar( .*\d Kz)?$/ }).waitFor();
    if (await this.amount.isVisible()) await this.amount.fill(amount);
    const name = (await this.amount.isVisible()) ? 'Pagar' : `Pagar ${amount}`;
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  async expectOutcome(title: string) {
    await expect(this.page.getByRole('heading', { level: 2, name: title })).toBeVisible();
  }
}
