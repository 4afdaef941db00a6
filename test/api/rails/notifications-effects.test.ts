// Effects of rail notifications about payment references and SMS.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { readPayment, untilApplied } from '../../support/notify.ts';
import {
  createPayable,
  moneyFor,
  pay,
  readReference,
  readSteps,
  sendPprNotification,
  notifyPprPayment,
  untilReceived,
  pprNotificationBody,
} from '../../support/ppr.ts';
import { addUnits, listSent, MERCHANT, passUntil, readBalance, sendText } from '../../support/sms.ts';
import { sendSmsNotification, notifySms, writeAnswer, writeReport } from '../../support/notify.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await addUnits(app, MERCHANT, 1_000);
});

const secondsFromNow = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1000);

describe('a rail notification of a payment by reference', () => {
  test('changes nothing if the payment is already recorded', async () => {
    const made = await createPayable(app);
    const money = moneyFor(app, made);
    expect(await notifyPprPayment(app, money)).toBe('applied');
    const before = await readPayment(app, made.reference);
    expect(await notifyPprPayment(app, money)).toBe('applied');
    // A second notification with the same transaction id and other fields changes nothing.
    expect(await notifyPprPayment(app, { ...money, amount: '9999.00', number: '8' })).toBe('applied');
    expect(await readPayment(app, made.reference)).toEqual(before);
  });

  test('changes nothing if a query recorded the payment first', async () => {
    const made = await createPayable(app);
    const [money] = await pay(app, made, { fault: 'lost' });
    await app.call(`/api/payments/${made.reference}/sync`, { method: 'POST' });
    expect(await notifyPprPayment(app, money!)).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  });

  test('stores every digit of its numbers, and may have missing or unknown fields', async () => {
    const made = await createPayable(app);
    const id = randomUUID();
    const money = moneyFor(app, made, { transactionId: '987654321000000001' });
    const changed = pprNotificationBody(money, id)
      .replace('"amount":"1500.00"', '"amount":1500')
      .replace(/"transactionId":"(\d+)"/, '"transactionId":$1')
      .replace(/"terminal":\{.*?\}/, '"terminal":null')
      .replace('{"id"', '{"version":2,"id"');
    await sendPprNotification(app, changed);
    expect(await untilApplied(app, id)).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
    const [row] = await app.sql('select provider_ref from transactions where payment_id = $1', [made.internalId]);
    expect(row.provider_ref).toBe('987654321000000001');
  });

  test('adds 0.10 to a Charging reference thirty times although each one is also repeated concurrently', async () => {
    const made = await createPayable(app, { referenceType: 'Charging', amount: 0 });
    const news = Array.from({ length: 30 }, () => moneyFor(app, made, { amount: '0.10' }));
    await Promise.all([...news, ...news].map((money) => notifyPprPayment(app, money)));
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 3, flags: [] });
    expect((await readPayment(app, made.reference)).transactions).toHaveLength(30);
  });

  test('is applied to a new reference although the rail’s clock is two seconds behind', async () => {
    const made = await createPayable(app);
    const paidAt = secondsFromNow(-2).toISOString();
    expect(await notifyPprPayment(app, moneyFor(app, made, { paidAt }))).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  });
});

describe('a rail notification of a payment to an unknown reference', () => {
  const readKept = (money: { transactionId: string }) =>
    app.sql('select * from inbox where notification_id = $1', [`unknown ${money.transactionId}`]);
  const readEvents = (merchantId: string) =>
    app.sql(`select type, details from events where merchant_id = $1 and type = 'reference.unknown_paid'`, [
      merchantId,
    ]);

  test('is stored once, and notifies once the only merchant of the entity', async () => {
    const { merchantId } = await app.addMerchant({ entity: '00555' });
    const money = moneyFor(app, { entity: '00555', reference: '555555555' });
    expect(await notifyPprPayment(app, money)).toBe('unknown_reference');
    expect(await notifyPprPayment(app, money)).toBe('unknown_reference');
    const kept = await readKept(money);
    expect(kept).toMatchObject([{ rail: 'ppr', outcome: 'unknown_reference', due_at: null }]);
    expect(kept[0].body).toContain(money.transactionId);
    const { transactionId: providerRef } = money;
    const details = { entity: '00555', reference: '555555555', providerRef, amount: '1500.00', currency: 'AOA' };
    expect(await readEvents(merchantId)).toEqual([{ type: 'reference.unknown_paid', details }]);
    expect(await app.sql('select from transactions where provider_ref = $1', [providerRef])).toEqual([]);
  });

  test.each([
    ['no merchant', '00444', []],
    ['two merchants', '00333', ['00333', '00333']],
  ])('is stored and notifies no merchant if the entity has %s', async (_name, entity, entities) => {
    const merchants = [];
    for (const own of entities) merchants.push(await app.addMerchant({ entity: own }));
    const money = moneyFor(app, { entity, reference: '444444444' });
    expect(await notifyPprPayment(app, money)).toBe('unknown_reference');
    expect(await readKept(money)).toHaveLength(1);
    for (const { merchantId } of merchants) expect(await readEvents(merchantId)).toEqual([]);
  });

  test('is not applied to a reference with the same digits that is created later', async () => {
    const money = moneyFor(app, { entity: '00999', reference: '666666666' });
    expect(await notifyPprPayment(app, money)).toBe('unknown_reference');
    await app.clock.pass(60_000);
    const made = await createPayable(app, { reference: '666666666' });
    // After the clearing, the rail repeats the notification with another id.
    expect(await notifyPprPayment(app, money)).toBe('unknown_reference');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
    const older = moneyFor(app, made, { paidAt: secondsFromNow(-3_600).toISOString() });
    expect(await notifyPprPayment(app, older)).toBe('unknown_reference');
    expect(await readSteps(app, made.reference)).toEqual(['payment.created', 'reference.registered']);
    await pay(app, made);
    expect(await untilReceived(app, made.reference, 1500)).toMatchObject({ status: 'Paid' });
  });
});

