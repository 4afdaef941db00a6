// The demo shop as a buyer uses it: its products, and the page of an order.
import type { Locator, Page } from 'playwright';
import { expect, PATIENCE_MS } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import { BasePage } from './base.ts';

export class ShopPage extends BasePage {
  async open(app: TestApp) {
    await this.page.goto(`${app.node.core.publicUrl}/demo`);
  }

  async buy(product: string, way: 'Pagar na página' | 'Pagar aqui' | 'Numa janela' | 'Código QR' | 'Por referência') {
    await this.page.getByRole('button', { name: `${way} ${product}` }).click();
  }
}

export class OrderPage extends BasePage {
  /** The status of the payment as the shop's server read it. */
  readonly state: Locator;

  constructor(page: Page) {
    super(page);
    this.state = page.getByRole('region', { name: 'Encomenda' }).getByRole('status');
  }

  async expectState(text: string, timeout = PATIENCE_MS) {
    await expect(this.state).toContainText(text, { timeout });
  }
}
