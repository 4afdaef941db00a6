import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { readEventTypes, readPayment, NOTIFY_ENV } from '../../../support/notify.ts';
import { travelToStatus, travelUntil, untilStatus } from '../../../support/payments.ts';
import { createCode, notifyScan, readCodeBook, scanCode } from '../../../support/qrcodes.ts';
import { askRail } from '../../../support/lone-rail.ts';
import { DAY_MS, MINUTE_MS } from '../../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const post = (path: string) => app.call(`/api/payments/${path}`, { method: 'POST' });
/** Waits until this many scans are recorded, without moving the clock. */
const untilAccepted = (id: string, count: number) =>
  until(async () => {
    const payment = await readPayment(app, id);
    return payment.acceptedTransactions === count && payment;
  }, `${count} scans of ${id}`);
/** Creates a QR code for `maxTransactions` payments, of which `paid` are recorded. */
async function createPaid(maxTransactions: number, paid: number, metadata: object = {}) {
  const code = await createCode(app, { maxTransactions, ...metadata });
  for (let nth = 0; nth < paid; nth++) expect((await scanCode(app, code.content)).status).toBe(201);
  await untilAccepted(code.id, paid);
  return code;
}
/** The rail sends no notification about scans by this phone. */
const SILENT = '900000007';

describe('a scan of a QR code', () => {
  test('with maxTransactions=1 pays it, and the rail refuses a second scan', async () => {
    const { id, content, reference } = await createCode(app);
    const scan = await scanCode(app, content);
    expect(scan).toMatchObject({ status: 201, body: { status: 'ACCEPTED' } });
    const payment = await untilStatus(app, id, 'Paid');
    expect(payment).toMatchObject({ amountPaid: 1500, acceptedTransactions: 1, flags: [], late: false });
    expect(payment.completedAt).toBe(app.clock.now().toISOString());
    expect(await scanCode(app, content)).toMatchObject({ status: 409, body: { code: 'USED_UP' } });
    expect(await readEventTypes(app, id)).toEqual(['payment.created', 'payment.paid']);
    expect(await readCodeBook(app, reference)).toMatchObject({ status: 'USED_UP', accepted: 1 });
  });

  test('is recorded as a transaction with every field of the QR callback', async () => {
    const { id, content, reference } = await createCode(app, {}, { amount: 1234.56 });
    await app.clock.advance(1_000);
    const { body: scan } = await scanCode(app, content);
    const { transactions } = await untilStatus(app, id, 'Paid');
    const { creationDate, updatedDate, clearingPeriod, transactionNumber, transactionType, orderOrigin } = scan;
    const told = { creationDate, updatedDate, clearingPeriod, transactionNumber, transactionType, orderOrigin };
    for (const [name, value] of Object.entries(told)) expect(value, name).toMatch(/\S/);
    expect([transactionType, orderOrigin]).toEqual(['PURCHASE', 'QRCODE']);
    const money = { amount: 1234.56, currency: 'AOA', status: 'Accepted', occurredAt: updatedDate, late: false };
    expect(transactions).toEqual([{ id: expect.any(String), terminalId: 'demo-pos', ...money, ...told }]);
    // The columns of the fields in the QR callback.
    const [stored] = await app.sql(
      `select t.provider_ref as id, t.amount_minor::int as amount, t.currency, t.status, t.details,
         p.reference as "merchantReferenceNumber"
       from transactions t join payments p on p.id = t.payment_id where p.id = $1`,
      [id],
    );
    const details = { ...told, terminalId: 'demo-pos' };
    const ids = { id: scan.transactionId, merchantReferenceNumber: reference };
    expect(stored).toEqual({ ...ids, amount: 123_456, currency: 'AOA', status: 'Accepted', details });
  });

  test('leaves the payment Pending until the last of maxTransactions scans makes it Paid', async () => {
    const { id, content } = await createCode(app, { maxTransactions: 3 });
    for (const count of [1, 2]) {
      await scanCode(app, content);
      const open = await untilAccepted(id, count);
      expect(open).toMatchObject({
        status: 'Pending',
        amountPaid: count * 1500,
        maxTransactions: 3,
        completedAt: null,
      });
      expect(open.transactions).toHaveLength(count);
    }
    await scanCode(app, content);
    const paid = await untilStatus(app, id, 'Paid');
    expect(paid).toMatchObject({ amountPaid: 4500, amount: 1500, acceptedTransactions: 3, flags: [] });
    expect(new Set(paid.transactions.map((one: any) => one.id)).size).toBe(3);
    const types = ['payment.created', 'payment.transaction_accepted', 'payment.transaction_accepted', 'payment.paid'];
    expect(await readEventTypes(app, id)).toEqual(types);
  });

  test.each([
    ['900000000', 'ACCEPTED', 1],
    ['900000001', 'REFUSED', 0],
    ['900000003', 'REFUSED', 0],
    ['900000005', 'ACCEPTED', 1],
    ['900000006', 'ACCEPTED', 1],
    ['900000007', 'ACCEPTED', 1],
    ['900000008', 'REFUSED', 0],
  ])('by the phone %s ends %s at the rail and adds %i transactions', async (phone, status, count) => {
    const { id, content } = await createCode(app, { maxTransactions: 5 });
    const { body: scan } = await scanCode(app, content, phone);
    const isOver = async () => (await askRail(app, `/scans/${scan.id}`)).body.status === status;
    await travelUntil(app, isOver, `the scan being ${status}`);
    // After a second scan is recorded, the first one is complete.
    await scanCode(app, content);
    const payment = await travelUntil(
      app,
      async () => {
        const now = await readPayment(app, id);
        return now.acceptedTransactions >= count + 1 && now;
      },
      'both scans being known',
    );
    expect(payment).toMatchObject({ status: 'Pending', amountPaid: 1500 * (count + 1), flags: [] });
    expect(payment.transactions).toHaveLength(count + 1);
  });

  test('by the phone 900000004 fails because the rail is unavailable, and changes nothing', async () => {
    const { id, content, reference } = await createCode(app);
    expect((await scanCode(app, content, '900000004')).status).toBe(503);
    expect(await readCodeBook(app, reference)).toMatchObject({ accepted: 0, payments: [] });
    expect((await readPayment(app, id)).status).toBe('Pending');
  });
});

