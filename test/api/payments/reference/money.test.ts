import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { readPayment } from '../../../support/notify.ts';
import {
  createPayable,
  moneyFor,
  pay,
  readAtMachine,
  readCashbook,
  readReference,
  readSteps,
  notifyPprPayment,
  tryToPay,
  untilReceived,
} from '../../../support/ppr.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const open = { referenceType: 'Charging', amount: 0 };
const fixed = { referenceType: 'Charging', amount: 1500 };

describe('a Dynamic reference', () => {
  test('becomes Paid by the requested amount, with every detail of the transaction', async () => {
    const made = await createPayable(app, { description: 'Café' });
    await app.clock.advance(2_000);
    const now = app.clock.now().toISOString();
    const [money] = await pay(app, made);
    const shown = await untilReceived(app, made.reference, 1500);
    expect(shown).toEqual({ ...made, status: 'Paid', standing: 'paid', referenceStatus: 'Paid', amountPaid: 1500 });
    const payment = await readPayment(app, made.reference);
    expect(payment).toMatchObject({
      status: 'Paid',
      referenceStatus: 'Paid',
      amountPaid: 1500,
      late: false,
      flags: [],
    });
    expect(payment.completedAt).toBe(now);
    expect(payment.transactions).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        amount: 1500,
        currency: 'AOA',
        status: 'Accepted',
        occurredAt: now,
        late: false,
        clearingPeriod: money?.period,
        transactionNumber: money?.number,
        terminalType: 'ATM',
        terminalId: '0000012345',
        terminalLocation: 'Luanda Ilha',
        nib: '004400006729503010102',
        bank: 'Banco da Baía',
      },
    ]);
    const [row] = await app.sql('select provider_ref, rail from transactions where payment_id = $1', [made.internalId]);
    expect(row).toEqual({ provider_ref: money?.transactionId, rail: 'ppr' });
    expect(await tryToPay(app, made)).toBe('REFERENCE_PAID');
  });

  test('accepts only its own amount at a payment machine', async () => {
    const made = await createPayable(app);
    for (const amount of ['1499.99', '1500.01', '0.01'])
      expect(await tryToPay(app, made, { amount })).toBe('WRONG_AMOUNT');
    expect(await readReference(app, made.reference)).toEqual(made);
  });

  test('stays Pending and flagged after too little money, and becomes Paid by the rest', async () => {
    const made = await createPayable(app);
    await pay(app, made, { amount: '499.99', fault: 'wrong_amount' });
    const shown = await untilReceived(app, made.reference, 499.99);
    const short = { status: 'Pending', referenceStatus: 'Pending', flags: ['amount_mismatch'] };
    expect(shown).toMatchObject(short);
    expect(await readPayment(app, made.reference)).toMatchObject({ ...short, transactions: [{ amount: 499.99 }] });
    expect(await readSteps(app, made.reference)).toContain('payment.amount_mismatch');
    expect(await notifyPprPayment(app, moneyFor(app, made, { amount: '1000.00' }))).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 1499.99 });
    expect(await notifyPprPayment(app, moneyFor(app, made, { amount: '0.01' }))).toBe('applied');
    const whole = { status: 'Paid', referenceStatus: 'Paid', amountPaid: 1500 };
    expect(await readReference(app, made.reference)).toMatchObject(whole);
    expect((await readPayment(app, made.reference)).transactions).toHaveLength(3);
  });

  test('has two transactions and is flagged overpaid if it is paid twice', async () => {
    const made = await createPayable(app);
    await pay(app, made, { fault: 'twice' });
    const shown = await untilReceived(app, made.reference, 3000);
    expect(shown).toMatchObject({ status: 'Paid', referenceStatus: 'Paid', flags: ['overpaid'] });
    const { transactions } = await readPayment(app, made.reference);
    expect(transactions.map(({ amount, late }: any) => [amount, late])).toEqual([
      [1500, false],
      [1500, false],
    ]);
    const { referenceTotals } = await readCashbook(app, made.reference);
    expect(referenceTotals).toEqual([{ currency: 'AOA', count: 2, amount: '3000.00' }]);
  });

  test('records an amount above the maximum for requests', async () => {
    const made = await createPayable(app);
    await notifyPprPayment(app, moneyFor(app, made, { amount: '99999999999.99' }));
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 99_999_999_999.99 });
  });
});

