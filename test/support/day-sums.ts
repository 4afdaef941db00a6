// Adds up the money of a shop from its movements, and compares each sum of shifts, days and files with them.
import { expect } from 'vitest';
import type { PaymentMethod } from '../../shared/methods.ts';
import { SHIFT_METHOD_OF } from '../../shared/shift.ts';
import { cents, readAll } from './books.ts';
import { readCsv } from './csv.ts';

/** Reads an answer of the API as a person who reads all shifts. */
export type ReadApi = (path: string, headers?: Record<string, string>) => Promise<{ json: any; text: string }>;

/** A movement, with the person and the shift that it counts for. Amounts are in cêntimos. */
type Counted = {
  day: string;
  method: PaymentMethod;
  currency: string;
  /** The id of the person who charged or refunded. Null for a payer or an API client. */
  cashier: string | null;
  shift: string | null;
  taken: number;
  fees: number;
  refunded: number;
  manual: number;
};

/** Reads all movements. A movement counts in the shift of its person if it was recorded before the shift's close. */
async function readMovements(read: ReadApi, shifts: any[]): Promise<Counted[]> {
  const settlements = await readAll(read, '/api/settlements?limit=100');
  const dayOf = (movement: any) =>
    settlements.find(
      ({ account, clearingPeriod, currency }) =>
        account.id === movement.account.id &&
        clearingPeriod === movement.clearingPeriod &&
        currency === movement.currency,
    )?.day;
  const refunds = new Map((await readAll(read, '/api/refunds?pageSize=100')).map((refund) => [refund.id, refund]));
  const counted: Counted[] = [];
  for (const movement of await readAll(read, '/api/transactions?limit=100')) {
    const { id, paymentId, paymentMethod: method, currency, gross, fee, type, recordedAt } = movement;
    const source = refunds.get(id) ?? (await read(`/api/payments/${paymentId}`)).json;
    const shift = shifts.find((each) => each.id === source.shiftId);
    const isInShift = shift && (!shift.closedAt || recordedAt < shift.closedAt);
    const back = gross < 0 ? cents(-gross) : 0;
    counted.push({
      day: dayOf(movement),
      method,
      currency,
      cashier: source.createdBy,
      shift: isInShift ? shift.id : null,
      taken: gross > 0 ? cents(gross) : 0,
      fees: cents(fee ?? 0),
      refunded: type === 'refund' ? back : 0,
      manual: type === 'manual' ? back : 0,
    });
  }
  return counted;
}

const SUMS = ['taken', 'fees', 'refunded', 'manual'] as const;
type Sums = Record<(typeof SUMS)[number] | 'count', number>;

function add(movements: readonly Counted[]): Sums {
  const sum = (of: (one: Counted) => number) => movements.reduce((total, one) => total + of(one), 0);
  const sums = Object.fromEntries(SUMS.map((name) => [name, sum((one) => one[name])]));
  return { count: movements.length, ...(sums as Record<(typeof SUMS)[number], number>) };
}

const group = (movements: readonly Counted[], keyOf: (one: Counted) => unknown[]) =>
  Object.fromEntries(
    [...Map.groupBy(movements, (one) => keyOf(one).join(' '))].map(([key, own]) => [key, add(own)] as const),
  );

/** The sums of the API in cêntimos, as `add` returns them. */
const shown = ({ count, taken, fees, refunded, refundedByHand }: any): Sums => ({
  count,
  taken: cents(taken),
  fees: cents(fees),
  refunded: cents(refunded),
  manual: cents(refundedByHand),
});

function expectShift(shift: any, movements: readonly Counted[]): void {
  const own = movements.filter((one) => one.shift === shift.id);
  const received = group(
    own.filter(({ taken }) => taken > 0),
    (one) => [SHIFT_METHOD_OF[one.method], one.currency],
  );
  const returned = group(
    own.filter(({ taken }) => taken === 0),
    (one) => [SHIFT_METHOD_OF[one.method], one.currency],
  );
  const keyed = (rows: any[], viewed: (row: any) => Partial<Sums>) =>
    Object.fromEntries(rows.map((row) => [`${row.method} ${row.currency}`, viewed(row)]));
  expect(
    keyed(shift.taken, ({ count, amount, fees }) => ({
      count,
      taken: cents(amount),
      fees: cents(fees),
      refunded: 0,
      manual: 0,
    })),
  ).toEqual(received);
  expect(
    keyed(shift.refunded, ({ count, amount, manual }) => ({
      count,
      taken: 0,
      fees: 0,
      refunded: cents(amount) - cents(manual),
      manual: cents(manual),
    })),
  ).toEqual(returned);
  const { taken, refunded, manual } = add(own);
  const totals = { taken: cents(shift.totals.taken), refunded: cents(shift.totals.refunded) };
  expect({ ...totals, net: cents(shift.totals.net) }).toEqual({
    taken,
    refunded: refunded + manual,
    net: taken - refunded - manual,
  });
  if (!shift.cash) return;
  const { opening, sales, in: added, out, expected, counted, difference } = shift.cash;
  expect(cents(expected)).toBe(cents(opening) + cents(sales) + cents(added) - cents(out));
  if (counted !== null) expect(cents(difference)).toBe(cents(counted) - cents(expected));
}