describe('a scan whose notification is lost', () => {
  test('is recorded by a poll', async () => {
    const { id, content } = await createCode(app);
    await scanCode(app, content, SILENT);
    const paid = await travelToStatus(app, id, 'Paid', 5 * MINUTE_MS);
    expect(paid).toMatchObject({ amountPaid: 1500, late: false, transactions: [{ transactionType: 'PURCHASE' }] });
    const [{ details }] = await app.sql(`select details from events where payment_id = $1 and type = 'payment.paid'`, [
      id,
    ]);
    expect(details).toMatchObject({ via: 'poll' });
  });

  test('is recorded once by repeated syncs', async () => {
    const { id, content } = await createCode(app, { maxTransactions: 2 });
    const { body: scan } = await scanCode(app, content, SILENT);
    // The rail decides about the scan before the first poll.
    await app.clock.advance(1_000);
    await until(async () => (await askRail(app, `/scans/${scan.id}`)).body.status === 'ACCEPTED', 'the scan');
    const synced = await post(`${id}/sync`);
    expect(synced).toMatchObject({ status: 200, json: { message: expect.stringContaining('Pending') } });
    await post(`${id}/sync`);
    expect(await readPayment(app, id)).toMatchObject({ acceptedTransactions: 1, amountPaid: 1500 });
  });

  test('before a cancel is recorded by a sync after the cancel', async () => {
    const { id, content } = await createCode(app);
    const { body: scan } = await scanCode(app, content, SILENT);
    await app.clock.advance(1_000);
    await until(async () => (await askRail(app, `/scans/${scan.id}`)).body.status === 'ACCEPTED', 'the scan');
    // No poll is due before the sync.
    await app.sql(`update attempts set due_at = null where payment_id = $1`, [id]);
    expect((await post(`${id}/cancel`)).status).toBe(200);
    await until(async () => (await readCodeOf(id)).status === 'WITHDRAWN', 'the withdrawal');
    expect((await readPayment(app, id)).status).toBe('Canceled');
    await post(`${id}/sync`);
    expect(await readPayment(app, id)).toMatchObject({ status: 'Paid', late: true, amountPaid: 1500 });
  });

  const readCodeOf = async (id: string) => readCodeBook(app, (await readPayment(app, id)).reference);
});

