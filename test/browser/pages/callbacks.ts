// The demo shop's server in the sandbox: its response mode and its received callbacks.
import type { Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { until, type TestApp } from '../../support/app.ts';
import { BasePage } from './base.ts';

export class CallbacksPage extends BasePage {
  /** The current response mode and its meaning. */
  readonly conduct: Locator;
  readonly seconds: Locator;
  /** Newest first. */
  readonly arrivals: Locator;
  /** The count of arrivals and sales. */
  readonly count: Locator;
  readonly offlineNote: Locator;

  constructor(page: Page) {
    super(page);
    this.conduct = page.getByRole('region', { name: 'Como a loja responde' }).getByRole('status');
    this.seconds = page.getByRole('spinbutton', { name: 'segundos' });
    this.arrivals = page.getByRole('article');
    this.count = page.getByRole('region', { name: 'O que chegou' }).getByRole('status');
    this.offlineNote = page.getByText('Sem ligação ao ambiente de testes');
  }

  /** Runs the installed clock for a second, after which the page polls. */
  async look() {
    await this.page.clock.runFor(1_000);
  }

  /** Polls until this number of callbacks has arrived. */
  async lookFor(count: number) {
    await until(async () => (await this.look(), (await this.arrivals.count()) === count), `${count} arrivals`);
  }

  async open(app: TestApp) {
    await this.page.goto(`${app.node.core.publicUrl}/sandbox/callbacks`);
  }

  way(name: string) {
    return this.page.getByRole('button', { name, exact: true });
  }

  async choose(name: string) {
    await this.way(name).click();
    await expect(this.way(name)).toHaveAttribute('aria-pressed', 'true');
  }

  async refresh() {
    await this.page.getByRole('link', { name: 'Actualizar' }).click();
  }

  async openExchange(arrival: Locator) {
    await arrival.getByText('Pedido e resposta').click();
  }
}
