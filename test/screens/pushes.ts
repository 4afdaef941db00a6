// Screenshots of every state of a payment by push.
import { expect } from '../support/expect.ts';
import { until } from '../support/app.ts';
import { cancel } from '../support/authorizations.ts';
import { approved, createPushed, declined, notify } from '../support/notify.ts';
import { create, orderFault, purchase } from '../support/payments.ts';
import type { CheckoutPage } from '../browser/pages/checkout.ts';
import { answerPush, ownNumber } from '../browser/pages/phone.ts';
import type { BrowserFixture } from '../support/browser-fixture.ts';
import {
  DESCRIPTION,
  giveBack,
  openForm,
  openPage,
  openWaiting,
  type OpenState,
  type States,
} from './checkout-fixture.ts';

export const pushes: States = {
  form: async (fixture) => (await openForm(fixture)).checkout,
  async 'wrong number'(fixture) {
    const { checkout } = await openForm(fixture);
    await checkout.pay('812 345');
    await expect(checkout.phone).toHaveAttribute('aria-invalid', 'true');
    return checkout;
  },
  async sending(fixture) {
    const { checkout } = await openForm(fixture);
    await checkout.page.route(/\/pay\?/, () => {});
    await checkout.pay('923 456 789');
    await expect(checkout.payButton).toHaveText('A enviar o pedido…');
    return checkout;
  },
  async 'finding out'(fixture) {
    const { checkout } = await openForm(fixture);
    await checkout.page.route(/\/(session|events|pay)\?/, (route) => route.abort());
    await checkout.pay(ownNumber());
    await checkout.expectTitle('A verificar o seu pedido');
    return checkout;
  },
  async waiting(fixture) {
    const { checkout, payment } = await openWaiting(fixture);
    await fixture.app.clock.pass(31_000);
    await checkout.open(payment);
    await expect(checkout.page.getByRole('timer')).toHaveText(/^0:[0-5]\d$/);
    return checkout;
  },
  async offline(fixture) {
    const { checkout } = await openWaiting(fixture);
    await checkout.page.route(/\/(session|events)\?/, (route) => route.abort());
    await checkout.page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(checkout.offlineNote).toBeVisible();
    return checkout;
  },
  async 'bank confirming'(fixture) {
    const { checkout, payment, number } = await openWaiting(fixture);
    await orderFault(fixture.app, { on: 'notification', kind: 'drop', phone: number });
    await orderFault(fixture.app, { on: 'query', kind: 'unavailable', phone: number, times: 100 });
    await fixture.app.clock.pass(95_000);
    await checkout.open(payment);
    await checkout.expectTitle('A confirmar com o seu banco');
    return checkout;
  },
  paid: async (fixture) => (await openPaid(fixture)).checkout,
  async 'paid late'(fixture) {
    const { payment, attemptId } = await createPushed(fixture.app, { description: DESCRIPTION });
    await notify(fixture.app, attemptId, declined('TIMED_OUT'));
    await notify(fixture.app, attemptId, approved());
    const checkout = await openPage(fixture, payment);
    await checkout.expectTitle('Pago');
    await checkout.main.getByText('O dinheiro chegou fora do prazo').waitFor();
    return checkout;
  },
  async 'paid, given back'(fixture) {
    const checkout = await giveBack(fixture, await openPaid(fixture));
    await checkout.main.getByText('Devolvido', { exact: true }).first().waitFor();
    return checkout;
  },
  async 'paid, given back in part'(fixture) {
    const checkout = await giveBack(fixture, await openPaid(fixture), 2_500);
    await checkout.main.getByText('Devolvido em parte: 2 500,00 Kz de 12 500,00 Kz').waitFor();
    return checkout;
  },
  'refused by the payer': refusedFor('CUSTOMER_REFUSED', 'Pagamento recusado no telemóvel'),
  'no funds': refusedFor('INSUFFICIENT_FUNDS', 'Saldo insuficiente'),
  'over the limit': refusedFor('LIMIT_EXCEEDED', 'Limite da conta ultrapassado'),
  'number not active': refusedFor('NUMBER_NOT_ACTIVE', 'Número sem Multicaixa Express activo'),
  'timed out': refusedFor('TIMED_OUT', 'Tempo esgotado'),
  'terminal closed': refusedFor('TERMINAL_CLOSED', 'A loja não está a receber pagamentos agora'),
  'refused by the bank': refusedFor('ISSUER_REFUSED', 'O seu banco recusou o pagamento'),
  async 'rail away'(fixture) {
    const { checkout } = await openForm(fixture);
    await checkout.pay('900000004');
    await checkout.travelToTitle(fixture.app, 'O Multicaixa Express não está a responder');
    return checkout;
  },
  async 'no tries left'(fixture) {
    const { checkout, payment } = await openForm(fixture);
    return exhaust(fixture, checkout, payment);
  },
  async 'refused, or by reference'(fixture) {
    const { checkout, number } = await openWaiting(fixture, { allowReferenceFallback: true });
    await decline(fixture, number, 'INSUFFICIENT_FUNDS');
    await checkout.main.getByRole('button', { name: 'Pagar por referência' }).waitFor();
    return checkout;
  },
  async 'no tries left, or by reference'(fixture) {
    const { checkout, payment } = await openForm(fixture, { allowReferenceFallback: true });
    return exhaust(fixture, checkout, payment);
  },
  async 'refused for good'(fixture) {
    const payment = await create(fixture.app, purchase('900000002', { amount: 12_500, description: DESCRIPTION }));
    const checkout = await openPage(fixture, payment);
    await checkout.travelToTitle(fixture.app, 'Saldo insuficiente');
    return checkout;
  },
  async canceled(fixture) {
    const { checkout, payment } = await openForm(fixture);
    await cancel(fixture.app, payment.id);
    await checkout.expectTitle('Pagamento cancelado');
    return checkout;
  },
  async expired(fixture) {
    const { checkout } = await openForm(fixture);
    await fixture.app.clock.pass(30 * 60_000);
    await checkout.travelToTitle(fixture.app, 'O prazo para pagar terminou');
    return checkout;
  },
};

function refusedFor(reason: string, title: string): OpenState {
  return async (fixture) => {
    const { checkout, number } = await openWaiting(fixture);
    await decline(fixture, number, reason);
    await checkout.expectTitle(title);
    return checkout;
  };
}

async function openPaid(fixture: BrowserFixture) {
  const opened = await openWaiting(fixture);
  await answerPush(fixture.app, opened.number, 'approve');
  await opened.checkout.expectTitle('Pago');
  return opened;
}

/** Uses up the attempts of a payment: sets four used attempts, and lets the payer refuse the fifth and last push. */
async function exhaust({ app }: BrowserFixture, checkout: CheckoutPage, { id }: { id: string }): Promise<CheckoutPage> {
  const number = ownNumber();
  await app.sql('update payments set attempts_made = 4 where id = $1', [id]);
  await checkout.pay(number);
  await answerPush(app, number, 'decline');
  await checkout.expectTitle('Não há mais tentativas');
  return checkout;
}

/** The payer or the bank declines the push for a reason of docs/rail.md. */
async function decline({ app }: BrowserFixture, number: string, reason: string) {
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
