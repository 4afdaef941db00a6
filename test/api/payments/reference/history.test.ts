// GET /api/references/ppr/{pprReference}/history: every change and every word of the rail, oldest first.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { travelUntil } from '../../../support/payments.ts';
import {
  cancel,
  createPayable,
  digits,
  pay,
  PPR,
  readHistory,
  readReference,
  readSteps,
  untilReceived,
} from '../../../support/ppr.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const steps = (reference: string, count: number): Promise<any[]> =>
  until(async () => {
    const found = await readHistory(app, reference);
    return found.length >= count ? found : null;
  }, `${count} steps of ${reference}`);

test('of a new one, with a message that counts', async () => {
  const made = await createPayable(app, { reference: digits() });
  const { status, headers, json } = await app.call(`${PPR}/${made.reference}/history`);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  const shown = made.reference.replace(/(\d{3})(?=\d)/g, '$1 ');
  const step = (type: string, occurredAt: string) => ({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    type,
    status: 'Pending',
    amount: null,
    occurredAt,
    details: {},
  });
  expect(json).toEqual({
    message: `Reference ${shown} of entity 00999: 2 events.`,
    reference: made.reference,
    data: [step('payment.created', made.createdAt), step('reference.registered', made.registeredAt)],
  });
});

test('of a Dynamic one from its creation until the rail let go of it, with its money and where it was paid', async () => {
  const made = await createPayable(app);
  await app.clock.advance(5_000);
  const paidAt = app.clock.now().toISOString();
  const [money] = await pay(app, made, { channel: 'ATM' });
  const told = await steps(made.reference, 5);
  expect(told.map(({ type }) => type)).toEqual([
    'payment.created',
    'reference.registered',
    'payment.paid',
    'reference.paid',
    'reference.withdrawn',
  ]);
  expect(told.map(({ amount }) => amount)).toEqual([null, null, 1500, null, null]);
  expect(told[2].status).toBe('Paid');
  const [transaction] = (await app.call(`/api/payments/${made.reference}`)).json.transactions;
  expect(told[2].details).toEqual({
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
  expect(told[3].details).toEqual({ via: 'notification' });
  const times = told.map(({ occurredAt }) => occurredAt);
  expect(times).toEqual(times.toSorted());
  expect(new Set(told.map(({ id }) => id)).size).toBe(5);
});

test.each([
  ['IB', { terminalType: 'IB', terminalId: '0000000044', terminalLocation: 'Internet' }],
  ['MB', { terminalType: 'MB', terminalId: '0000000000', terminalLocation: 'Internet' }],
  ['POS', { terminalType: 'POS', terminalId: '0000067890', terminalLocation: 'Luanda Talatona' }],
])('says of a payment by %s where it was made', async (channel, place) => {
  const made = await createPayable(app);
  await pay(app, made, { channel });
  await untilReceived(app, made.reference, 1500);
  const paid = (await readHistory(app, made.reference)).find(({ type }) => type === 'payment.paid');
  expect(paid.details).toMatchObject(place);
  // Paid in cash there is no account.
  expect('nib' in paid.details).toBe(channel !== 'POS');
  const { transactions } = (await app.call(`/api/payments/${made.reference}`)).json;
  expect(transactions).toMatchObject([place]);
});

test('of a Charging one has every payment with its amount', async () => {
  const made = await createPayable(app, { referenceType: 'Charging', amount: 0 });
  const amounts = ['10.00', '0.01', '1234.50'];
  let sum = 0;
  for (const amount of amounts) {
    await pay(app, made, { amount });
    sum += Number(amount);
    await untilReceived(app, made.reference, Number(sum.toFixed(2)));
  }
  // Each is also told to the merchant, which is known a moment later.
  const json = await until(async () => {
    const history = (await app.call(`${PPR}/${made.reference}/history`)).json;
    return history.data.length === 8 ? history : null;
  }, 'the history of the money and of its callbacks');
  expect(json.message).toContain('8 events');
  const [callbacks, others] = [true, false].map((isOne) =>
    json.data.filter(({ type }: any) => type.startsWith('callback.') === isOne),
  );
  expect(callbacks.map(({ type, amount }: any) => [type, amount])).toEqual([
    ['callback.delivered', 10],
    ['callback.delivered', 0.01],
    ['callback.delivered', 1234.5],
  ]);
  expect(others.map(({ type, amount, status }: any) => [type, amount, status])).toEqual([
    ['payment.created', null, 'Pending'],
    ['reference.registered', null, 'Pending'],
    ['payment.paid', 10, 'Paid'],
    ['payment.transaction_accepted', 0.01, 'Paid'],
    ['payment.transaction_accepted', 1234.5, 'Paid'],
  ]);
});

describe('of one that ended', () => {
  test('by cancel', async () => {
    const made = await createPayable(app);
    await cancel(app, made.reference);
    const told = await steps(made.reference, 5);
    expect(told.map(({ type, status }) => [type, status])).toEqual([
      ['payment.created', 'Pending'],
      ['reference.registered', 'Pending'],
      ['payment.canceled', 'Canceled'],
      ['reference.canceled', 'Canceled'],
      ['reference.withdrawn', 'Canceled'],
    ]);
  });

  test('by time', async () => {
    const expiryDate = new Date(app.clock.now().getTime() + 10_000).toISOString();
    const made = await createPayable(app, { expiryDate });
    await travelUntil(app, async () => (await readSteps(app, made.reference)).length === 5, 'its end');
    const told = await readHistory(app, made.reference);
    expect(told.map(({ type, status }) => [type, status]).slice(2)).toEqual([
      ['payment.expired', 'Expired'],
      ['reference.expired', 'Expired'],
      ['reference.withdrawn', 'Expired'],
    ]);
    expect(told[2].occurredAt >= expiryDate).toBe(true);
  });
});

test('is the payment’s as well: GET /api/payments/{reference}/events tells the same steps', async () => {
  const made = await createPayable(app);
  await pay(app, made);
  await steps(made.reference, 5);
  const { data } = (await app.call(`/api/payments/${made.reference}/events`)).json;
  const same = (await readHistory(app, made.reference)).map(({ id, type, status }) => [id, type, status]);
  const own = data.filter(({ type }: any) => !type.startsWith('callback.'));
  expect(own.map(({ id, type, status }: any) => [id, type, status])).toEqual(same);
});

test('of digits that were used again is the newest one’s', async () => {
  const first = await createPayable(app, { reference: digits() });
  await cancel(app, first.reference);
  await steps(first.reference, 5);
  await createPayable(app, { reference: first.reference });
  expect(await readSteps(app, first.reference)).toEqual(['payment.created', 'reference.registered']);
  expect((await readReference(app, first.reference)).internalId).not.toBe(first.internalId);
});
