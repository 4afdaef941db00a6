// The PPR client: payments by reference, registrations and queries.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readPage,
  readPayment,
  readReferenceAnswer,
  readReferenceNotification,
  readRegistration,
  writeReference,
} from '../../../server/providers/ppr/client.ts';
import type { ReferenceOrder } from '../../../server/providers/provider.ts';

const paymentOf = (text: string) => {
  const told = readReferenceNotification(text);
  return told?.about === 'reference' ? told.payment : null;
};

const ID = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e07';
const OTHER = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e08';

const ORDER: ReferenceOrder = {
  referenceId: ID,
  entity: '00999',
  reference: '017756991',
  type: 'Dynamic',
  amountMinor: 150_000,
  currency: 'AOA',
  description: 'Café de Amboim',
  expiresAt: new Date('2026-04-02T09:00:00.000Z'),
};
const WRITTEN = {
  entity: '00999',
  reference: '017756991',
  type: 'DYNAMIC',
  amount: '1500.00',
  currency: 'AOA',
  description: 'Café de Amboim',
  expiresAt: '2026-04-02T09:00:00.000Z',
};
const ACTIVE = { id: ID, ...WRITTEN, status: 'ACTIVE' };

const PAYMENT = {
  transactionId: '177244920100000003',
  entity: '00999',
  reference: '017756991',
  amount: '1500.00',
  currency: 'AOA',
  paidAt: '2026-03-02T09:00:01.000Z',
  period: '20514',
  number: '9',
  terminal: { type: 'ATM', id: '0000012345', location: 'Luanda Ilha' },
  nib: '004400006729503010102',
  bank: 'Banco da Baía',
};
const READ = {
  providerRef: '177244920100000003',
  entity: '00999',
  reference: '017756991',
  amountMinor: 150_000,
  currency: 'AOA',
  occurredAt: new Date('2026-03-02T09:00:01.000Z'),
  details: {
    clearingPeriod: '20514',
    transactionNumber: '9',
    terminalType: 'ATM',
    terminalId: '0000012345',
    terminalLocation: 'Luanda Ilha',
    nib: '004400006729503010102',
    bank: 'Banco da Baía',
  },
};

/** Changes that make a payment of the rail unreadable. */
const UNREADABLE: [string, unknown][] = [
  ['no id', { transactionId: null }],
  ['an id with an exponent', { transactionId: '1.77e17' }],
  ['an id of 19 digits', { transactionId: '1'.repeat(19) }],
  ['an amount with a comma', { amount: '1500,00' }],
  ['a negative amount', { amount: '-1500.00' }],
  ['an amount beyond its currency', { amount: '1500.005' }],
  ['no amount', { amount: null }],
  ['an invalid currency', { currency: 'Kz' }],
  ['an entity of 4 digits', { entity: '0999' }],
  ['an entity of 6 digits', { entity: '009991' }],
  ['digits of an entity after something else', { entity: 'x00999' }],
  ['an entity as a number', { entity: 10_999 }],
  ['a reference of 8 digits', { reference: '17756991' }],
  ['a reference of 16 digits', { reference: '1'.repeat(16) }],
  ['a reference as a number', { reference: 177_569_910 }],
  ['a reference with spaces', { reference: '017 756 991' }],
  ['a day without a time', { paidAt: '2026-03-02' }],
  ['a time without an offset', { paidAt: '2026-03-02T09:00:01.000' }],
  ['no time', { paidAt: null }],
];

const answer = (body: unknown, status = 200) => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const news = (payment: unknown, more = {}) =>
  JSON.stringify({ id: 'n-1', type: 'reference_payment', createdAt: PAYMENT.paidAt, payment, ...more });

