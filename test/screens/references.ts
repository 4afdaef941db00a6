// Screenshots of every state of a payment by reference.
import { creepUntil, orderFault } from '../support/payments.ts';
import { cancel, digits, moneyFor, pay, readReference, notifyPprPayment } from '../support/ppr.ts';
import { makeReference, payAtMachine, type MadeReference } from '../browser/pages/reference.ts';
import type { BrowserFixture } from '../support/browser-fixture.ts';
import { DESCRIPTION, giveBack, openPage, shopOf, type OpenState, type States } from './checkout-fixture.ts';

const PAYABLE = 'Pague por referência';
const CHARGING = { referenceType: 'Charging' };

export const references: States = {
  async reference(fixture) {
    const checkout = await openPage(fixture, await make(fixture));
    await checkout.expectTitle(PAYABLE);
    await checkout.main.getByRole('button', { name: 'Copiar Entidade' }).waitFor();
    return checkout;
  },
  async copied(fixture) {
    const checkout = await references['reference']!(fixture);
    await checkout.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // The page shows the result for four seconds, so the wait for it begins before the click.
    await Promise.all([
      checkout.main.getByRole('button', { name: 'Copiado Referência' }).waitFor(),
      checkout.main.getByRole('button', { name: 'Copiar Referência' }).click(),
    ]);
    return checkout;
  },
  async activating(fixture) {
    const reference = digits();
    await orderFault(fixture.app, { on: 'reference_register', kind: 'unavailable', reference, times: 1 });
    const checkout = await openPage(fixture, await make(fixture, {}, { reference }, false));
    await checkout.expectTitle('A referência está a ser activada');
    return checkout;
  },
  async 'any amount'(fixture) {
    const checkout = await openPage(fixture, await make(fixture, CHARGING, { amount: 0 }));
    await checkout.expectTitle(PAYABLE);
    return checkout;
  },
  received: async (fixture) => (await openReceived(fixture)).checkout,
  async 'received, given back in part'(fixture) {
    const checkout = await giveBack(fixture, await openReceived(fixture), 300);
    await checkout.main.getByText('Devolvido em parte: 300,00 Kz de 1 500,50 Kz').waitFor();
    return checkout;
  },
  'reference paid': async (fixture) => (await openPaid(fixture)).checkout,
  async 'reference given back'(fixture) {
    const checkout = await giveBack(fixture, await openPaid(fixture));
    await checkout.main.getByText('Devolvido', { exact: true }).first().waitFor();
    return checkout;
  },
  async 'closed after payments'(fixture) {
    const { payment, checkout } = await openReceived(fixture);
    await cancel(fixture.app, payment.reference);
    await checkout.expectTitle('Pago');
    return checkout;
  },
  'paid late': closed('late', 'Pago'),
  async 'another amount came'(fixture) {
    const made = await make(fixture);
    const checkout = await openPage(fixture, made);
    await notifyPprPayment(fixture.app, moneyFor(fixture.app, made, { amount: '5000.00' }));
    await checkout.expectTitle('Chegou um montante diferente');
    return checkout;
  },
  'reference canceled': closed(null, 'Pagamento cancelado'),
  async 'reference expired'(fixture) {
    const made = await make(fixture, {}, {});
    const [{ expiresAt }] = await fixture.app.sql(
      `select expires_at as "expiresAt" from payments where reference = $1 order by created_at desc limit 1`,
      [made.reference],
    );
    const checkout = await openPage(fixture, made);
    fixture.app.clock.leap(new Date(expiresAt).getTime() - fixture.app.clock.now().getTime() + 1_000);
    const isOver = async () => (await readReference(fixture.app, made.reference)).status === 'Expired';
    await creepUntil(fixture.app, isOver, 'the reference being over');
    await checkout.page.reload();
    await checkout.expectTitle('O prazo para pagar terminou');
    return checkout;
  },
};

function make(
  fixture: BrowserFixture,
  metadata: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
  isPayable = true,
): Promise<MadeReference> {
  const all = { ...shopOf(fixture), ...metadata };
  return makeReference(fixture.app, all, { amount: 12_500, description: DESCRIPTION, ...changes }, isPayable);
}

/** A reference of the type Charging, which accepts many payments: two payments arrived, and it is still payable. */
async function openReceived(fixture: BrowserFixture) {
  const payment = await make(fixture, CHARGING, { amount: 0 });
  const checkout = await openPage(fixture, payment);
  for (const amount of ['700.00', '800.50']) await payAtMachine(fixture.app, payment, amount);
  await checkout.main.getByText('Recebemos 2 pagamentos').waitFor();
  return { payment, checkout };
}

async function openPaid(fixture: BrowserFixture) {
  const payment = await make(fixture);
  const checkout = await openPage(fixture, payment);
  await payAtMachine(fixture.app, payment);
  await checkout.expectTitle('Pago');
  return { payment, checkout };
}

async function payWith({ app }: BrowserFixture, made: MadeReference, fault: string) {
  await pay(app, made, { channel: 'ATM', fault });
  await creepUntil(app, async () => (await readReference(app, made.reference)).amountPaid > 0, 'the money being known');
}

/** A reference that its merchant canceled. With a fault of the cash machine, money arrives afterwards. */
function closed(fault: string | null, title: string): OpenState {
  return async (fixture) => {
    const made = await make(fixture);
    await cancel(fixture.app, made.reference);
    if (fault) await payWith(fixture, made, fault);
    const checkout = await openPage(fixture, made);
    await checkout.expectTitle(title);
    return checkout;
  };
}
