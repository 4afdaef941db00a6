import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { travelUntil } from '../../../support/payments.ts';
import {
  cancel,
  createPayable,
  digits,
  pay,
  PPR,
  readHistory,
  readSteps,
  untilReceived,
} from '../../../support/ppr.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const untilSteps = (reference: string, count: number): Promise<any[]> =>
  until(async () => {
    const found = await readHistory(app, reference);
    return found.length >= count ? found : null;
  }, `${count} steps of ${reference}`);

test('the history of a new reference has two events and counts them in its message', async () => {
  const made = await createPayable(app, { reference: digits() });
  const { status, headers, json } = await app.call(`${PPR}/${made.reference}/history`);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  const shown = made.reference.replace(/(\d{3})(?=\d)/g, '$1 ');
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
  const step = { id, status: 'Pending', amount: null, details: {} };
  expect(json).toEqual({
    message: `Reference ${shown} of entity 00999: 2 events.`,
    reference: made.reference,
    data: [
      { ...step, type: 'payment.created', occurredAt: made.createdAt },
      { ...step, type: 'reference.registered', occurredAt: made.registeredAt },
    ],
  });
});

test('the history of a paid Dynamic reference shows its money, the machine and the withdrawal', async () => {
  const made = await createPayable(app);
  await app.clock.advance(5_000);
  const paidAt = app.clock.now().toISOString();
  const [money] = await pay(app, made, { channel: 'ATM' });
  const steps = await untilSteps(made.reference, 5);
  expect(steps.map(({ type, amount }) => [type, amount])).toEqual([
    ['payment.created', null],
    ['reference.registered', null],
    ['payment.paid', 1500],
    ['reference.paid', null],
    ['reference.withdrawn', null],
  ]);
  expect(steps[2].status).toBe('Paid');
  const [transaction] = (await app.call(`/api/payments/${made.reference}`)).json.transactions;
  expect(steps[2].details).toEqual({
    transactionId: transaction.id,
    via: 'notification',
    paidAt,
    clearingPeriod: money?.period,
    transactionNumber: money?.number,
    terminalType: 'ATM',
    terminalId: '0000012345',
    terminalLocation: 'Luanda Ilha',
    nib: '004400006729503010102',
    bank: 'Banco da Baía',
  });
  expect(steps[3].details).toEqual({ via: 'notification' });
  const times = steps.map(({ occurredAt }) => occurredAt);
  expect(times).toEqual(times.toSorted());
  expect(new Set(steps.map(({ id }) => id)).size).toBe(5);
  const { data } = (await app.call(`/api/payments/${made.reference}/events`)).json;
  const events = data.filter(({ type }: any) => !type.startsWith('callback.'));
  const namesOf = ({ id, type, status }: any) => [id, type, status];
  expect(events.map(namesOf)).toEqual(steps.map(namesOf));
});

test.each([
  ['IB', { terminalType: 'IB', terminalId: '0000000044', terminalLocation: 'Internet' }],
  ['MB', { terminalType: 'MB', terminalId: '0000000000', terminalLocation: 'Internet' }],
  ['POS', { terminalType: 'POS', terminalId: '0000067890', terminalLocation: 'Luanda Talatona' }],
])('the history and the transaction of a payment by %s name its terminal', async (channel, terminal) => {
  const made = await createPayable(app);
  await pay(app, made, { channel });
  await untilReceived(app, made.reference, 1500);
  const paid = (await readHistory(app, made.reference)).find(({ type }) => type === 'payment.paid');
  expect(paid.details).toMatchObject(terminal);
  // A payment in cash has no bank account.
  expect('nib' in paid.details).toBe(channel !== 'POS');
  expect((await app.call(`/api/payments/${made.reference}`)).json.transactions).toMatchObject([terminal]);
});

test('the history of a Charging reference has every payment and its callback with the amount', async () => {
  const made = await createPayable(app, { referenceType: 'Charging', amount: 0 });
  const amounts = [10, 0.01, 1234.5];
  let sum = 0;
  for (const amount of amounts) {
    await pay(app, made, { amount: amount.toFixed(2) });
    sum += amount;
    await untilReceived(app, made.reference, Number(sum.toFixed(2)));
  }
  const json = await until(async () => {
    const history = (await app.call(`${PPR}/${made.reference}/history`)).json;
    return history.data.length === 8 ? history : null;
  }, 'the history of the money and of its callbacks');
  expect(json.message).toContain('8 events');
  const rows = json.data.map(({ type, amount, status }: any) => [type, amount, status]);
  const isCallback = ([type]: [string]) => type.startsWith('callback.');
  expect(rows.filter(isCallback).map(([type, amount]: any) => [type, amount])).toEqual(
    amounts.map((amount) => ['callback.delivered', amount]),
  );
  expect(rows.filter((row: [string]) => !isCallback(row))).toEqual([
    ['payment.created', null, 'Pending'],
    ['reference.registered', null, 'Pending'],
    ['payment.paid', 10, 'Paid'],
    ['payment.transaction_accepted', 0.01, 'Paid'],
    ['payment.transaction_accepted', 1234.5, 'Paid'],
  ]);
});

test('the history of a canceled reference ends with the cancel and the withdrawal, until its digits are reused', async () => {
  const made = await createPayable(app, { reference: digits() });
  await cancel(app, made.reference);
  const steps = await untilSteps(made.reference, 5);
  expect(steps.map(({ type, status }) => [type, status]).slice(2)).toEqual([
    ['payment.canceled', 'Canceled'],
    ['reference.canceled', 'Canceled'],
    ['reference.withdrawn', 'Canceled'],
  ]);
  await createPayable(app, { reference: made.reference });
  expect(await readSteps(app, made.reference)).toEqual(['payment.created', 'reference.registered']);
});

test('the history of an expired reference ends with the expiry and the withdrawal', async () => {
  const expiryDate = new Date(app.clock.now().getTime() + 10_000).toISOString();
  const made = await createPayable(app, { expiryDate });
  await travelUntil(app, async () => (await readSteps(app, made.reference)).length === 5, 'its end');
  const steps = await readHistory(app, made.reference);
  expect(steps.map(({ type, status }) => [type, status]).slice(2)).toEqual([
    ['payment.expired', 'Expired'],
    ['reference.expired', 'Expired'],
    ['reference.withdrawn', 'Expired'],
  ]);
  expect(steps[2].occurredAt >= expiryDate).toBe(true);
});