/** The simulator accepts messages to this phone number but sends no delivery report. */
const SILENT = '+244900000003';

/** Sends an SMS that is accepted without a delivery report. The test sends the report itself. */
async function sendSilent(): Promise<string> {
  const { json } = await sendText(app, [SILENT]);
  const find = async () => {
    const [message] = await listSent(app, `&batchId=${json.batchId}`);
    return message?.estado === 'Enviado' ? (message.id as string) : null;
  };
  return passUntil(app, find, 'the message being sent');
}

const findSent = async (id: string) => (await listSent(app)).find((one) => one.id === id);
const readOutcomes = async (body: string) =>
  (await app.sql('select outcome from inbox where body = $1', [body])).map(({ outcome }) => outcome);

describe('a delivery report about an SMS', () => {
  test('is stored and applied once although it is repeated', async () => {
    const id = await sendSilent();
    const body = writeReport(app, id);
    expect(await notifySms(app, body)).toBe('applied');
    expect(await findSent(id)).toMatchObject({ estado: 'Entregue', entregueEm: JSON.parse(body).message.decidedAt });
    expect((await sendSmsNotification(app, body)).status).toBe(200);
    expect(await readOutcomes(body)).toEqual(['applied']);
  });

  test('about a failed SMS credits its units once', async () => {
    const id = await sendSilent();
    const before = await readBalance(app);
    const failed = { status: 'UNDELIVERED', reason: 'NUMBER_NOT_ACTIVE' };
    expect(await notifySms(app, writeReport(app, id, failed))).toBe('applied');
    expect(await notifySms(app, writeReport(app, id, failed))).toBe('applied');
    expect(await findSent(id)).toMatchObject({ estado: 'Falhado' });
    expect(await readBalance(app)).toBe(before + 1);
  });

  test('with an unknown status changes nothing', async () => {
    const id = await sendSilent();
    await notifySms(app, writeReport(app, id, { status: 'LOST' }));
    expect(await findSent(id)).toMatchObject({ estado: 'Enviado' });
  });

  test('is stored for manual review if its SMS is unknown', async () => {
    const body = writeReport(app, randomUUID());
    expect((await sendSmsNotification(app, body)).status).toBe(200);
    const outcome = await passUntil(app, async () => (await readOutcomes(body))[0], 'the last retry');
    expect(outcome).toBe('unmatched');
  });
});

test('the reply PARAR opts its phone out at the merchant of the answered or the last SMS', async () => {
  const optOuts = 'select from sms_opt_outs where merchant_id = $1 and phone = $2';
  const isOptedOut = async () => (await app.sql(optOuts, [MERCHANT, SILENT])).length > 0;
  const messageId = await sendSilent();
  const reply = (fields: object) => notifySms(app, writeAnswer(app, { from: SILENT, ...fields }));
  expect(await reply({ messageId })).toBe('applied');
  expect(await isOptedOut()).toBe(true);
  expect(await reply({ from: '900 000 003', messageId, text: 'Voltar' })).toBe('applied');
  expect(await isOptedOut()).toBe(false);
  expect(await reply({})).toBe('applied');
  expect(await isOptedOut()).toBe(true);
  await reply({ messageId, text: 'Voltar' });
});
