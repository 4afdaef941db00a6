import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  capitalizeMonth,
  countDays,
  dayOf,
  endOf,
  isDay,
  monthAfter,
  monthOf,
  showSpanOn,
  showTimeOn,
  startOf,
} from '../../../shared/luanda.ts';

test.each([
  ['2026-11-30T22:59:59.999Z', '2026-11', '2026-11-30'],
  ['2026-11-30T23:00:00.000Z', '2026-12', '2026-12-01'],
  ['2026-11-30T23:30:00.000Z', '2026-12', '2026-12-01'],
  ['2026-12-31T23:00:00.000Z', '2027-01', '2027-01-01'],
  ['2028-02-29T12:00:00.000Z', '2028-02', '2028-02-29'],
  ['2028-02-29T23:00:00.000Z', '2028-03', '2028-03-01'],
])('%s lies in Luanda in the month %s, on the day %s', (at, month, day) => {
  expect(monthOf(new Date(at))).toBe(month);
  expect(dayOf(new Date(at))).toBe(day);
});

test.each([
  ['2026-11', '2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z', '2026-12'],
  ['2026-12', '2026-11-30T23:00:00.000Z', '2026-12-31T23:00:00.000Z', '2027-01'],
  ['2026-02', '2026-01-31T23:00:00.000Z', '2026-02-28T23:00:00.000Z', '2026-03'],
  ['2028-02', '2028-01-31T23:00:00.000Z', '2028-02-29T23:00:00.000Z', '2028-03'],
])('the month %s in Luanda lasts from %s to %s', (month, start, end, after) => {
  expect(startOf(month).toISOString()).toBe(start);
  expect(endOf(month).toISOString()).toBe(end);
  expect(monthAfter(month)).toBe(after);
});

test.each([
  ['novembro de 2026', 'Novembro de 2026'],
  ['26 de maio de 2026 às 14:35', '26 de Maio de 2026 às 14:35'],
])('the month of %s has a capital letter', (date, capital) => {
  expect(capitalizeMonth(date)).toBe(capital);
});

test.each([
  ['2026-11-26T23:00:00.000Z', '00:00'],
  ['2026-11-27T22:59:59.999Z', '23:59'],
  ['2026-11-26T22:59:59.999Z', '26/11/2026 23:59'],
  ['2026-11-27T23:00:00.000Z', '28/11/2026 00:00'],
])('%s is shown on 27/11/2026 as %s', (at, shown) => {
  expect(showTimeOn('2026-11-27', new Date(at))).toBe(shown);
});

test.each([
  ['2026-11-27T08:00:00Z', '2026-11-27T17:00:00Z', '09:00 – 18:00'],
  ['2026-11-27T08:00:00Z', null, '09:00 – …'],
  ['2026-11-27T08:00:00Z', '2026-11-28T01:00:00Z', '09:00 – 28/11/2026 02:00'],
  ['2026-11-26T08:00:00Z', '2026-11-27T17:00:00Z', '26/11/2026 09:00 – 27/11/2026 18:00'],
  ['2026-11-26T08:00:00Z', '2026-11-26T20:00:00Z', '26/11/2026 09:00 – 21:00'],
  ['2026-11-24T08:00:00Z', null, '24/11/2026 09:00 – …'],
])('the span from %s to %s is shown on 27/11/2026 as %s', (from, to, shown) => {
  expect(showSpanOn('2026-11-27', new Date(from), to === null ? null : new Date(to))).toBe(shown);
});

const moment = fc.date({
  min: new Date('2000-01-02T00:00:00Z'),
  max: new Date('2199-12-30T00:00:00Z'),
  noInvalidDate: true,
});

test('the month and the day of a moment agree with Intl for Africa/Luanda', () => {
  const intl = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Africa/Luanda', dateStyle: 'short' });
  fc.assert(
    fc.property(moment, (at) => {
      const day = dayOf(at);
      expect(day).toBe(intl.format(at));
      expect(isDay(day)).toBe(true);
      const month = monthOf(at);
      expect(startOf(month) <= at && at < endOf(month)).toBe(true);
      expect(startOf(day) <= at && at < startOf(addDays(day, 1))).toBe(true);
      expect(endOf(month)).toEqual(startOf(monthAfter(month)));
    }),
  );
});

test('addDays and countDays calculate correctly across months and leap days', () => {
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
  fc.assert(
    fc.property(moment, fc.integer({ min: -400, max: 400 }), (at, count) => {
      const day = dayOf(at);
      expect(countDays(day, addDays(day, count))).toBe(count);
    }),
  );
});

describe('isDay', () => {
  test.each(['2026-11-30', '2028-02-29', '2000-01-01', '2199-12-31'])('accepts %s', (text) =>
    expect(isDay(text)).toBe(true),
  );
  test.each([
    '2026-02-29',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '2026-11-30T00:00:00Z',
    '30-11-2026',
    '1999-12-31',
    '2200-01-01',
    '',
    ' 2026-11-30',
    '٢٠٢٦-11-30',
  ])('rejects %j', (text) => expect(isDay(text)).toBe(false));
});
