// Every state of a payment by reference.
import { creepUntil, orderFault } from '../support/payments.ts';
import { cancel, digits, moneyFor, pay, readReference, tell } from '../support/ppr.ts';
import { makeReference, payAtMachine, type MadeReference } from '../browser/pages/reference.ts';
import type { Stage } from '../browser/pages/stage.ts';
import { DESCRIPTION, giveBack, openPage, shopOf, type OpenState, type States } from './scene.ts';

const PAYABLE = 'Pague por referência';
const CHARGING = { referenceType: 'Charging' };

export const references: States = {
  async reference(stage) {
    const checkout = await openPage(stage, await make(stage));
    await checkout.expectTitle(PAYABLE);
    await checkout.main.getByRole('button', { name: 'Copiar Entidade' }).waitFor();
    return checkout;
  },
  async copied(stage) {
    const checkout = await references['reference']!(stage);
    await checkout.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await checkout.main.getByRole('button', { name: 'Copiar Referência' }).click();
    await checkout.main.getByRole('button', { name: 'Copiado Referência' }).waitFor();
    return checkout;
  },
  async activating(stage) {
    const reference = digits();
    await orderFault(stage.app, { on: 'reference_register', kind: 'unavailable', reference, times: 1 });
    const checkout = await openPage(stage, await make(stage, {}, { reference }, false));
    await checkout.expectTitle('A referência está a ser ativada');
    return checkout;
  },
  async 'any amount'(stage) {
    const checkout = await openPage(stage, await make(stage, CHARGING, { amount: 0 }));
    await checkout.expectTitle(PAYABLE);
    return checkout;
  },
  received: async (stage) => (await openReceived(stage)).checkout,
  async 'received, given back in part'(stage) {
    const checkout = await giveBack(stage, await openReceived(stage), 300);
    await checkout.main.getByText('Devolvido em parte: 300,00 Kz de 1 500,50 Kz').waitFor();
    return checkout;
  },
  'reference paid': async (stage) => (await openPaid(stage)).checkout,
  async 'reference given back'(stage) {
    const checkout = await giveBack(stage, await openPaid(stage));
    await checkout.main.getByText('Devolvido', { exact: true }).first().waitFor();
    return checkout;
  },
  async 'closed after payments'(stage) {
    const { payment, checkout } = await openReceived(stage);
    await cancel(stage.app, payment.reference);
    await checkout.expectTitle('Pago');
    return checkout;
  },
  'paid late': closed('late', 'Pago'),
  async 'another amount came'(stage) {
    const made = await make(stage);
    const checkout = await openPage(stage, made);
    await tell(stage.app, moneyFor(stage.app, made, { amount: '5000.00' }));
    await checkout.expectTitle('Chegou um montante diferente');
    return checkout;
  },
  'reference canceled': closed(null, 'Pagamento cancelado'),
  async 'reference expired'(stage) {
    const made = await make(stage, {}, {});
    const [{ expiresAt }] = await stage.app.sql(
      `select expires_at as "expiresAt" from payments where reference = $1 order by created_at desc limit 1`,
      [made.reference],
    );
    const checkout = await openPage(stage, made);
    stage.app.clock.leap(new Date(expiresAt).getTime() - stage.app.clock.now().getTime() + 1_000);
    const isOver = async () => (await readReference(stage.app, made.reference)).status === 'Expired';
    await creepUntil(stage.app, isOver, 'the reference being over');
    await checkout.page.reload();
    await checkout.expectTitle('O prazo para pagar terminou');
    return checkout;
  },
};

function make(
  stage: Stage,
  metadata: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
  isPayable = true,
): Promise<MadeReference> {
  const all = { ...shopOf(stage), ...metadata };
  return makeReference(stage.app, all, { amount: 12_500, description: DESCRIPTION, ...changes }, isPayable);
}

/** Paid twice, and payable still. */
async function openReceived(stage: Stage) {
  const payment = await make(stage, CHARGING, { amount: 0 });
  const checkout = await openPage(stage, payment);
  for (const amount of ['700.00', '800.50']) await payAtMachine(stage.app, payment, amount);
  await checkout.main.getByText('Recebemos 2 pagamentos').waitFor();
  return { payment, checkout };
}

async function openPaid(stage: Stage) {
  const payment = await make(stage);
  const checkout = await openPage(stage, payment);
  await payAtMachine(stage.app, payment);
  await checkout.expectTitle('Pago');
  return { payment, checkout };
}

async function payWith({ app }: Stage, made: MadeReference, fault: string) {
  await pay(app, made, { channel: 'ATM', fault });
  await creepUntil(app, async () => (await readReference(app, made.reference)).amountPaid > 0, 'the money being known');
}

/** Canceled by its merchant; with a fault, paid for all that. */
function closed(fault: string | null, title: string): OpenState {
  return async (stage) => {
    const made = await make(stage);
    await cancel(stage.app, made.reference);
    if (fault) await payWith(stage, made, fault);
    const checkout = await openPage(stage, made);
    await checkout.expectTitle(title);
    return checkout;
  };
}
