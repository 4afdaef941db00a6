import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../../server/http/validate.ts';
import { dayQuery, rangeQuery, readDay, readRange, readSpan, spanOf } from '../../../server/sms/history.ts';

/** Returns `pointer code` of each fault of the query. */
function faultsIn(schema: typeof dayQuery | typeof rangeQuery, query: object): string[] {
  const { error } = schema.safeParse(query);
  return error ? faultsOf(error, query).map(({ pointer, code }) => `${pointer} ${code}`) : [];
}

const iso = ({ from, to }: { from: Date; to: Date }) => [from.toISOString(), to.toISOString()];

function parts(text: string, end = ''): Record<string, string> {
  const values = text.split('/');
  return Object.fromEntries(['dia', 'mes', 'ano'].map((name, nth) => [name + end, values[nth] ?? '']));
}

const range = (first: string, last: string) => ({ ...parts(first, 'Inicio'), ...parts(last, 'Fim') });

describe('readDay', () => {
  test.each([
    [2000, 2, 29, '2000-02-29'],
    [2199, 12, 31, '2199-12-31'],
    [2100, 2, 29, null],
    [2026, 1, 1.5, null],
    [1999, 12, 31, null],
    [2200, 1, 1, null],
    [26, 1, 1, null],
    [Number.NaN, 1, 1, null],
  ])('reads %d-%d-%d as %j', (year, month, day, text) => {
    expect(readDay(year, month, day)).toBe(text);
  });

  test('accepts exactly the existing days of four years', () => {
    const found: string[] = [];
    for (let year = 2025; year < 2029; year++)
      for (let month = 0; month <= 13; month++)
        for (let day = 0; day <= 32; day++) found.push(readDay(year, month, day) ?? '');
    const days = found.filter(Boolean);
    const expected = Array.from({ length: 365 * 4 + 1 }, (_, nth) =>
      new Date(Date.UTC(2025, 0, 1 + nth)).toISOString().slice(0, 10),
    );
    expect(days).toEqual(expected);
  });

  test('returns the span from midnight to midnight in Luanda, which is 23:00 UTC', () => {
    expect(iso(spanOf('2026-03-02'))).toEqual(['2026-03-01T23:00:00.000Z', '2026-03-02T23:00:00.000Z']);
    expect(iso(spanOf('2028-02-28', '2028-03-01'))).toEqual(['2028-02-27T23:00:00.000Z', '2028-03-01T23:00:00.000Z']);
    expect(iso(spanOf('2199-12-31'))).toEqual(['2199-12-30T23:00:00.000Z', '2199-12-31T23:00:00.000Z']);
  });
});

describe('the query of one day', () => {
  test.each(['2/3/2026', '02/03/2026', '02/3/2026'])('reads %s', (text) => {
    const span = readSpan(dayQuery.parse(parts(text)));
    expect(iso(span)).toEqual(['2026-03-01T23:00:00.000Z', '2026-03-02T23:00:00.000Z']);
  });

  test.each<[string, string[]]>([
    ['31/2/2026', ['/dia impossible_date']],
    ['29/2/2028', []],
    ['0/2/2026', ['/dia too_small']],
    ['32/2/2026', ['/dia too_big']],
    ['1/0/2026', ['/mes too_small']],
    ['31/13/2026', ['/mes too_big']],
    ['1/1/1999', ['/ano too_small']],
    ['1/1/2200', ['/ano too_big']],
    ['31/2/26', ['/ano invalid_format']],
    ['001/2/2026', ['/dia invalid_format']],
    ['1.5/2/2026', ['/dia invalid_format']],
    ['-1/2/2026', ['/dia invalid_format']],
    [' 1/2/2026', ['/dia invalid_format']],
    ['1e1/2/2026', ['/dia invalid_format']],
    ['١/2/2026', ['/dia invalid_format']],
    ['1\n/2/2026', ['/dia invalid_format']],
    ['', ['/dia invalid_format', '/mes invalid_format', '/ano invalid_format']],
  ])('reports the faults of %j', (text, faults) => {
    expect(faultsIn(dayQuery, parts(text))).toEqual(faults);
  });

  test('requires day, month and year exactly once', () => {
    expect(faultsIn(dayQuery, {})).toEqual(['/dia required', '/mes required', '/ano required']);
    expect(faultsIn(dayQuery, { dia: '31', mes: '2' })).toEqual(['/ano required']);
    expect(faultsIn(dayQuery, { ...parts('1/2/2026'), dia: ['1', '2'] })).toEqual(['/dia invalid_type']);
  });

  test('reports an impossible day together with other faults', () => {
    const query = { ...parts('31/2/2026'), pageSize: '0', pageNumber: 'x' };
    expect(faultsIn(dayQuery, query)).toEqual([
      '/pageNumber invalid_format',
      '/pageSize too_small',
      '/dia impossible_date',
    ]);
  });
});

describe('the query of a range of days', () => {
  test.each([
    ['2/3/2026', '2/3/2026', '2026-03-01T23:00:00.000Z', '2026-03-02T23:00:00.000Z'],
    ['28/2/2026', '1/3/2026', '2026-02-27T23:00:00.000Z', '2026-03-01T23:00:00.000Z'],
    ['02/03/2026', '2/3/2027', '2026-03-01T23:00:00.000Z', '2027-03-02T23:00:00.000Z'],
    ['1/3/2027', '1/3/2028', '2027-02-28T23:00:00.000Z', '2028-03-01T23:00:00.000Z'],
    ['29/2/2028', '28/2/2029', '2028-02-28T23:00:00.000Z', '2029-02-28T23:00:00.000Z'],
  ])('includes both the first day %s and the last day %s', (first, last, from, to) => {
    expect(iso(readRange(rangeQuery.parse(range(first, last))))).toEqual([from, to]);
  });

  test.each<[string, string, string[]]>([
    ['2/3/2026', '1/3/2026', ['/diaFim range_reversed']],
    ['2/3/2026', '3/3/2027', ['/diaFim range_too_long']],
    ['28/2/2027', '29/2/2028', ['/diaFim range_too_long']],
    ['29/2/2028', '1/3/2029', ['/diaFim range_too_long']],
    ['29/2/2027', '31/2/2026', ['/diaInicio impossible_date', '/diaFim impossible_date']],
    ['32/1/2027', '31/2/2026', ['/diaInicio too_big', '/diaFim impossible_date']],
    ['31/2/2026', '1/13/2026', ['/mesFim too_big', '/diaInicio impossible_date']],
    ['1/3/26', '1/3/2026', ['/anoInicio invalid_format']],
  ])('refuses %s to %s', (first, last, faults) => {
    expect(faultsIn(rangeQuery, range(first, last))).toEqual(faults);
  });

  test('requires day, month and year of both bounds, and checks each bound separately', () => {
    expect(faultsIn(rangeQuery, {})).toEqual(
      ['diaInicio', 'mesInicio', 'anoInicio', 'diaFim', 'mesFim', 'anoFim'].map((name) => `/${name} required`),
    );
    expect(faultsIn(rangeQuery, parts('31/2/2026', 'Fim'))).toEqual([
      ...['diaInicio', 'mesInicio', 'anoInicio'].map((name) => `/${name} required`),
      '/diaFim impossible_date',
    ]);
  });
});