async function expectDay(read: ReadApi, { day, sums }: any, movements: readonly Counted[]): Promise<void> {
  const own = movements.filter((one) => one.day === day);
  const viewed = (rows: any[], keyOf: (row: any) => unknown[]) =>
    Object.fromEntries(rows.map((row) => [keyOf(row).join(' '), shown(row)]));
  expect(viewed(sums, ({ currency }) => [currency])).toEqual(group(own, ({ currency }) => [currency]));
  const { methods, cashiers, shifts } = (await read(`/api/days/${day}`)).json;
  expect(viewed(methods, ({ method }) => [method])).toEqual(group(own, ({ method }) => [method]));
  const isPerson = ({ cashier }: any) => cashier.kind === 'user';
  const byPeople = own.filter(({ cashier }) => cashier !== null);
  expect(viewed(cashiers.filter(isPerson), ({ cashier }) => [cashier.id])).toEqual(
    group(byPeople, ({ cashier }) => [cashier]),
  );
  expect(
    viewed(
      shifts.filter(({ shift }: any) => shift),
      ({ shift }) => [shift.id],
    ),
  ).toEqual(
    group(
      own.filter(({ shift }) => shift !== null),
      ({ shift }) => [shift],
    ),
  );
}

const total = (rows: Record<string, string>[], name: string) =>
  rows.reduce((sum, row) => sum + cents((row[name] || '0').replace(',', '.')), 0);

async function expectFiles(read: ReadApi, movements: readonly Counted[], shifts: any[]): Promise<void> {
  const file = async (path: string, language: string, dialect: 'excel' | 'rfc4180') => {
    const { text } = await read(`${path}.csv?dialect=${dialect}`, { 'accept-language': language });
    return readCsv(text, dialect === 'excel' ? ';' : ',');
  };
  const { taken, fees, refunded, manual } = add(movements);
  const net = taken - fees - refunded;
  const listed = await file('/api/transactions', 'pt', 'rfc4180');
  expect(listed).toHaveLength(movements.length);
  expect(['Gross', 'Fee', 'Net'].map((name) => total(listed, name))).toEqual([taken - refunded - manual, fees, net]);
  const forPeople = await file('/api/transactions', 'pt', 'excel');
  expect(['Bruto', 'Comissão', 'Líquido'].map((name) => total(forPeople, name))).toEqual([
    taken - refunded - manual,
    fees,
    net,
  ]);
  const payments = await file('/api/payments', 'pt', 'rfc4180');
  expect(['Paid', 'Refunded', 'Fee', 'Net'].map((name) => total(payments, name))).toEqual([
    taken,
    refunded + manual,
    fees,
    net,
  ]);
  const written = new Map((await file('/api/shifts', 'fr', 'rfc4180')).map((row) => [row['Id'], row]));
  for (const { id, totals } of shifts) {
    const row = written.get(id)!;
    expect([row['Taken'], row['Refunded'], row['Net']].map((each) => cents(each!))).toEqual(
      [totals.taken, totals.refunded, totals.net].map(cents),
    );
  }
  const days = await file('/api/days', 'en', 'rfc4180');
  expect(total(days, 'Taken')).toBe(taken);
  expect(total(days, 'Refunded')).toBe(refunded);
}

/** Expects that shifts, cashiers, ways, days and files equal the movements to the cêntimo. Returns the shifts. */
export async function expectDayAddsUp(read: ReadApi): Promise<any[]> {
  const shifts = await readAll(read, '/api/shifts?limit=100');
  const movements = await readMovements(read, shifts);
  for (const shift of shifts) expectShift(shift, movements);
  for (const day of await readAll(read, '/api/days?limit=100')) await expectDay(read, day, movements);
  await expectFiles(read, movements, shifts);
  return shifts;
}
