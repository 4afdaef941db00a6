// Screenshots of every state of a payment by QR code.
import { cancel } from '../support/authorizations.ts';
import { creepUntil, travelToStatus } from '../support/payments.ts';
import { createCode, scanCode, type Code } from '../support/qrcodes.ts';
import type { CheckoutPage } from '../browser/pages/checkout.ts';
import type { BrowserFixture } from '../support/browser-fixture.ts';
import { DESCRIPTION, openPage, shopOf, type States } from './checkout-fixture.ts';
import { DAY_MS } from '../../shared/durations.ts';

const TITLE = 'Leia o código para pagar';

export const codes: States = {
  code: async (fixture) => (await openCode(fixture)).checkout,
  async 'code, some paid'(fixture) {
    const { checkout, code } = await openCode(fixture, { maxTransactions: 5 });
    for (let n = 1; n <= 2; n++) await pay(fixture, code, n);
    await checkout.page.getByText('2 de 5 pagos').waitFor();
    return checkout;
  },
  async 'code past its end'(fixture) {
    const { checkout } = await openCode(fixture);
    // The test advances the clock of the page, and not the node's clock.
    await checkout.page.clock.install();
    await checkout.page.reload();
    await checkout.page.clock.fastForward(DAY_MS + 60_000);
    await checkout.expectTitle('A confirmar com o seu banco');
    return checkout;
  },
  async 'code paid'(fixture) {
    const { checkout, code } = await openCode(fixture);
    await pay(fixture, code, 1);
    await checkout.expectTitle('Pago');
    return checkout;
  },
  async 'code paid by all'(fixture) {
    const { checkout, code } = await openCode(fixture, { maxTransactions: 2 });
    for (let n = 1; n <= 2; n++) await pay(fixture, code, n);
    await checkout.expectTitle('Pago');
    return checkout;
  },
  async 'code canceled'(fixture) {
    const { checkout, code } = await openCode(fixture);
    await cancel(fixture.app, code.id);
    await checkout.expectTitle('Pagamento cancelado');
    return checkout;
  },
  async 'code expired'(fixture) {
    const { checkout, code } = await openCode(fixture);
    fixture.app.clock.leap(DAY_MS + 60_000);
    await travelToStatus(fixture.app, code.id, 'Expired');
    await checkout.page.reload();
    await checkout.expectTitle('O prazo para pagar terminou');
    return checkout;
  },
};

async function openCode(
  fixture: BrowserFixture,
  metadata: Record<string, unknown> = {},
): Promise<{ checkout: CheckoutPage; code: Code }> {
  const code = await createCode(
    fixture.app,
    { ...shopOf(fixture), description: DESCRIPTION, ...metadata },
    { amount: 12_500 },
  );
  const checkoutUrl = `${fixture.app.node.core.publicUrl}/checkout/${code.clientToken}`;
  const checkout = await openPage(fixture, { checkoutUrl });
  await checkout.expectTitle(TITLE);
  return { checkout, code };
}

async function pay({ app }: BrowserFixture, code: Code, count: number) {
  await scanCode(app, code.content);
  const isKnown = async () => (await app.call(`/api/payments/${code.id}`)).json.acceptedTransactions === count;
  await creepUntil(app, isKnown, 'the scan being known');
}
