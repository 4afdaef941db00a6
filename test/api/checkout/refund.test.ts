// Refunds on the checkout page, the receipt and the stream, in each language.
import { beforeAll, describe, expect, test } from 'vitest';
import { readClientToken } from '../../../server/payments/core/token.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { createAuthorized, capture } from '../../support/authorizations.ts';
import { approved, createPushed, notify, NOTIFY_ENV } from '../../support/notify.ts';
import { create, travelToStatus } from '../../support/payments.ts';
import { createPayable, pay } from '../../support/ppr.ts';
import { byHand, createRefund } from '../../support/refunds.ts';
import { openStream } from '../../support/stream.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

type Shown = { clientToken: string };

const ask = async ({ clientToken }: Shown, leaf = '') =>
  (await app.call(`/checkout/${clientToken}${leaf}`, { token: null })).text.replaceAll('\u00a0', ' ');
const readRefund = async (payment: Shown, lang = 'pt') =>
  JSON.parse(await ask(payment, `/session?lang=${lang}`)).refund;
const idOf = ({ clientToken }: Shown) => readClientToken(app.node.core.keyring, clientToken)!;

/** Records a manual refund of the payment's newest transaction. */
async function giveBack(payment: Shown, amount: number): Promise<void> {
  const id = idOf(payment);
  const { transactions } = (await app.call(`/api/payments/${id}`)).json;
  await createRefund(app, id, byHand({ amount, transactionId: transactions.at(-1).id }));
}

async function createPaid(): Promise<Shown> {
  const { payment, attemptId } = await createPushed(app);
  await notify(app, attemptId, approved());
  return payment;
}

describe('the page of a payment', () => {
  test('shows no refund before the first one', async () => {
    const payment = await createPaid();
    expect(await readRefund(payment)).toBe(null);
    expect(await ask(payment)).not.toContain('Devolvido');
  });

  test.each([
    ['pt', 1_500, 'Devolvido', ['Devolvido', '1 500,00 Kz']],
    ['en', 500, 'Partly refunded: 500,00 Kz of 1 500,00 Kz', ['Refunded', '500,00 Kz']],
    ['fr', 1_499.99, 'Remboursé en partie : 1 499,99 Kz sur 1 500,00 Kz', ['Remboursé', '1 499,99 Kz']],
  ])('shows in the language %s a refund of %d Kz as "%s"', async (lang, amount, text, row) => {
    const payment = await createPaid();
    await giveBack(payment, amount);
    expect(await readRefund(payment, lang)).toEqual({ text, row });
    for (const page of [await ask(payment, `?lang=${lang}`), await ask(payment, `?keep=1&lang=${lang}`)]) {
      expect(page).toContain(`<p>${text}</p>`);
      expect(page.replaceAll(/ translate="no"/gi, '')).toContain(`<dt>${row[0]}</dt><dd>${row[1]}</dd>`);
    }
  });
});

test('the session of an authorization shows the refund of its capture', async () => {
  const held = await createAuthorized(app);
  const taking: any = await create(app, capture(held.id, { amount: 900 }));
  await travelToStatus(app, held.id, 'Captured');
  await giveBack(taking, 400);
  const text = 'Devolvido em parte: 400,00 Kz de 900,00 Kz';
  for (const payment of [held, taking]) expect(await readRefund(payment as Shown)).toMatchObject({ text });
});

test('the session of a QR code for several payers shows no refund', async () => {
  const payment = await createPaid();
  await giveBack(payment, 500);
  const makeCode = (max: number) =>
    app.sql('update payments set max_transactions = $2 where id = $1', [idOf(payment), max]);
  await makeCode(1);
  expect(await readRefund(payment)).not.toBe(null);
  await makeCode(2);
  expect(await readRefund(payment)).toBe(null);
});

test('the stream of a payable reference sends a refund with the new total', async () => {
  const made: any = await createPayable(app, { referenceType: 'Charging', amount: 0 });
  const stream = await openStream(`${app.url}/checkout/${made.clientToken}/events`);
  for (const [nth, amount] of ['700.00', '800.50'].entries()) {
    await pay(app, made, { amount });
    await stream.untilEvent(({ data }) => data.ppr?.received?.count === nth + 1, `payment ${nth + 1}`);
  }
  await giveBack(made, 800.5);
  await stream.untilEvent(({ data }) => data.refund, 'what was given back');
  const refundText = stream.events.at(-1)?.data.refund.text.replaceAll('\u00a0', ' ');
  expect(refundText).toBe('Devolvido em parte: 800,50 Kz de 1 500,50 Kz');
});