describe('a payment in the PPR rail’s JSON', () => {
  test('has its amount, time, terminal and account', () => {
    expect(readPayment(PAYMENT)).toEqual(READ);
  });

  test('keeps every digit of numbers, and has one transaction id for every spelling', () => {
    const body = news(PAYMENT)
      .replace('"177244920100000003"', '177244920100000003')
      .replace('"1500.00"', '1500.0')
      .replace('"20514"', '20514')
      .replace('"9"', '9')
      .replace('"n-1"', '900719925474099399');
    expect(readReferenceNotification(body)).toEqual({
      notificationId: '900719925474099399',
      about: 'reference',
      payment: READ,
    });
    const ids = ['12345', '000012345', 12345].map((transactionId) => news({ ...PAYMENT, transactionId }));
    expect(ids.map((text) => paymentOf(text)?.providerRef)).toEqual(['12345', '12345', '12345']);
    expect(readPayment({ ...PAYMENT, transactionId: '0' })?.providerRef).toBe('0');
  });

  test('keeps leading zeros of entity, reference, terminal and account', () => {
    const terminal = { ...PAYMENT.terminal, id: '0000000000' };
    const zeros = { ...PAYMENT, entity: '00001', reference: '000000000000001', terminal, nib: '000600000000000000001' };
    expect(readPayment(zeros)).toMatchObject({
      entity: '00001',
      reference: '000000000000001',
      details: { terminalId: '0000000000', nib: '000600000000000000001' },
    });
  });

  test('omits missing and unprintable details', () => {
    const { transactionId, entity, reference, amount, currency, paidAt } = PAYMENT;
    const bare = { transactionId, entity, reference, amount, currency, paidAt };
    expect(readPayment(bare)).toEqual({ ...READ, details: {} });
    const odd = {
      ...bare,
      nib: null,
      bank: '',
      period: {},
      number: [],
      terminal: { location: 'Ilha\u202e', id: '\0' },
    };
    expect(readPayment(odd)).toEqual({ ...READ, details: {} });
    const place = readPayment({ ...bare, terminal: { type: 'ATM', location: 'Uíge' } });
    expect(place?.details).toEqual({ terminalType: 'ATM', terminalLocation: 'Uíge' });
  });

  test('has the same time with the offset of Luanda', () => {
    expect(readPayment({ ...PAYMENT, paidAt: '2026-03-02T10:00:01+01:00' })?.occurredAt).toEqual(READ.occurredAt);
  });

  test('may exceed the largest amount of a creation request', () => {
    expect(readPayment({ ...PAYMENT, amount: '25000000.00' })?.amountMinor).toBe(2_500_000_000);
  });

  test.each(UNREADABLE)(
    'with %s is unreadable: a list keeps its text, and a query returns unknown',
    (_what, change) => {
      const payment = { ...PAYMENT, ...(change as object) };
      expect(readReferenceNotification(news(payment))).toBeNull();
      const payments = [PAYMENT, payment, PAYMENT];
      const page = readPage(answer({ payments, next: '3' }));
      expect(page).toMatchObject({ result: 'told', payments: [READ, READ], next: '3' });
      expect(page.unreadable.map((text) => JSON.parse(text))).toEqual([payment]);
      expect(readReferenceAnswer(answer({ ...ACTIVE, payments }), ID)).toEqual({ result: 'unknown', payments: [] });
    },
  );

  test('is either readable or kept as text in any list', () => {
    const good = fc.integer({ min: 1, max: 10 ** 12 }).map((id) => ({ ...PAYMENT, transactionId: String(id) }));
    const odd = fc.jsonValue();
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: good }, odd), { maxLength: 20 }), (payments) => {
        const isGood = (entry: unknown) => typeof entry === 'object' && entry !== null && 'transactionId' in entry;
        const page = readPage(answer({ payments, next: '7' }));
        const refs = page.payments.map(({ providerRef }) => providerRef);
        expect(page).toMatchObject({ result: 'told', next: '7' });
        expect(refs).toEqual(payments.filter(isGood).map((entry) => (entry as typeof PAYMENT).transactionId));
        expect(refs.length + page.unreadable.length).toBe(payments.length);
      }),
    );
  });
});