describe('the end date of a QR code', () => {
  const inAnHour = () => ({ endDate: new Date(app.clock.now().getTime() + 60 * MINUTE_MS).toISOString() });

  test('makes an unpaid code Expired, and the rail refuses scans', async () => {
    const { id, content } = await createPaid(2, 0, inAnHour());
    app.clock.leap(61 * MINUTE_MS);
    expect(await travelToStatus(app, id, 'Expired')).toMatchObject({ amountPaid: 0, transactions: [] });
    expect(await scanCode(app, content)).toMatchObject({ status: 409, body: { code: 'ENDED' } });
    expect(await readEventTypes(app, id)).toEqual(['payment.created', 'payment.expired']);
  });

  test('makes a code with a payment Paid', async () => {
    const { id } = await createPaid(3, 2, inAnHour());
    app.clock.leap(61 * MINUTE_MS);
    expect(await travelToStatus(app, id, 'Paid')).toMatchObject({
      amountPaid: 3000,
      acceptedTransactions: 2,
      late: false,
    });
    const closed = `select details from events where payment_id = $1 and type = 'payment.paid'`;
    expect(await app.sql(closed, [id])).toEqual([{ details: { closedBy: 'expire' } }]);
  });
});

describe('the cancel of a QR code', () => {
  const untilWithdrawn = (reference: string) =>
    until(async () => (await readCodeBook(app, reference)).status === 'WITHDRAWN', 'the withdrawal at the rail');

  test.each([
    { paid: 0, status: 'Canceled', closing: 'payment.canceled', details: {} },
    { paid: 2, status: 'Paid', closing: 'payment.paid', details: { closedBy: 'cancel' } },
  ])(
    'after $paid payments sets the status $status, and the rail refuses scans',
    async ({ paid, status, closing, details }) => {
      const { id, content, reference } = await createPaid(5, paid);
      const reply = await app.call(`/api/payments/${id}/cancel`, {
        method: 'POST',
        headers: { prefer: 'return=representation' },
      });
      expect(reply).toMatchObject({ status: 200, json: { status } });
      await untilWithdrawn(reference);
      expect(await scanCode(app, content)).toMatchObject({ status: 409, body: { code: 'WITHDRAWN' } });
      expect(await readPayment(app, id)).toMatchObject({ status, amountPaid: paid * 1500, acceptedTransactions: paid });
      const closed = 'select details from events where payment_id = $1 and type = $2';
      expect(await app.sql(closed, [id, closing])).toEqual([{ details }]);
    },
  );

  test.each([
    { paid: 0, maxTransactions: 2, status: 200 },
    { paid: 1, maxTransactions: 1, status: 409 },
  ])(
    'returns the status $status for a code that was already closed with $paid of $maxTransactions payments',
    async ({ paid, maxTransactions, status }) => {
      const { id } = await createPaid(maxTransactions, paid);
      if (paid < maxTransactions) await post(`${id}/cancel`);
      const again = await post(`${id}/cancel`);
      expect(again.status).toBe(status);
      if (status === 409) expect(again.json.code).toBe('payment_not_cancelable');
    },
  );

  test('withdraws the code at the rail once the rail is available again', async () => {
    const { id, reference } = await createPaid(2, 0);
    await askRail(app, '/faults', { on: 'void', kind: 'unavailable', times: 2 });
    expect((await post(`${id}/cancel`)).status).toBe(200);
    await travelUntil(app, async () => (await readCodeBook(app, reference)).status === 'WITHDRAWN', 'the withdrawal');
  });
});

describe('a notification of a scan', () => {
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

  test('is recorded beyond maxTransactions and flagged overpaid', async () => {
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
  ])('after the code is %s makes it Paid and late', async (status, end) => {
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

  test('is recorded once for repeated reports of one transaction', async () => {
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
  ])('about %s is not recorded', async (_name, changes, outcome) => {
    const code = await createCode(app);
    expect(await notifyScan(app, code, changes)).toBe(outcome);
    expect(await readPayment(app, code.id)).toMatchObject({ status: 'Pending', amountPaid: 0, transactions: [] });
  });
});
