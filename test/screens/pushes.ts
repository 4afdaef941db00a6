// Every state of a payment that is approved on the payer's phone.
import { expect } from '../support/expect.ts';
import { until } from '../support/app.ts';
import { cancel } from '../support/authorizations.ts';
import { approved, createPushed, declined, notify } from '../support/notify.ts';
import { create, orderFault, purchase } from '../support/payments.ts';
import type { CheckoutPage } from '../browser/pages/checkout.ts';
import { answerPush, ownNumber } from '../browser/pages/phone.ts';
import type { Stage } from '../browser/pages/stage.ts';
import { DESCRIPTION, giveBack, openForm, openPage, openWaiting, type OpenState, type States } from './scene.ts';

export const pushes: States = {
  form: async (stage) => (await openForm(stage)).checkout,
  async 'wrong number'(stage) {
    const { checkout } = await openForm(stage);
    await checkout.pay('812 345');
    await expect(checkout.phone).toHaveAttribute('aria-invalid', 'true');
    return checkout;
  },
  async sending(stage) {
    const { checkout } = await openForm(stage);
    await checkout.page.route(/\/pay\?/, () => {});
    await checkout.pay('923 456 789');
    await expect(checkout.payButton).toHaveText('A enviar o pedido…');
    return checkout;
  },
  async 'finding out'(stage) {
    const { checkout } = await openForm(stage);
    await checkout.page.route(/\/(session|events|pay)\?/, (route) => route.abort());
    await checkout.pay(ownNumber());
    await checkout.expectTitle('A verificar o seu pedido');
    return checkout;
  },
  async waiting(stage) {
    const { checkout, payment } = await openWaiting(stage);
    await stage.app.clock.pass(31_000);
    await checkout.open(payment);
    await expect(checkout.page.getByRole('timer')).toHaveText(/^0:[0-5]\d$/);
    return checkout;
  },
  async offline(stage) {
    const { checkout } = await openWaiting(stage);
    await checkout.page.route(/\/(session|events)\?/, (route) => route.abort());
    await checkout.page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(checkout.offlineNote).toBeVisible();
    return checkout;
  },
  async 'bank confirming'(stage) {
    const { checkout, payment, number } = await openWaiting(stage);
    await orderFault(stage.app, { on: 'notification', kind: 'drop', phone: number });
    await orderFault(stage.app, { on: 'query', kind: 'unavailable', phone: number, times: 100 });
    await stage.app.clock.pass(95_000);
    await checkout.open(payment);
    await checkout.expectTitle('A confirmar com o seu banco');
    return checkout;
  },
  paid: async (stage) => (await openPaid(stage)).checkout,
  async 'paid late'(stage) {
    const { payment, attemptId } = await createPushed(stage.app, { description: DESCRIPTION });
    await notify(stage.app, attemptId, declined('TIMED_OUT'));
    await notify(stage.app, attemptId, approved());
    const checkout = await openPage(stage, payment);
    await checkout.expectTitle('Pago');
    await checkout.main.getByText('O dinheiro chegou fora do prazo').waitFor();
    return checkout;
  },
  async 'paid, given back'(stage) {
    const checkout = await giveBack(stage, await openPaid(stage));
    await checkout.main.getByText('Devolvido', { exact: true }).first().waitFor();
    return checkout;
  },
  async 'paid, given back in part'(stage) {
    const checkout = await giveBack(stage, await openPaid(stage), 2_500);
    await checkout.main.getByText('Devolvido em parte: 2 500,00 Kz de 12 500,00 Kz').waitFor();
    return checkout;
  },
  'refused by the payer': refusedFor('CUSTOMER_REFUSED', 'Pagamento recusado no telemóvel'),
  'no funds': refusedFor('INSUFFICIENT_FUNDS', 'Saldo insuficiente'),
  'over the limit': refusedFor('LIMIT_EXCEEDED', 'Limite da conta ultrapassado'),
  'number not active': refusedFor('NUMBER_NOT_ACTIVE', 'Número sem Multicaixa Express ativo'),
  'timed out': refusedFor('TIMED_OUT', 'Tempo esgotado'),
  'terminal closed': refusedFor('TERMINAL_CLOSED', 'O comerciante não está a receber pagamentos agora'),
  'refused by the bank': refusedFor('ISSUER_REFUSED', 'O seu banco recusou o pagamento'),
  async 'rail away'(stage) {
    const { checkout } = await openForm(stage);
    await checkout.pay('900000004');
    await checkout.travelToTitle(stage.app, 'O Multicaixa Express não está a responder');
    return checkout;
  },
  async 'no tries left'(stage) {
    const { checkout, payment } = await openForm(stage);
    return exhaust(stage, checkout, payment);
  },
  async 'refused, or by reference'(stage) {
    const { checkout, number } = await openWaiting(stage, { allowReferenceFallback: true });
    await decline(stage, number, 'INSUFFICIENT_FUNDS');
    await checkout.main.getByRole('button', { name: 'Pagar por referência' }).waitFor();
    return checkout;
  },
  async 'no tries left, or by reference'(stage) {
    const { checkout, payment } = await openForm(stage, { allowReferenceFallback: true });
    return exhaust(stage, checkout, payment);
  },
  async 'refused for good'(stage) {
    const payment = await create(stage.app, purchase('900000002', { amount: 12_500, description: DESCRIPTION }));
    const checkout = await openPage(stage, payment);
    await checkout.travelToTitle(stage.app, 'Saldo insuficiente');
    return checkout;
  },
  async canceled(stage) {
    const { checkout, payment } = await openForm(stage);
    await cancel(stage.app, payment.id);
    await checkout.expectTitle('Pagamento cancelado');
    return checkout;
  },
  async expired(stage) {
    const { checkout } = await openForm(stage);
    await stage.app.clock.pass(30 * 60_000);
    await checkout.travelToTitle(stage.app, 'O prazo para pagar terminou');
    return checkout;
  },
};

function refusedFor(reason: string, title: string): OpenState {
  return async (stage) => {
    const { checkout, number } = await openWaiting(stage);
    await decline(stage, number, reason);
    await checkout.expectTitle(title);
    return checkout;
  };
}

async function openPaid(stage: Stage) {
  const opened = await openWaiting(stage);
  await answerPush(stage.app, opened.number, 'approve');
  await opened.checkout.expectTitle('Pago');
  return opened;
}

/** The fourth try was refused already; so is the fifth. */
async function exhaust({ app }: Stage, checkout: CheckoutPage, { id }: { id: string }): Promise<CheckoutPage> {
  const number = ownNumber();
  await app.sql('update payments set attempts_made = 4 where id = $1', [id]);
  await checkout.pay(number);
  await answerPush(app, number, 'decline');
  await checkout.expectTitle('Não há mais tentativas');
  return checkout;
}

/** The person with the phone, or the bank behind it, says no for a reason of docs/rail.md. */
async function decline({ app }: Stage, number: string, reason: string) {
  const rail = `${app.url}/sandbox/rail`;
  const push = await until(async () => {
    const { data } = (await (await fetch(`${rail}/phones/${number}/pushes`)).json()) as { data: { id: string }[] };
    return data[0];
  }, `a push on ${number}`);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ reason });
  const answer = await fetch(`${rail}/pushes/${push.id}/decline`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`push not declined: ${await answer.text()}`);
}
