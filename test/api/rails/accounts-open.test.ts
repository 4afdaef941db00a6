// Open work of rail accounts continues while an account drains, and delays the removal of the account.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../shared/durations.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { purchase, travelUntil } from '../../support/payments.ts';
import { PPR, reference } from '../../support/ppr.ts';
import { qrcode } from '../../support/qrcodes.ts';
import {
  addRail,
  callRails,
  changeRail,
  createPush,
  enterAppyPay,
  enterProxypay,
  idleBody,
  openMerchant,
  press,
  untilThere,
} from '../../support/rail-accounts.ts';
import { readPayment } from '../../support/notify.ts';
import { leavesNothing } from '../../support/rows.ts';
import { addUnits, minuteOf } from '../../support/sms.ts';

let app: TestApp;
let merchant: Awaited<ReturnType<typeof openMerchant>>;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  merchant = await openMerchant(app);
});

const isStatus = (id: string, status: string) => async () => (await readPayment(merchant, id)).status === status;
const readRails = (id: string) => app.sql('select distinct rail from attempts where payment_id = $1', [id]);
const remove = (id: string) => callRails(app, merchant, { id, method: 'DELETE' });
const canRemove = (id: string) => async () => (await remove(id)).status === 204;

/** Creates an AppyPay account and a push that waits for the payer's decision. */
async function pushFixture() {
  const { fake, account } = await enterAppyPay(merchant);
  fake.book.notifyUrl = null;
  const payment = await createPush(merchant);
  return { fake, account, payment, charge: await untilThere(() => fake.book.charges[0], 'the push') };
}

/** Moves the clock by a day, and requests a new token because the old one has expired. */
async function leapDay(): Promise<void> {
  app.clock.leap(DAY_MS);
  merchant.token = await app.token(merchant.clientId, merchant.secret);
}

async function expectOpen(id: string, open: number): Promise<void> {
  const { status, json } = await leavesNothing(app, () => remove(id));
  expect([status, json.code, json.open]).toEqual([409, 'rail_account_in_use', open]);
  expect((await callRails(app, merchant, { id })).status).toBe(200);
}

test('a draining rail account accepts no new work and is not replaced, and its push becomes Paid', async () => {
  const { fake, account, payment, charge } = await pushFixture();
  expect((await changeRail(merchant, account, { status: 'draining' })).json.status).toBe('draining');
  const body = purchase('923456789');
  const { status, json } = await leavesNothing(app, () => merchant.call('/api/payments', { body }));
  expect([status, json.code]).toEqual([400, 'payment_method_unavailable']);
  await press(fake, charge.id, 'approve');
  await travelUntil(app, isStatus(payment.id, 'Paid'), 'Paid');
  expect((await readPayment(merchant, payment.id)).transactions).toHaveLength(1);
  expect(await readRails(payment.id)).toEqual([{ rail: account.id }]);
});

test('the operator’s rail account replaces a disabled rail account', async () => {
  const { account } = await enterAppyPay(merchant);
  await changeRail(merchant, account, { status: 'disabled' });
  const { id } = await createPush(merchant);
  expect(await readRails(id)).toEqual([{ rail: 'gpo' }]);
  // A push that stays open would write its last event during a later test.
  await travelUntil(app, isStatus(id, 'Failed'), 'the end of the push');
});

describe('the removal of a rail account', () => {
  test('waits for the outcome of a push, and afterwards the notification URL of the account returns 404', async () => {
    const { fake, account, payment, charge } = await pushFixture();
    await expectOpen(account.id, 1);
    await press(fake, charge.id, 'refuse');
    await travelUntil(app, isStatus(payment.id, 'Failed'), 'Failed');
    expect((await remove(account.id)).status).toBe(204);
    const body = JSON.stringify({ id: charge.id, responseStatus: { code: 231 } });
    expect((await fetch(account.notificationUrl, { method: 'POST', body })).status).toBe(404);
  });

  test('waits until the last query about a QR code, a day after the code expires', async () => {
    const { account } = await enterAppyPay(merchant);
    expect((await merchant.call('/api/payments', { body: qrcode() })).status).toBe(200);
    await expectOpen(account.id, 1);
    const isOver = async () => (await merchant.call(`/api/payments?status=Expired`)).json.totalItems === 1;
    await leapDay();
    await travelUntil(app, isOver, 'the expiry of the code');
    await expectOpen(account.id, 1);
    await leapDay();
    await travelUntil(app, canRemove(account.id), 'the last query');
  });

  test('waits for the withdrawal of a reference, and late money is still recorded after the removal', async () => {
    const { fake, account } = await enterProxypay(merchant);
    const { json: made } = await merchant.call(PPR, { body: reference() });
    expect(made.entity).toBe('00777');
    const path = `${PPR}/${made.reference}`;
    await until(async () => (await merchant.call(path)).json.registeredAt, 'the registration');
    await expectOpen(account.id, 1);
    expect((await merchant.call(`${path}/cancel`, { method: 'POST' })).status).toBe(200);
    await until(() => !fake.book.references.has(made.reference), 'the withdrawal');
    // The gateway withdraws a reference twice if it was registered recently.
    await travelUntil(app, canRemove(account.id), 'the second withdrawal');
    const [{ entity }] = await app.sql('select entity from merchants where id = $1', [merchant.merchantId]);
    expect((await merchant.call(PPR, { body: reference() })).json.entity).toBe(entity);
    await fake.book.pay(made.reference, '1500.00');
    await until(async () => (await merchant.call(path)).json.amountPaid === 1500, 'the late money');
    const { json } = await merchant.call(`/api/payments/${made.reference}`);
    expect(json).toMatchObject({ status: 'Paid', late: true });
  });

  test('waits until a scheduled SMS is cancelled', async () => {
    const account = await addRail(app, merchant, idleBody());
    await addUnits(app, merchant.merchantId, 10);
    const at = minuteOf(new Date(app.clock.now().getTime() + 86_400_000));
    const body = { numerosDestino: ['923456789', '923456780'], conteudo: 'Olá', ...at };
    const { json } = await merchant.call('/api/Envio/agendarSms', { body });
    await expectOpen(account.id, 2);
    const canceled = await merchant.call(`/api/Envio/CancelarAgendamento/${json.agendamentoId}`, { method: 'DELETE' });
    expect(canceled.status).toBe(200);
    expect((await remove(account.id)).status).toBe(204);
  });
});
