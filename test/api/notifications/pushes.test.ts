// What people are notified of pushes: money and holds of another amount, or later than they count, each told once.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { approved, createPushed, declined, notify, NOTIFY_ENV, SOMEBODY } from '../../support/notify.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});
beforeEach(() => app.sql('delete from notifications').then(() => {}));

const hold = { metadata: { paymentMethod: 'authorization', phoneNumber: SOMEBODY } };

async function notes(): Promise<{ tipo: string; titulo: string; mensagem: string }[]> {
  const { json } = await app.call('/v1/notificacoes');
  return json.data.map((note: any) => ({ ...note, mensagem: note.mensagem.replaceAll('\u00a0', ' ') })).toReversed();
}

test.each([
  ['less', { amount: '1000.00' }, 'payment.amount_mismatch', 'recebeu 1 000,00 Kz'],
  ['more', { amount: '1600.00' }, 'payment.overpaid', 'recebeu 1 600,00 Kz'],
  ['another currency', { currency: 'USD' }, 'payment.amount_mismatch', 'recebeu 1 500,00 USD'],
])('%s than was asked, told three times by the rail, is one notification', async (_what, changes, tipo, words) => {
  const { payment, attemptId } = await createPushed(app);
  const verdict = approved(changes);
  for (let nth = 0; nth < 3; nth++) await notify(app, attemptId, verdict);
  const told = await notes();
  expect(told).toMatchObject([{ tipo }]);
  expect(told[0]?.mensagem).toContain(`O pagamento ${payment.reference}, de 1 500,00 Kz, ${words}`);
});

test('approved as it was asked, or refused, is no news', async () => {
  const [paid, refused, held] = [await createPushed(app), await createPushed(app), await createPushed(app, hold)];
  await notify(app, paid.attemptId, approved());
  await notify(app, refused.attemptId, declined('INSUFFICIENT_FUNDS'));
  await notify(app, held.attemptId, approved(), 'authorization');
  expect(await notes()).toEqual([]);
});

test('approved after it had failed is late', async () => {
  const { payment, attemptId } = await createPushed(app);
  await notify(app, attemptId, declined('CUSTOMER_REFUSED'));
  await notify(app, attemptId, approved());
  const told = await notes();
  expect(told).toMatchObject([{ tipo: 'payment.late', titulo: 'Pagamento recebido fora de tempo' }]);
  expect(told[0]?.mensagem).toContain(`Chegaram 1 500,00 Kz para o pagamento ${payment.reference}`);
});

test('of an authorization: another amount held, or approved late', async () => {
  const other = await createPushed(app, hold);
  await notify(app, other.attemptId, approved({ amount: '1200.00' }), 'authorization');
  const late = await createPushed(app, hold);
  await notify(app, late.attemptId, declined('CUSTOMER_REFUSED'), 'authorization');
  await notify(app, late.attemptId, approved(), 'authorization');
  const told = await notes();
  expect(told).toMatchObject([
    { tipo: 'payment.amount_mismatch', titulo: 'Autorização com valor diferente' },
    { tipo: 'payment.late', titulo: 'Autorização aprovada fora de tempo' },
  ]);
  expect(told[0]?.mensagem).toContain('o banco reservou outro valor: 1 200,00 Kz');
});
