// Every state of a payment by QR code.
import { cancel } from '../support/authorizations.ts';
import { creepUntil, travelToStatus } from '../support/payments.ts';
import { createCode, scanCode, type Code } from '../support/qrcodes.ts';
import type { CheckoutPage } from '../browser/pages/checkout.ts';
import type { Stage } from '../browser/pages/stage.ts';
import { DESCRIPTION, openPage, shopOf, type States } from './scene.ts';

const TITLE = 'Leia o código para pagar';
const DAY_MS = 86_400_000;

export const codes: States = {
  code: async (stage) => (await openCode(stage)).checkout,
  async 'code, some paid'(stage) {
    const { checkout, code } = await openCode(stage, { maxTransactions: 5 });
    for (let n = 1; n <= 2; n++) await pay(stage, code, n);
    await checkout.page.getByText('2 de 5 pagos').waitFor();
    return checkout;
  },
  async 'code past its end'(stage) {
    const { checkout } = await openCode(stage);
    // The page's own stopwatch: the node has not moved and has nothing to tell.
    await checkout.page.clock.install();
    await checkout.page.reload();
    await checkout.page.clock.fastForward(DAY_MS + 60_000);
    await checkout.expectTitle('A confirmar com o seu banco');
    return checkout;
  },
  async 'code paid'(stage) {
    const { checkout, code } = await openCode(stage);
    await pay(stage, code, 1);
    await checkout.expectTitle('Pago');
    return checkout;
  },
  async 'code paid by all'(stage) {
    const { checkout, code } = await openCode(stage, { maxTransactions: 2 });
    for (let n = 1; n <= 2; n++) await pay(stage, code, n);
    await checkout.expectTitle('Pago');
    return checkout;
  },
  async 'code canceled'(stage) {
    const { checkout, code } = await openCode(stage);
    await cancel(stage.app, code.id);
    await checkout.expectTitle('Pagamento cancelado');
    return checkout;
  },
  async 'code expired'(stage) {
    const { checkout, code } = await openCode(stage);
    stage.app.clock.leap(DAY_MS + 60_000);
    await travelToStatus(stage.app, code.id, 'Expired');
    await checkout.page.reload();
    await checkout.expectTitle('O prazo para pagar terminou');
    return checkout;
  },
};

async function openCode(
  stage: Stage,
  metadata: Record<string, unknown> = {},
): Promise<{ checkout: CheckoutPage; code: Code }> {
  const code = await createCode(
    stage.app,
    { ...shopOf(stage), description: DESCRIPTION, ...metadata },
    { amount: 12_500 },
  );
  const checkoutUrl = `${stage.app.node.core.publicUrl}/checkout/${code.clientToken}`;
  const checkout = await openPage(stage, { checkoutUrl });
  await checkout.expectTitle(TITLE);
  return { checkout, code };
}

async function pay({ app }: Stage, code: Code, count: number) {
  await scanCode(app, code.content);
  const isKnown = async () => (await app.call(`/api/payments/${code.id}`)).json.acceptedTransactions === count;
  await creepUntil(app, isKnown, 'the scan being known');
}
