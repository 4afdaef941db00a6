// Moments and days in the forms of RFC 3339 and ISO 8601.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastMoment, moment } from '../../../server/http/fields.ts';
import { readDay, readMoment } from '../../../shared/moment.ts';
import { refuseQuery } from '../../support/declared.ts';

describe('readMoment', () => {
  test.each([
    '2026-11-30T10:00:00Z',
    '2026-11-30t10:00:00.000z',
    '2026-11-30 11:00:00+01:00',
    '2026-11-30T11:00:00+0100',
    '2026-11-30T11:00:00+01',
    '2026-11-30T11:00:00 +01:00',
    '2026-11-30T11:00:00 01:00',
    '2026-11-30T09:00:00\u221201:00',
    '2026-11-30T10:00:00-00:00',
    '2026-11-30T10:00:00,000Z',
    '2026-11-30T10:00:00.000000000Z',
    '2026-11-30T10:00Z',
    '2026-11-30T10Z',
    '20261130T100000Z',
    '20261130T1000Z',
    '2026-W49-1T10:00Z',
    '2026W491T1000Z',
    '2026-334T10:00Z',
    '2026334T10:00Z',
    ' 2026-11-30T10:00:00Z ',
  ])('reads %j', (text) => {
    expect(readMoment(text)?.toISOString()).toBe('2026-11-30T10:00:00.000Z');
  });

  test.each([
    ['2026-11-30T10:00:00,5Z', '2026-11-30T10:00:00.500Z'],
    ['2026-11-30T24:00:00Z', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00.000Z'],
    ['2027-01-01T00:59:60+01:00', '2027-01-01T00:00:00.000Z'],
    ['2026-W53-5T00Z', '2027-01-01T00:00:00.000Z'],
    ['2027-W01-1T00Z', '2027-01-04T00:00:00.000Z'],
    ['2024-366T00Z', '2024-12-31T00:00:00.000Z'],
  ])('reads %s as %s', (text, at) => {
    expect(readMoment(text)?.toISOString()).toBe(at);
  });

  test.each([
    '2026-11-30',
    '2026-11-30T10:00:00',
    '2026-02-30T10:00Z',
    '2026-11-31T10:00Z',
    '2026-13-01T10:00Z',
    '2026-00-01T10:00Z',
    '2026-11-00T10:00Z',
    '2026-11-30T24:01Z',
    '2026-11-30T10:60Z',
    '2026-11-30T10:59:60Z',
    '2026-11-30T10:00:61Z',
    '2026-11-30T10:00:00+24:00',
    '2026-11-30T10:00:00+01:60',
    '2026-11-30T10:00:00.Z',
    '2026-11-30T10:00:00+1',
    '2026-1130T10:00Z',
    '2026-1-1T10:00Z',
    '26-11-30T10:00Z',
    '30/11/2026T10:00Z',
    '2027-W53-1T00Z',
    '2026-W00-1T00Z',
    '2026-W49-8T00Z',
    '2026-366T00Z',
    '2026-000T00Z',
    '1764493200',
    'Z',
    'T10:00Z',
    '',
  ])('refuses %j', (text) => {
    expect(readMoment(text)).toBeNull();
  });

  test('reads the ISO 8601 text of any moment back', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (at) => {
        expect(readMoment(at.toISOString())).toEqual(at);
        expect(readMoment(at.toISOString().replace(/[-:]/g, '').replace('T', ' ').toLowerCase())).toEqual(at);
      }),
    );
  });

  test('accepts only years of four digits in a request', () => {
    expect(moment.safeParse('0000-01-01T00:00:00Z').success).toBe(false);
    expect(refuseQuery('listPayments', 'from=9999-12-31T23:59:59-14:00').faults).toEqual(['/query/from invalid_date']);
    expect(refuseQuery('listPayments', 'from=2026-11-30T10:00:00%2B0100&to=20261130T10Z').code).toBeNull();
  });

  test('reads a day without a time as the end of the day in Luanda', () => {
    for (const text of ['2026-11-30', '20261130', '2026-W49-1', '2026-334'])
      expect(lastMoment.parse(text)).toEqual(new Date('2026-11-30T22:59:59.999Z'));
  });
});

test.each([
  ['2026-11-30', '2026-11-30'],
  ['20261130', '2026-11-30'],
  ['2026-W49-1', '2026-11-30'],
  ['2026-334', '2026-11-30'],
  ['2026-02-29', null],
  ['30/11/2026', null],
  ['2026-11', null],
])('readDay reads %s as %s', (text, day) => {
  expect(readDay(text)).toBe(day);
});
