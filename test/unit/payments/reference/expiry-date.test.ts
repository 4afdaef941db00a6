// The expiry of a reference: the accepted forms of `expiryDate`, and the default of one month.
import { expect, test } from 'vitest';
import { parseExactJson } from '../../../../server/http/json.ts';
import { addMonths } from '../../../../server/payments/reference/number.ts';
import { declaredRoutes, refuseBody } from '../../../support/declared.ts';

const { body } = declaredRoutes.find(({ operationId }) => operationId === 'createReference')!;
const readEnd = (expiryDate: string) =>
  (body!.parse(parseExactJson(JSON.stringify({ amount: 1, expiryDate }))) as { expiryDate: Date }).expiryDate;

test.each([
  ['2026-02-01T10:00:00.123Z', '2026-02-01T10:00:00.123Z'],
  ['2026-02-01T10:00:00-11:30', '2026-02-01T21:30:00.000Z'],
  // A time without an offset is Luanda's local time (UTC+1 all year).
  ['2026-02-01T10:00:00', '2026-02-01T09:00:00.000Z'],
  ['2026-02-01T00:30:00.5', '2026-01-31T23:30:00.500Z'],
  ['2026-02-01 10:00', '2026-02-01T09:00:00.000Z'],
  ['20260201T100000+0100', '2026-02-01T09:00:00.000Z'],
  // A date without a time means the last moment of that day in Luanda.
  ['20260201', '2026-02-01T22:59:59.999Z'],
  ['2028-02-29', '2028-02-29T22:59:59.999Z'],
  ['9999-12-31', '9999-12-31T22:59:59.999Z'],
])('expiryDate %s is the moment %s', (expiryDate, moment) => {
  expect(readEnd(expiryDate).toISOString()).toBe(moment);
});

const INVALID = `|tomorrow|2026|2026-03|2026-02-30|2026-02-29T10:00:00Z|2026-13-01T10:00:00Z|2026-03-01T24:01:00Z
|2026-03-01T10:60:00Z|2026-03-01T10:00:00+25:00|01/03/2026|2026-0301T100000Z|+010000-01-01T00:00:00Z|0000-01-01
|2026-03-01T10:00:00Z Z|9999-12-31T23:59:59-14:00`;

// In UTC the last of these values lies in the year 10000, which the database does not store.
test.each(INVALID.split('|'))('expiryDate %j is invalid', (expiryDate) => {
  expect(refuseBody('createReference', { amount: 1, expiryDate }).faults).toEqual(['/expiryDate invalid_expiry']);
});

test.each([
  ['2026-01-31', '2026-02-28'],
  ['2026-03-31', '2026-04-30'],
  ['2026-04-30', '2026-05-30'],
  ['2026-12-31', '2027-01-31'],
  ['2028-01-31', '2028-02-29'],
  ['2028-02-29', '2028-03-29'],
])('one month after %s is %s', (from, to) => {
  expect(addMonths(new Date(`${from}T10:00:00.000Z`), 1).toISOString()).toBe(`${to}T10:00:00.000Z`);
});
