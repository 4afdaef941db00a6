import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { NOTIFY_ENV, readEventTypes, readPayment } from '../../../support/notify.ts';
import { travelToStatus } from '../../../support/payments.ts';
import { createCode, notifyScan } from '../../../support/qrcodes.ts';

const DAY_MS = 24 * 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

describe('a scan of a QR code', () => {
  test.each([
    [
      'less',
      { amount: '1499.99' },
      { amountPaid: 1499.99, acceptedTransactions: 0, flags: ['amount_mismatch'] },
      'Pending',
    ],
    ['more', { amount: '1500.01' }, { amountPaid: 1500.01, acceptedTransactions: 1, flags: ['overpaid'] }, 'Paid'],
    [
      'another currency',
      { currency: 'USD' },
      { amountPaid: 0, acceptedTransactions: 0, flags: ['amount_mismatch'] },
      'Pending',
    ],
  ])('with %s is recorded and flagged', async (_name, changes, expected, status) => {
    const code = await createCode(app);
    expect(await notifyScan(app, code, changes)).toBe('applied');
    const payment = await readPayment(app, code.id);
    expect(payment).toMatchObject({ status, ...expected });
    expect(payment.transactions).toMatchObject([
      { amount: 'amount' in changes ? Number(changes.amount) : 1500, late: false },
    ]);
    expect(await readEventTypes(app, code.id)).toContain(`payment.${expected.flags[0]}`);
  });

  test('beyond maxTransactions is recorded and flagged overpaid', async () => {
    const code = await createCode(app, { maxTransactions: 2 });
    for (let nth = 0; nth < 4; nth++) expect(await notifyScan(app, code)).toBe('applied');
    const payment = await readPayment(app, code.id);
    expect(payment).toMatchObject({ status: 'Paid', amountPaid: 6000, acceptedTransactions: 4, flags: ['overpaid'] });
    expect(payment.transactions).toHaveLength(4);
    expect((await readEventTypes(app, code.id)).filter((type) => type === 'payment.paid')).toHaveLength(1);
  });

  test.each([
    ['Canceled', (id: string) => app.call(`/api/payments/${id}/cancel`, { method: 'POST' })],
    ['Expired', async () => app.clock.leap(DAY_MS + 1)],
  ])('after it is %s makes it Paid and late', async (status, end) => {
    const code = await createCode(app, { maxTransactions: 5 });
    await end(code.id);
    await travelToStatus(app, code.id, status);
    expect(await notifyScan(app, code)).toBe('applied');
    expect(await readPayment(app, code.id)).toMatchObject({
      status: 'Paid',
      late: true,
      amountPaid: 1500,
      transactions: [{ late: true }],
    });
  });

  test('that is reported repeatedly under one transaction is one payment', async () => {
    const code = await createCode(app, { maxTransactions: 5 });
    for (let nth = 0; nth < 3; nth++)
      await notifyScan(app, code, { transactionId: 'T-same', transactionNumber: `${nth}` });
    expect(await readPayment(app, code.id)).toMatchObject({ acceptedTransactions: 1, amountPaid: 1500 });
  });

  test.each([
    ['a refused scan', { status: 'REFUSED', reason: 'CUSTOMER_REFUSED' }, 'unreadable'],
    ['a scan under way', { status: 'PENDING' }, 'unreadable'],
    ['no readable amount', { amount: 'muito' }, 'unreadable'],
    ['no transaction', { transactionId: null }, 'unreadable'],
  ])('with %s is not recorded', async (_name, changes, outcome) => {
    const code = await createCode(app);
    expect(await notifyScan(app, code, changes)).toBe(outcome);
    expect(await readPayment(app, code.id)).toMatchObject({ status: 'Pending', amountPaid: 0, transactions: [] });
  });
});