describe('a Charging reference', () => {
  test('without an amount becomes Paid by its first payment, stays payable and adds up its payments', async () => {
    const made = await createPayable(app, open);
    await pay(app, made, { amount: '0.01' });
    const first = await untilReceived(app, made.reference, 0.01);
    expect(first).toEqual({ ...made, status: 'Paid', standing: 'paid', referenceStatus: 'Pending', amountPaid: 0.01 });
    const { completedAt } = await readPayment(app, made.reference);
    await app.clock.pass(60_000);
    for (const amount of ['100.00', '0.10', '10000000.00']) await pay(app, made, { amount });
    const sum = await untilReceived(app, made.reference, 10_000_100.11);
    expect(sum).toMatchObject({ amount: 0, status: 'Paid', referenceStatus: 'Pending', flags: [] });
    const payment = await readPayment(app, made.reference);
    expect(payment.transactions.map(({ amount }: any) => amount).toSorted((a: number, b: number) => a - b)).toEqual([
      0.01, 0.1, 100, 10_000_000,
    ]);
    expect(payment).toMatchObject({ status: 'Paid', late: false, completedAt });
    expect(await readAtMachine(app, made)).toMatchObject({ status: 'ACTIVE', amount: null });
  });

  test('without an amount does not become Paid by a payment of 0.00', async () => {
    const made = await createPayable(app, open);
    await notifyPprPayment(app, moneyFor(app, made, { amount: '0.00' }));
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  });

  test('with an amount accepts this amount repeatedly', async () => {
    const made = await createPayable(app, fixed);
    expect(await tryToPay(app, made, { amount: '1.00' })).toBe('WRONG_AMOUNT');
    for (const sum of [1500, 3000, 4500]) {
      await pay(app, made);
      const shown = await untilReceived(app, made.reference, sum);
      expect(shown).toMatchObject({ amount: 1500, status: 'Paid', referenceStatus: 'Pending', flags: [] });
    }
  });

  test('with an amount becomes Paid only by one payment of the whole amount', async () => {
    const made = await createPayable(app, fixed);
    await pay(app, made, { amount: '1000.00', fault: 'wrong_amount' });
    const short = await untilReceived(app, made.reference, 1000);
    expect(short).toMatchObject({ status: 'Pending', referenceStatus: 'Pending', flags: ['amount_mismatch'] });
    await pay(app, made);
    const whole = await untilReceived(app, made.reference, 2500);
    expect(whole).toMatchObject({ status: 'Paid', referenceStatus: 'Pending', flags: ['amount_mismatch'] });
    expect(await readSteps(app, made.reference)).toEqual([
      'payment.created',
      'reference.registered',
      'payment.transaction_accepted',
      'payment.amount_mismatch',
      'payment.paid',
    ]);
  });

  test('records two payments of the same moment, without flagging them as overpaid', async () => {
    const made = await createPayable(app, open);
    await pay(app, made, { amount: '5.00', fault: 'twice' });
    expect(await untilReceived(app, made.reference, 10)).toMatchObject({ status: 'Paid', flags: [] });
    expect((await readPayment(app, made.reference)).transactions).toHaveLength(2);
  });
});

test.each([
  ['Dynamic', {}],
  ['Charging', open],
])('money in another currency neither makes a %s reference Paid nor adds to amountPaid', async (_type, fields) => {
  const made = await createPayable(app, fields);
  await notifyPprPayment(app, moneyFor(app, made, { currency: 'USD' }));
  const payment = await readPayment(app, made.reference);
  expect(payment).toMatchObject({ status: 'Pending', amountPaid: 0, flags: ['amount_mismatch'] });
  expect(payment.transactions).toMatchObject([{ amount: 1500, currency: 'USD' }]);
});

test.each([
  ['Dynamic', {}, 'Paid'],
  ['Charging', fixed, 'Pending'],
])('too much money makes a %s reference Paid and flags it overpaid', async (_type, fields, referenceStatus) => {
  const made = await createPayable(app, fields);
  await pay(app, made, { amount: '1500.01', fault: 'wrong_amount' });
  const shown = await untilReceived(app, made.reference, 1500.01);
  expect(shown).toMatchObject({ status: 'Paid', referenceStatus, flags: ['overpaid'], amount: 1500 });
  expect(await readSteps(app, made.reference)).toContain('payment.overpaid');
});
