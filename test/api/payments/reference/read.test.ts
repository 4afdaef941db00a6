import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp, until } from '../../../support/app.ts';
import { travelUntil } from '../../../support/payments.ts';
import {
  createReference,
  digits,
  readFieldFaults,
  pay,
  PPR,
  untilRegistered,
  cancel,
  createPayable,
  readHistory,
  readSteps,
  untilReceived,
} from '../../../support/ppr.ts';

let app: TestApp;
let token: string;
/** All references of one merchant, the oldest first. The last ten have the same creation time. */
const made: any[] = [];

const call = (path: string, options = {}): Promise<Reply> => app.call(`${PPR}${path}`, { token, ...options });
const digitsOf = ({ json }: Reply): string[] => json.data.map((item: any) => item.reference);
const newestFirst = () => made.map(({ reference }) => reference).toReversed();

beforeAll(async () => {
  app = await startTestApp();
  ({ token } = await app.addMerchant());
  await createReference(app);
  const soon = new Date(app.clock.now().getTime() + 30_000).toISOString();
  /** 0 Dynamic canceled, 1 Charging canceled, 2 Dynamic paid, 3 Charging paid, 4 Dynamic expired, 5 legacy. */
  const open = { referenceType: 'Charging', amount: 0 };
  for (const fields of [{}, open, {}, open, { expiryDate: soon }]) {
    const { reference } = await createReference(app, { reference: digits(), ...fields }, { token });
    made.push(await untilRegistered(app, reference, token));
    await app.clock.advance(1_000);
  }
  made.push(await createReference(app, { customMetadata: { n: 5 } }, { token, path: `${PPR}/legacy` }));
  for (const nth of [0, 1]) await call(`/${made[nth].reference}/cancel`, { method: 'POST' });
  await pay(app, made[2]);
  await pay(app, made[3], { amount: '7.00' });
  const hasEnded = async () => {
    const { json } = await call('?pageSize=100');
    const states = json.data.map((item: any) => `${item.status} ${item.referenceStatus}`);
    return ['Paid Paid', 'Paid Pending', 'Expired Expired'].every((state) => states.includes(state));
  };
  await travelUntil(app, hasEnded, 'the references being paid and expired');
  const bulk = { references: Array.from({ length: 10 }, () => ({ amount: 1 })) };
  made.push(...(await call('/bulk', { body: bulk })).json.data);
  const isRegistered = async () => (await call('?pageSize=10')).json.data.every((item: any) => item.registeredAt);
  await travelUntil(app, isRegistered, 'the last ten being registered');
});

describe('GET /api/references/ppr', () => {
  test('lists the merchant’s own references, the newest first, each like GET by its digits returns it', async () => {
    const reply = await call('');
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.json)).toEqual(['data', 'pageNumber', 'pageSize', 'totalPages', 'totalItems', 'next']);
    expect(reply.json).toMatchObject({ pageNumber: 1, pageSize: 20, totalPages: 1, totalItems: 16 });
    expect(digitsOf(reply)).toEqual(newestFirst());
    expect(reply.json.data[10]).toMatchObject({ contract: 'legacy', customMetadata: { n: 5 } });
    expect(Object.keys(reply.json.data[0])).toEqual(Object.keys(made[0]));
    for (const item of reply.json.data) expect((await call(`/${item.reference}`)).json).toEqual(item);
  });

  test('returns each reference on exactly one page, also if references have the same time', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 6; page++) {
      const reply = await call(`?page=${page}&pageSize=3`);
      expect(reply.json).toMatchObject({ pageNumber: page, pageSize: 3, totalPages: 6, totalItems: 16 });
      seen.push(...digitsOf(reply));
    }
    expect(seen).toEqual(newestFirst());
    expect((await call('?page=7&pageSize=3')).json).toMatchObject({ data: [], pageNumber: 7, totalPages: 6 });
  });

  test('returns an empty page to a merchant without references', async () => {
    const other = await app.addMerchant();
    const { json } = await app.call(PPR, { token: other.token });
    expect(json).toEqual({ data: [], pageNumber: 1, pageSize: 20, totalPages: 0, totalItems: 0, next: null });
  });

  test.each<[string, number[]]>([
    ['?type=Charging', [3, 1]],
    ['?type=charging', [3, 1]],
    ['?type=DYNAMIC&pageSize=3', [15, 14, 13]],
    ['?status=Canceled', [1, 0]],
    ['?status=canceled&type=charging', [1]],
    // A filter reads the status of the reference, not of its payment: a paid Charging reference is still Pending.
    ['?status=Paid', [2]],
    ['?status=PAID&type=Charging', []],
    ['?status=Pending&type=Charging', [3]],
    ['?status=expired', [4]],
    ['?status=Pending&type=Dynamic&page=2&pageSize=6', [9, 8, 7, 6, 5]],
  ])('%s finds the references with the numbers %j', async (query, expected) => {
    const reply = await call(query);
    expect(reply.status).toBe(200);
    expect(digitsOf(reply)).toEqual(expected.map((nth) => made[nth].reference));
    if (!query.includes('page')) expect(reply.json.totalItems).toBe(expected.length);
  });

  test('returns the number of references that match the filter', async () => {
    expect((await call('?type=Dynamic&pageSize=5')).json).toMatchObject({ totalItems: 14, totalPages: 3 });
  });

  test.each([
    ['type=Static', '/query/type invalid_value'],
    ['type=', '/query/type invalid_value'],
    ['status=Authorized', '/query/status invalid_value'],
    ['type=Dynamic&type=Charging', '/query/type invalid_type'],
    ['pageSize=101', '/query/pageSize too_big'],
  ])('refuses ?%s with %s', async (query, fault) => {
    const reply = await call(`?${query}`);
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, [fault]]);
  });

  test('returns one 400 with all invalid parameters', async () => {
    const pointers = readFieldFaults(await call('?page=0&pageSize=101&status=x&type=y')).map(
      (fault) => fault.split(' ')[0],
    );
    expect(pointers).toEqual(['/query/page', '/query/pageSize', '/query/type', '/query/status']);
  });
});

