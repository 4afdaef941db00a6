import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { readPayment } from '../../../support/notify.ts';
import { travelUntil } from '../../../support/payments.ts';
import {
  cancel,
  createPayable,
  createReference,
  digits,
  moneyFor,
  pay,
  readCashbook,
  readHistory,
  readReference,
  readSteps,
  repeatPprNotification,
  notifyPprPayment,
  travelToReceived,
  untilReceived,
  untilRegistered,
} from '../../../support/ppr.ts';
import { HOUR_MS } from '../../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const open = { referenceType: 'Charging', amount: 0 };
const ahead = (ms: number) => new Date(app.clock.now().getTime() + ms).toISOString();

const untilWithdrawn = (reference: string) =>
  until(async () => (await readSteps(app, reference)).includes('reference.withdrawn'), `${reference} being withdrawn`);

const travelToEnd = (own: string) =>
  travelUntil(app, async () => (await readSteps(app, own)).includes('reference.withdrawn'), `the end of ${own}`);

async function createExpired(fields: object = {}) {
  const made = await createPayable(app, { expiryDate: ahead(5_000), ...fields });
  await travelToEnd(made.reference);
  return made;
}

async function createCanceled(fields: object = {}) {
  const made = await createPayable(app, { ...fields });
  await cancel(app, made.reference);
  await untilWithdrawn(made.reference);
  return made;
}

describe('money that arrives late', () => {
  test.each([
    ['canceled', () => createCanceled()],
    ['expired', () => createExpired()],
  ])('makes a %s Dynamic reference Paid and late, with all details of the transaction', async (end, make) => {
    const made = await make();
    await pay(app, made, { fault: 'late' });
    const shown = await untilReceived(app, made.reference, 1500);
    expect(shown).toMatchObject({ status: 'Paid', referenceStatus: 'Paid' });
    const payment = await readPayment(app, made.reference);
    expect(payment).toMatchObject({ status: 'Paid', late: true, amountPaid: 1500 });
    expect(payment.transactions).toMatchObject([{ late: true, amount: 1500, terminalType: 'ATM' }]);
    const steps = await readHistory(app, made.reference);
    expect(steps.map(({ type }) => type)).toEqual(
      expect.arrayContaining([`reference.${end}`, 'payment.paid', 'reference.paid']),
    );
    expect(steps.find(({ type }) => type === 'payment.paid')?.details).toMatchObject({ late: true });
  });

  test('in another amount leaves a canceled Dynamic reference Canceled and flags it', async () => {
    const made = await createCanceled();
    await notifyPprPayment(app, moneyFor(app, made, { amount: '1.00' }));
    const payment = await readPayment(app, made.reference);
    expect(payment).toMatchObject({ status: 'Canceled', amountPaid: 1, flags: ['amount_mismatch'], late: true });
  });

  test('makes an expired reference Paid if it completes an earlier part of the amount', async () => {
    const made = await createPayable(app, { expiryDate: ahead(5_000) });
    await pay(app, made, { amount: '1000.00', fault: 'wrong_amount' });
    await untilReceived(app, made.reference, 1000);
    await travelToEnd(made.reference);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Expired', amountPaid: 1000 });
    await notifyPprPayment(app, moneyFor(app, made, { amount: '500.00' }));
    const payment = await readPayment(app, made.reference);
    expect(payment).toMatchObject({ status: 'Paid', referenceStatus: 'Paid', amountPaid: 1500, late: true });
    expect(payment.transactions.map(({ late }: any) => late)).toEqual([false, true]);
  });

  test('for a paid Dynamic reference flags the payment as overpaid', async () => {
    const made = await createPayable(app);
    await pay(app, made);
    await untilReceived(app, made.reference, 1500);
    await pay(app, made, { fault: 'late' });
    const shown = await untilReceived(app, made.reference, 3000);
    expect(shown).toMatchObject({ status: 'Paid', referenceStatus: 'Paid', flags: ['overpaid'] });
  });

  test.each([
    ['Canceled', () => createCanceled(open)],
    ['Expired', () => createExpired(open)],
  ])('makes the payment of a %s Charging reference Paid, and does not change the reference', async (status, make) => {
    const made = await make();
    await notifyPprPayment(app, moneyFor(app, made, { amount: '3.00' }));
    const shown = await readReference(app, made.reference);
    expect(shown).toMatchObject({ status: 'Paid', referenceStatus: status, amountPaid: 3 });
    await notifyPprPayment(app, moneyFor(app, made, { amount: '4.00' }));
    const payment = await readPayment(app, made.reference);
    expect(payment).toMatchObject({ status: 'Paid', referenceStatus: status, amountPaid: 7, late: true });
    expect(payment.transactions.map(({ late }: any) => late)).toEqual([true, true]);
  });

  test('makes an expired reference Paid although the payer paid before the expiry', async () => {
    const made = await createPayable(app, { expiryDate: ahead(5_000) });
    const paidAt = app.clock.now().toISOString();
    await travelUntil(app, async () => (await readReference(app, made.reference)).status === 'Expired', 'its end');
    await notifyPprPayment(app, moneyFor(app, made, { paidAt }));
    const payment = await readPayment(app, made.reference);
    expect(payment).toMatchObject({ status: 'Paid', amountPaid: 1500, transactions: [{ occurredAt: paidAt }] });
  });
});

