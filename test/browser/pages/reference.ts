// A payment by reference as its payer holds it, on the hosted page or in the widget: the digits, and taking them along.
import type { Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import { creepUntil } from '../../support/payments.ts';
import { byReference, digits, pay, readReference, untilRegistered } from '../../support/ppr.ts';

/** What stands within: the page's `main`, or the widget's element. */
export class ReferencePart {
  readonly root: Locator;
  readonly copyButtons: Locator;
  /** The line that tells a screen reader what a button did, and each new screen. */
  readonly news: Locator;

  constructor(root: Locator, news: Locator) {
    this.root = root;
    this.copyButtons = root.getByRole('button', { name: /^Copiad?[ro]/ });
    this.news = news;
  }

  /** What stands beside a label. */
  valueOf(label: string): Locator {
    return this.root
      .locator('div:has(> dt)', { has: this.root.page().getByText(label, { exact: true }) })
      .locator('dd')
      .first();
  }

  copyButton(label: string): Locator {
    return this.root.getByRole('button', { name: `Copiar ${label}` });
  }

  async expectDigits({ entity, reference }: { entity: string; reference: string }) {
    await expect(this.valueOf('Entidade')).toHaveText(entity);
    // Parted by room: neither what is selected nor what is read holds a space.
    await expect(this.valueOf('Referência')).toHaveText(reference);
    await expect(this.valueOf('Referência').locator('span')).toHaveText(reference.match(/\d{1,3}/g) ?? []);
  }
}

export type MadeReference = { reference: string; entity: string; checkoutUrl: string; clientToken: string };

/** A reference of 1500 Kz unless changed; its rail has heard of it, unless told not to wait for that. */
export async function makeReference(
  app: TestApp,
  metadata: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
  isPayable = true,
): Promise<MadeReference> {
  const body = byReference(metadata, { reference: digits(), ...changes });
  const { status, text, json } = await app.call('/api/payments', { body });
  if (status !== 201) throw new Error(`not created: ${status} ${text}`);
  if (isPayable) await untilRegistered(app, json.reference);
  const { entity } = await readReference(app, json.reference);
  return { ...json, entity };
}

/** Somebody pays at a cash machine; the rail may have to say it twice before we have heard it. */
export async function payAtMachine(app: TestApp, made: MadeReference, amount: string | null = null) {
  const received = async () => (await readReference(app, made.reference)).amountPaid as number;
  const before = await received();
  await pay(app, made, { amount, channel: 'ATM' });
  await creepUntil(app, async () => (await received()) > before, 'the money being known');
}

export function readClipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}