test('GET /api/references/ppr/{pprReference} forbids caching', async () => {
  const reply = await call(`/${made[0].reference}`);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(reply.json).toMatchObject({ status: 'Canceled', referenceStatus: 'Canceled', amountPaid: 0 });
});

test.each(['', '/history', '/cancel'])('/api/references/ppr/{unknown digits}%s returns 404', async (path) => {
  const malformed = [randomUUID(), '0', '1'.repeat(16), "'; drop table payments", '%00', 'a%2Fb', '__proto__'];
  // Leading zeros are part of the digits, so the digits without them are unknown.
  const others = ['999999999', String(Number(made[0].reference)), made[0].internalId, made[0].clientToken];
  for (const own of [...malformed, ...others]) {
    const reply = await call(`/${own}${path}`, path === '/cancel' ? { method: 'POST' } : {});
    expect([own, reply.status, reply.json.code]).toEqual([own, 404, 'not_found']);
  }
});

test('GET /api/payments lists a payment by reference with its digits as the id', async () => {
  const list = async (query: string) => (await app.call(`/api/payments${query}`, { token })).json;
  const { data, totalItems } = await list('?paymentType=PPR&pageSize=1&page=16');
  expect(totalItems).toBe(16);
  const { internalId, reference } = made[0];
  const money = { amount: 1500, currency: 'AOA', paymentType: 'PPR', paymentMethod: 'reference', status: 'Canceled' };
  const others = {
    createdAt: expect.any(String),
    customMetadata: null,
    attention: null,
    standing: 'canceled',
    createdBy: null,
    flags: [],
  };
  expect(data).toEqual([{ id: reference, internalId, reference, ...money, ...others, refundStatus: 'none' }]);
  expect((await list('?paymentType=GPO')).totalItems).toBe(0);
  expect((await list('?status=Expired')).data.map((item: any) => item.id)).toEqual([made[4].reference]);
});

const untilSteps = (reference: string, count: number): Promise<any[]> =>
  until(async () => {
    const found = await readHistory(app, reference);
    return found.length >= count ? found : null;
  }, `${count} steps of ${reference}`);

test('the history of a new reference has two events, and its `message` field says so', async () => {
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

test('the event history of a paid Dynamic reference has the payment, the machine and the withdrawal', async () => {
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
])(
  'the event history and the transaction of a payment by %s name the terminal of the payment',
  async (channel, terminal) => {
    const made = await createPayable(app);
    await pay(app, made, { channel });
    await untilReceived(app, made.reference, 1500);
    const paid = (await readHistory(app, made.reference)).find(({ type }) => type === 'payment.paid');
    expect(paid.details).toMatchObject(terminal);
    // A payment in cash has no bank account number.
    expect('nib' in paid.details).toBe(channel !== 'POS');
    expect((await app.call(`/api/payments/${made.reference}`)).json.transactions).toMatchObject([terminal]);
  },
);

test('the event history of a Charging reference has every payment, each with its amount and callback', async () => {
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

test('the event history of a canceled reference ends with the cancel and the withdrawal', async () => {
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

test('the event history of an expired reference ends with expiry and withdrawal', async () => {
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
