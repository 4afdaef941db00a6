// The checkout of an authorization and of its capture.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { create, travelToStatus, webframe } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const HOLD_MS = 7 * 86_400_000;
const readSession = async ({ clientToken }: any) =>
  (await app.call(`/checkout/${clientToken}/session`, { token: null })).json;
/** The page without its script, which contains the texts of all states. */
const readPage = async ({ clientToken }: any) =>
  (await app.call(`/checkout/${clientToken}`, { token: null })).text.replace(/<script\b.*?<\/script>/gs, '');

const ask = (phoneNumber: string): Promise<any> =>
  create(app, webframe({ metadata: { paymentMethod: 'authorization', phoneNumber } }));

async function reserve(): Promise<any> {
  const payment = await ask('900000000');
  await travelToStatus(app, payment.internalId, 'Authorized');
  return payment;
}

const capture = (authorization: any, amount: number): Promise<any> =>
  create(app, webframe({ amount, metadata: { paymentMethod: 'capture', authorizationId: authorization.internalId } }));

test('the page of an authorization says during the push that the money will be reserved', async () => {
  const payment = await ask('923456789');
  expect(await readSession(payment)).toMatchObject({ method: 'authorization', status: 'Processing', attemptsLeft: 0 });
  const html = await readPage(payment);
  expect(html).toContain('O montante fica reservado');
  expect(html).toContain('role="timer"');
});

test('the session of an authorized payment is not final, and ends after seven days', async () => {
  const payment = await reserve();
  const session = await readSession(payment);
  expect(session).toMatchObject({ status: 'Authorized', isFinal: false, paidAt: null, pushSentAt: null });
  const heldMs = Date.parse(session.expiresAt) - app.clock.now().getTime();
  expect(heldMs).toBeGreaterThan(HOLD_MS - 3_600_000);
  expect(heldMs).toBeLessThanOrEqual(HOLD_MS);
  const html = await readPage(payment);
  expect(html).toContain('Montante reservado');
  expect(html).toMatch(/Se não for cobrado até \d+ de [A-Z][a-zç]+ de \d{4} às \d\d:\d\d, volta/);
  expect(html).not.toContain('name="phoneNumber"');
});

test('the receipt of an authorization shows the amount and the time of its capture', async () => {
  const payment = await reserve();
  const taking = await capture(payment, 600.5);
  await travelToStatus(app, taking.internalId, 'Paid');
  await travelToStatus(app, payment.internalId, 'Captured');
  const session = await readSession(payment);
  expect(session).toMatchObject({ status: 'Captured', isFinal: true, amount: '600.50', amountText: '600,50\u00a0Kz' });
  expect(session.paidAtText).not.toBeNull();
  // Both receipts show the rail's number of the captured transaction.
  const [money] = (await app.call(`/api/payments/${taking.internalId}`)).json.transactions;
  expect(session).toMatchObject({ transaction: money.transactionNumber, paidAt: money.occurredAt, late: false });
  expect(await readPage(payment)).toContain('Pago');
  const { transaction } = session;
  expect(await readSession(taking)).toMatchObject({ method: 'capture', status: 'Paid', amount: '600.50', transaction });
});

test('the page of a capture in progress has no countdown', async () => {
  const payment = await reserve();
  const taking = await capture(payment, 100);
  await app.sql(`update payments set status = 'Processing' where id = $1`, [taking.internalId]);
  expect(await readSession(taking)).toMatchObject({ status: 'Processing', pushSentAt: null, pushExpiresAt: null });
  const html = await readPage(taking);
  expect(html).toContain('A concluir o pagamento');
  expect(html).not.toMatch(/role="timer"|Confirme o pagamento/);
});

test('the page of a canceled authorization says that the payer was not charged', async () => {
  const payment = await reserve();
  expect((await app.call(`/api/payments/${payment.internalId}/cancel`, { method: 'POST' })).status).toBe(200);
  await travelToStatus(app, payment.internalId, 'Canceled');
  const html = await readPage(payment);
  expect(html).toContain('Nada foi cobrado');
  expect(html).not.toContain('Já não pode ser pago');
});
