// A payment by reference on the hosted page or in the widget: its digits and copy buttons.
import type { Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import { creepUntil } from '../../support/payments.ts';
import { byReference, digits, pay, readReference, untilRegistered } from '../../support/ppr.ts';

/** The details of a reference within a root: the page's `main` or the widget's element. */
export class ReferencePart {
  readonly root: Locator;
  readonly copyButtons: Locator;
  /** The status line, which announces copies and new screens. */
  readonly news: Locator;

  constructor(root: Locator, news: Locator) {
    this.root = root;
    this.copyButtons = root.getByRole('button', { name: /^Copiad?[ro]/ });
    this.news = news;
  }

  /** The value next to a label. */
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
    // Margins separate the groups, so that the selected text has no spaces.
    await expect(this.valueOf('Referência')).toHaveText(reference);
    await expect(this.valueOf('Referência').locator('span')).toHaveText(reference.match(/\d{1,3}/g) ?? []);
  }
}

export type MadeReference = { reference: string; entity: string; checkoutUrl: string; clientToken: string };

/** Creates a reference of 1500 Kz, unless changed. Waits for its registration if it `isPayable`. */
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

/** Pays at a cash machine once it knows the reference, and waits until the node has recorded the money. */
export async function payAtMachine(app: TestApp, made: MadeReference, amount: string | null = null) {
  // The gateway registers a reference after its answer, and a machine refuses an unknown one.
  await untilRegistered(app, made.reference);
  const received = async () => (await readReference(app, made.reference)).amountPaid as number;
  const before = await received();
  await pay(app, made, { amount, channel: 'ATM' });
  await creepUntil(app, async () => (await received()) > before, 'the money being known');
}

export function readClipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}