describe('a rail notification about the money', () => {
  test("is replaced within one minute by the rail's list of payments if it is lost", async () => {
    const made = await createPayable(app);
    const paidAt = app.clock.now().toISOString();
    await pay(app, made, { fault: 'lost' });
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
    const shown = await travelToReceived(app, made.reference, 1500, 70_000);
    expect(shown).toMatchObject({ status: 'Paid', referenceStatus: 'Paid' });
    expect((await readPayment(app, made.reference)).transactions).toMatchObject([{ occurredAt: paidAt }]);
    const paid = (await readHistory(app, made.reference)).find(({ type }) => type === 'payment.paid');
    expect(paid.details).toMatchObject({ via: 'poll', paidAt });
    expect((await readCashbook(app, made.reference)).referencePayments).toMatchObject([{ notified: 0 }]);
  });

  test('has the time of the payment if it arrives an hour late', async () => {
    const made = await createPayable(app);
    const paidAt = app.clock.now().toISOString();
    await pay(app, made, { fault: 'notify_later' });
    await app.clock.pass(90_000);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
    app.clock.leap(HOUR_MS);
    await untilReceived(app, made.reference, 1500);
    const payment = await readPayment(app, made.reference);
    expect(payment).toMatchObject({ status: 'Paid', late: false, transactions: [{ occurredAt: paidAt, late: false }] });
    expect(payment.completedAt).not.toBe(paidAt);
  });

  test.each([
    ['the same id', false],
    ['another id', true],
  ])('that is repeated after days with %s changes nothing', async (_name, newId) => {
    const made = await createPayable(app);
    const [money] = await pay(app, made);
    await untilReceived(app, made.reference, 1500);
    await untilWithdrawn(made.reference);
    const untilNotified = (times: number) =>
      until(async () => {
        const { referencePayments } = await readCashbook(app, made.reference);
        return referencePayments[0]?.notified === times;
      }, `${times} notifications with a response`);
    // A leap would end the call of a notification that still waits for its response.
    await untilNotified(1);
    app.clock.leap(5 * 24 * HOUR_MS);
    const before = await readPayment(app, made.reference);
    const steps = await readSteps(app, made.reference);
    const id = await repeatPprNotification(app, money!, newId);
    await untilNotified(2);
    await until(async () => {
      const rows = await app.sql('select applied_at from inbox where strpos(body, $1) > 0', [id]);
      return rows.length > 0 && rows.every((row) => row.applied_at);
    }, 'its being applied');
    expect(await readPayment(app, made.reference)).toEqual(before);
    expect(await readSteps(app, made.reference)).toEqual(steps);
  });

  test('adds no payment to a Charging reference if it is repeated', async () => {
    const made = await createPayable(app, open);
    const money = moneyFor(app, made, { amount: '5.00' });
    for (let n = 0; n < 3; n++) expect(await notifyPprPayment(app, money)).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ amountPaid: 5 });
    // The rail's transaction id is a number, so a JSON number or leading zeros name the same transaction.
    await notifyPprPayment(app, { ...money, transactionId: `000${money.transactionId}` });
    await notifyPprPayment(app, { ...money, transactionId: Number(money.transactionId) });
    expect(await readReference(app, made.reference)).toMatchObject({ amountPaid: 5 });
    expect((await readPayment(app, made.reference)).transactions).toHaveLength(1);
  });
});

