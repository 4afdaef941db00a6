// The first step to every state of the checkout: creates a payment and opens its page.
import { readClientToken } from '../../server/payments/core/token.ts';
import { expect } from '../support/expect.ts';
import { create, webframe } from '../support/payments.ts';
import { byHand, createRefund } from '../support/refunds.ts';
import type { BasePage } from '../browser/pages/base.ts';
import { CheckoutPage } from '../browser/pages/checkout.ts';
import { ownNumber } from '../browser/pages/phone.ts';
import type { BrowserFixture } from '../support/browser-fixture.ts';

/** Brings a payment to a state by the actions of people, and returns the page that shows it. */
export type OpenState<Shown extends BasePage = CheckoutPage> = (fixture: BrowserFixture) => Promise<Shown>;

/** States by name. The name is the caption of the screenshot. */
export type States<Shown extends BasePage = CheckoutPage> = Record<string, OpenState<Shown>>;

export const DESCRIPTION = 'Pano samakaka, algodão estampado';

/** The shop's `returnUrl` (after a payment) and `cancelUrl` (without a payment). */
export function shopOf({ app }: BrowserFixture) {
  const shop = `${app.node.core.publicUrl}/demo`;
  return { returnUrl: `${shop}?paid`, cancelUrl: `${shop}?unpaid` };
}

/** Opens the page of a payment. The console may show errors that the state causes. */
export async function openPage(fixture: BrowserFixture, payment: { checkoutUrl: string }): Promise<CheckoutPage> {
  const checkout = new CheckoutPage(await fixture.visit({ expected: /ERR_|\b[45]\d\d\b/ }));
  await checkout.open(payment);
  return checkout;
}

export async function openForm(
  fixture: BrowserFixture,
  metadata: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
) {
  const bill = { amount: 12_500, description: DESCRIPTION, ...changes };
  const body = webframe({ ...bill, metadata: { ...shopOf(fixture), ...metadata } });
  const payment = await create(fixture.app, body);
  return { payment, checkout: await openPage(fixture, payment) };
}

export async function openWaiting(fixture: BrowserFixture, metadata: Record<string, unknown> = {}) {
  const number = ownNumber();
  const opened = await openForm(fixture, metadata);
  await opened.checkout.pay(number);
  await opened.checkout.expectWaiting();
  // The page shows its waiting state before the provider accepts the push. The timer appears after it has accepted.
  await expect(opened.checkout.page.getByRole('timer')).toBeVisible();
  return { ...opened, number };
}

/** Refunds the newest transaction by hand, in part or in full, and opens the payment's page again. */
export async function giveBack(
  { app }: BrowserFixture,
  { checkout, payment }: { checkout: CheckoutPage; payment: { clientToken: string; checkoutUrl: string } },
  amount?: number,
): Promise<CheckoutPage> {
  const id = readClientToken(app.node.core.keyring, payment.clientToken)!;
  const { transactions } = (await app.call(`/api/payments/${id}`)).json;
  await createRefund(app, id, byHand({ amount, transactionId: transactions.at(-1).id }));
  await checkout.open(payment);
  return checkout;
}