describe('readPage', () => {
  test('returns the payments in order, and the next cursor', () => {
    const second = { ...PAYMENT, transactionId: '7' };
    const page = readPage(answer({ payments: [PAYMENT, second], next: '43' }));
    expect(page).toEqual({
      result: 'told',
      payments: [READ, { ...READ, providerRef: '7' }],
      unreadable: [],
      next: '43',
    });
    expect(readPage(answer({ payments: [], next: 41 }))).toMatchObject({ result: 'told', payments: [], next: '41' });
  });

  test.each<[string, unknown, number?]>([
    ['no cursor', { payments: [PAYMENT] }],
    ['a cursor of 257 characters', { payments: [PAYMENT], next: 'x'.repeat(257) }],
    ['no list', { payments: null, next: '1' }],
    ['nothing', ''],
    ['an array', []],
    ['no JSON', '<html>'],
    ['an error', { payments: [], next: '1' }, 500],
    ['a refusal', { payments: [], next: '1' }, 404],
    ['a redirect', { payments: [], next: '1' }, 302],
  ])('returns unknown for %s', (_what, body, status) => {
    expect(readPage(answer(body, status))).toEqual({ result: 'unknown', payments: [], unreadable: [], next: null });
  });
});

describe('readReferenceNotification', () => {
  test('returns its id and the payment', () => {
    expect(readReferenceNotification(news(PAYMENT))).toEqual({
      notificationId: 'n-1',
      about: 'reference',
      payment: READ,
    });
  });

  test.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['an array', '[]'],
    ['60 000 levels', '['.repeat(60_000)],
    ['another type', news(PAYMENT, { type: 'purchase' })],
    ['no id', news(PAYMENT, { id: null })],
    ['no payment', news(null)],
  ])('returns null for %s', (_what, body) => expect(readReferenceNotification(body)).toBeNull());
});

describe('readRegistration', () => {
  const read = (body: unknown, status = 200) => readRegistration(answer(body, status), ID);

  test.each([
    ['ACTIVE', 'active'],
    ['PAID', 'ended'],
    ['EXPIRED', 'ended'],
    ['WITHDRAWN', 'ended'],
  ])('returns %s as %s', (status, result) => {
    expect(read({ ...ACTIVE, status })).toEqual({ result, details: { railStatus: status } });
    expect(read({ ...ACTIVE, status }, 201)).toEqual({ result, details: { railStatus: status } });
    expect(read({ id: ID, status })).toEqual({ result, details: { railStatus: status } });
  });

  test.each([
    [{ ...ACTIVE, status: 'PAUSED' }, 'status_unknown'],
    [{ ...ACTIVE, status: 'active' }, 'status_unknown'],
    [{ ...ACTIVE, status: 'constructor' }, 'status_unknown'],
    [{ ...ACTIVE, status: null }, 'unreadable'],
    [{ ...ACTIVE, id: OTHER }, 'other_reference'],
    [{ status: 'ACTIVE' }, 'unreadable'],
    ['<html>', 'unreadable'],
    ['', 'unreadable'],
    ['null', 'unreadable'],
  ])('returns unknown for %j: %s', (body, reason) => {
    expect(read(body)).toMatchObject({ result: 'unknown', details: { reason } });
  });

  test('returns taken only for 409 with the code REFERENCE_TAKEN', () => {
    expect(read({ code: 'REFERENCE_TAKEN' }, 409)).toEqual({
      result: 'taken',
      details: { reason: 'REFERENCE_TAKEN', httpStatus: '409', railCode: 'REFERENCE_TAKEN' },
    });
    expect(read({ code: 'REFERENCE_TAKEN' }, 400).result).toBe('refused');
    expect(read({ code: 'REFERENCE_TAKEN' }, 500).result).toBe('unknown');
  });

  test.each([
    [400, 'BAD_REQUEST', 'BAD_REQUEST'],
    [403, null, 'rail_refused'],
    [404, null, 'rail_refused'],
    [409, 'REFERENCE_CHANGED', 'REFERENCE_CHANGED'],
    [422, 'NO_ENTITY', 'NO_ENTITY'],
  ])('returns refused for %i %s: %s', (status, code, reason) => {
    expect(read({ code }, status)).toMatchObject({
      result: 'refused',
      details: { reason, httpStatus: String(status) },
    });
  });

  test.each([401, 408, 425, 429])('returns unknown for %i', (status) => {
    const unknown = { result: 'unknown', details: { reason: 'rail_refused', httpStatus: String(status) } };
    expect(read({ code: 'BAD_SIGNATURE' }, status)).toMatchObject(unknown);
  });

  test.each([204, 302, 500, 502, 503, 504])('returns unknown for %i with the body of a registration', (status) => {
    expect(read(ACTIVE, status)).toMatchObject({ result: 'unknown', details: { reason: 'rail_error' } });
  });
});

