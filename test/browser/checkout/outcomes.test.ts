// Every end of a push as the payer reads it on the hosted page: the magic numbers, a person's phone, the last try, expiry.
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { until } from '../../support/app.ts';
import { create, readBooks, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { answerPush, ownNumber, PhonePage } from '../pages/phone.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

async function openCheckout(changes: Record<string, unknown> = {}) {
  const payment = await create(fixture.app, webframe(changes));
  const checkout = new CheckoutPage(await fixture.visit());
  await checkout.open(payment);
  return { payment, checkout };
}

describe('a magic number', () => {
  test.each([
    ['900000000', 'approves after a second'],
    ['900000006', 'is announced three times and paid once'],
    ['900000007', 'is paid although its notification is lost'],
  ])('%s %s', async (number) => {
    const { payment, checkout } = await openCheckout();
    await checkout.pay(number);
    await checkout.expectWaiting();
    await checkout.travelToTitle(fixture.app, 'Pago');
    await expect(checkout.main).toContainText('1 500,00 Kz');
    await expect(checkout.main).toContainText(`Referência${payment.reference}`);
    await expect(checkout.main).toContainText(`900 ••• ${number.slice(6)}`);
    const { json } = await fixture.app.call(`/api/payments/${payment.id}`);
    expect(json).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
    expect(json.transactions).toHaveLength(1);
  });

  test('900000005 keeps the payer waiting for ten seconds, then approves', async () => {
    const { payment, checkout } = await openCheckout();
    await checkout.pay('900000005');
    await checkout.expectWaiting();
    await until(async () => (await readBooks(fixture.app, payment.reference)).length === 1, 'the push being out');
    await fixture.app.clock.advance(9_000);
    const { json } = await fixture.app.call(`/checkout/${payment.clientToken}/session`);
    expect(json.status).toBe('Processing');
    await checkout.expectWaiting();
    await checkout.travelToTitle(fixture.app, 'Pago');
  });

  test.each([
    ['900000001', 'customer_refused', 'Pagamento recusado no telemóvel', 'Se foi engano, tente novamente.'],
    ['900000002', 'insufficient_funds', 'Saldo insuficiente', 'Carregue a conta ou use outro número.'],
    ['900000003', 'timed_out', 'Tempo esgotado', 'confirme no telemóvel antes de o tempo acabar'],
    ['900000004', 'rail_unavailable', 'O Multicaixa Express não está a responder', 'daqui a pouco'],
    ['900000008', 'number_not_active', 'Número sem Multicaixa Express ativo', 'Confira o número'],
  ])('%s (%s) is refused with the reason, what to do, and another try', async (number, code, reason, advice) => {
    const { checkout } = await openCheckout();
    await checkout.pay(number);
    await checkout.travelToTitle(fixture.app, reason);
    await expect(checkout.main).toContainText(advice);
    await expect(checkout.main).toContainText('Tentativas que restam: 4.');
    await expect(checkout.main).toContainText(`Código: ${code}`);
    await expect(checkout.again).toBeVisible();
    await expect(checkout.phone).toHaveValue(number);
  });
});

describe('a person’s phone', () => {
  test('approves on its own page, and the checkout turns to paid', async () => {
    const number = ownNumber();
    const { checkout } = await openCheckout({ amount: 2750.5 });
    const phone = new PhonePage(await checkout.page.context().newPage());
    await phone.open(fixture.app, number);
    await expect(phone.page.getByText('Nenhum pedido à espera')).toBeVisible();
    await checkout.pay(number);
    await phone.approve('2 750,50 Kz');
    await expect(phone.page.getByText('Aprovado')).toBeVisible();
    await checkout.expectTitle('Pago');
  });

  test('declines, and the second try is paid', async () => {
    const number = ownNumber();
    const { payment, checkout } = await openCheckout({ amount: 800 });
    const phone = new PhonePage(await checkout.page.context().newPage());
    await checkout.pay(number);
    await checkout.expectWaiting();
    await phone.open(fixture.app, number);
    await phone.decline('800,00 Kz');
    await checkout.expectTitle('Pagamento recusado no telemóvel');
    await checkout.again.click();
    await checkout.expectWaiting();
    await phone.approve('800,00 Kz');
    await checkout.expectTitle('Pago');
    await expect(checkout.main).not.toContainText('recusado');
    const books = await readBooks(fixture.app, payment.reference);
    expect(books.map(({ status }) => status)).toEqual(['DECLINED', 'APPROVED']);
  });

  test('lists what waits on every phone', async () => {
    const number = ownNumber();
    const { checkout, payment } = await openCheckout();
    await checkout.pay(number);
    await checkout.expectWaiting();
    // The page waits from the commit on; the rail is asked after it.
    await expect.poll(() => readBooks(fixture.app, payment.reference)).toHaveLength(1);
    await checkout.page.goto(`${fixture.app.node.core.publicUrl}/sandbox/phone`);
    const spoken = number.replace(/(\d{3})(?=\d)/g, '$1 ');
    await checkout.page.getByRole('link', { name: spoken }).click();
    await new PhonePage(checkout.page).decline('1 500,00 Kz');
    await expect(checkout.page.getByText('Pagamento recusado no telemóvel')).toBeVisible();
  });
});

test('the fifth refusal is the last: the page offers the way back to the shop instead of another try', async () => {
  const number = ownNumber();
  const returnUrl = `${fixture.app.node.core.publicUrl}/demo`;
  const { checkout } = await openCheckout({ metadata: { returnUrl } });
  for (let left = 4; left > 0; left--) {
    await checkout.pay(number);
    await answerPush(fixture.app, number, 'decline');
    await expect(checkout.main).toContainText(`Tentativas que restam: ${left}.`);
  }
  await checkout.pay(number);
  await answerPush(fixture.app, number, 'decline');
  await checkout.expectTitle('Não há mais tentativas');
  await expect(checkout.main).toContainText('Pagamento recusado no telemóvel.');
  await expect(checkout.phone).toHaveCount(0);
  await expect(checkout.main.getByRole('link', { name: 'Voltar à loja' })).toHaveAttribute('href', returnUrl);
});

test('when the time on the phone is over the page asks for patience, not for another try, until the answer is known', async () => {
  const number = ownNumber();
  const payment = await create(fixture.app, webframe());
  const checkout = new CheckoutPage(await fixture.visit());
  const { page } = checkout;
  await page.clock.install();
  await checkout.open(payment);
  await checkout.pay(number);
  await checkout.expectWaiting();
  await expect(page.getByRole('timer')).toHaveText(/^1:[0-5]\d$/);
  // The page's own stopwatch: the node has not moved and has nothing to tell.
  await page.clock.runFor(91_000);
  await checkout.expectTitle('A confirmar com o seu banco');
  await expect(checkout.main).toContainText('Não pague outra vez');
  await expect(checkout.phone).toHaveCount(0);
  await answerPush(fixture.app, number, 'approve');
  await checkout.expectTitle('Pago');
});

test('a payment nobody paid expires on the open page, and stays expired when opened again', async () => {
  const { payment, checkout } = await openCheckout();
  await expect(checkout.main).toContainText('Pode pagar até às');
  await fixture.app.clock.pass(30 * 60_000);
  await checkout.travelToTitle(fixture.app, 'O prazo para pagar terminou');
  await expect(checkout.phone).toHaveCount(0);
  await checkout.open(payment);
  await checkout.expectTitle('O prazo para pagar terminou');
});

test('a link that names no payment says so, and leads nowhere else', async () => {
  const page = await fixture.visit({ expected: /404/ });
  const response = await page.goto(`${fixture.app.node.core.publicUrl}/checkout/${'x'.repeat(43)}`);
  expect(response?.status()).toBe(404);
  await new CheckoutPage(page).expectTitle('Este link de pagamento não é válido');
});