describe('money for digits that several references had in turn', () => {
  test('belongs to the reference that was live at the time of the payment', async () => {
    const old = await createPayable(app, { reference: digits() });
    const [money] = await pay(app, old, { fault: 'notify_later' });
    await app.clock.advance(10_000);
    expect((await cancel(app, old.reference)).status).toBe(200);
    // An advance could end the call of the withdrawal, and the rail must free the digits before they are used again.
    await untilWithdrawn(old.reference);
    await app.clock.advance(10_000);
    const next = await createReference(app, { reference: old.reference });
    await untilRegistered(app, next.reference);
    app.clock.leap(HOUR_MS);
    await until(async () => (await readPayment(app, old.internalId)).status === 'Paid', 'the old one being paid');
    const paid = await readPayment(app, old.internalId);
    expect(paid).toMatchObject({ amountPaid: 1500, transactions: [{ occurredAt: money?.paidAt }] });
    expect(await readPayment(app, next.internalId)).toMatchObject({ status: 'Pending', amountPaid: 0 });
    await pay(app, next);
    await untilReceived(app, next.reference, 1500);
    expect(await readPayment(app, old.internalId)).toMatchObject({ amountPaid: 1500, flags: [] });
  });

  test('belongs to the reference that was live then, or else to the last one before that time', async () => {
    const own = digits();
    const moments: string[] = [];
    const next = async () => {
      await app.clock.advance(10_000);
      moments.push(app.clock.now().toISOString());
      await app.clock.advance(10_000);
    };
    const made = [];
    for (const description of ['first', 'second']) {
      made.push(await createPayable(app, { reference: own, description, ...open }));
      await next();
      await cancel(app, own);
      await untilWithdrawn(own);
      await next();
    }
    made.push(await createPayable(app, { reference: own, description: 'third', ...open }));
    await next();
    /** At these five moments the digits are live, ended, live, ended and live. */
    const amounts = ['1.00', '2.00', '4.00', '8.00', '16.00'];
    for (const [nth, amount] of amounts.toReversed().entries())
      await notifyPprPayment(app, moneyFor(app, made[0], { amount, paidAt: moments[4 - nth] }));
    const received = await Promise.all(made.map(({ internalId }) => readPayment(app, internalId)));
    expect(received.map(({ amountPaid }) => amountPaid)).toEqual([1 + 2, 4 + 8, 16]);
    expect(received.map(({ transactions }) => transactions.map(({ amount }: any) => amount))).toEqual([
      [1, 2],
      [4, 8],
      [16],
    ]);
  });

  test('belongs to a reference of the entity that received the money', async () => {
    const { token } = await app.addMerchant({ entity: '00776' });
    const mine = await createPayable(app, { reference: digits() });
    const theirs = await createReference(app, { reference: mine.reference }, { token });
    await untilRegistered(app, theirs.reference, token);
    await pay(app, theirs);
    await until(async () => {
      const { json } = await app.call(`/api/payments/${theirs.internalId}`, { token });
      return json.status === 'Paid';
    }, 'theirs being paid');
    expect(await readReference(app, mine.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  });
});