describe('readReferenceAnswer', () => {
  const read = (body: unknown, status = 200) => readReferenceAnswer(answer(body, status), ID);

  test('returns every payment in every status of the reference', () => {
    for (const status of ['ACTIVE', 'PAID', 'EXPIRED', 'WITHDRAWN', 'SOMETHING_NEW']) {
      expect(read({ ...ACTIVE, status, payments: [PAYMENT] })).toEqual({ result: 'told', payments: [READ] });
    }
    expect(read({ id: ID, status: 'WITHDRAWN', payments: [] })).toEqual({ result: 'told', payments: [] });
  });

  test('returns not_found only for 404 with the code UNKNOWN_REFERENCE', () => {
    expect(read({ code: 'UNKNOWN_REFERENCE' }, 404)).toEqual({ result: 'not_found', payments: [] });
    for (const [body, status] of [
      [{ code: 'UNKNOWN_REFERENCE' }, 500],
      [{ code: 'UNKNOWN_PURCHASE' }, 404],
      ['<html>nginx', 404],
      [{ ...ACTIVE, payments: [] }, 503],
    ] as const) {
      expect(read(body, status)).toEqual({ result: 'unknown', payments: [] });
    }
  });

  test.each([
    ['another reference', { ...ACTIVE, id: OTHER, payments: [PAYMENT] }],
    ['no list', ACTIVE],
    ['no JSON', '<html>'],
  ])('returns unknown for %s', (_what, body) => expect(read(body)).toEqual({ result: 'unknown', payments: [] }));
});

describe('writeReference', () => {
  test('writes digits and amount as text, and equal bytes for equal orders', () => {
    expect(JSON.parse(writeReference(ORDER))).toEqual(WRITTEN);
    expect(writeReference(ORDER)).toBe(writeReference({ ...ORDER }));
    expect(JSON.parse(writeReference({ ...ORDER, amountMinor: 5, currency: 'JPY' })).amount).toBe('5');
  });

  test('writes null for an open amount', () => {
    const open = { ...ORDER, type: 'Charging' as const, amountMinor: 0, description: null };
    expect(JSON.parse(writeReference(open))).toEqual({ ...WRITTEN, type: 'CHARGING', amount: null, description: null });
  });
});

test('examples in docs/rail.md equal the values of this file', () => {
  const blocks = readFileSync(new URL('../../../docs/rail.md', import.meta.url), 'utf8').split('```');
  const findExample = (word: string) => {
    const block = blocks.find((text, at) => at % 2 === 1 && text.includes(word)) as string;
    return JSON.parse(block.slice(block.indexOf('{\n')));
  };
  expect(findExample(`PUT {PPR_URL}/v1/references/${ID}`)).toEqual(WRITTEN);
  expect(findExample('201\n{\n  "id": "0198f3a2-7c11-7e55-9d20-6a1f0c3b9e07"')).toEqual(ACTIVE);
  expect(findExample('"transactionId": "177244920100000003"')).toEqual(PAYMENT);
});
