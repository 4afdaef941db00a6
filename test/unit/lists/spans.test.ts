// Counts are stored by day and hour. A span of time is divided into whole days, whole hours and the rest.
import { expect, test } from 'vitest';
import { splitSpan } from '../../../server/lists/spans.ts';

const show = (from: string | null, to: string | null) => {
  const { whole, ends } = splitSpan({ ...(from && { from: new Date(from) }), ...(to && { to: new Date(to) }) });
  const text = (at: number) =>
    Number.isFinite(at) ? new Date(at).toISOString().replace(':00.000Z', '').replace('2026-', '') : String(at);
  return [
    ...whole.map(({ grain, low, high }) => `${grain} ${text(low)} ${text(high)}`),
    ...ends.map((end) => `rows ${text(end.from!.getTime())} ${text(end.to!.getTime())}`),
  ];
};

test.each<[string | null, string | null, string[]]>([
  [null, null, ['all -Infinity Infinity']],
  [
    '2026-03-01T10:30:00Z',
    null,
    ['hour 03-01T11:00 03-02T00:00', 'day 03-02T00:00 Infinity', 'rows 03-01T10:30 03-01T11:00'],
  ],
  [
    null,
    '2026-03-03T01:20:00Z',
    ['day -Infinity 03-03T00:00', 'hour 03-03T00:00 03-03T01:00', 'rows 03-03T01:00 03-03T01:20'],
  ],
  ['2026-03-01T00:00:00Z', '2026-03-03T00:00:00Z', ['day 03-01T00:00 03-03T00:00']],
  ['2026-03-01T22:00:00Z', '2026-03-02T02:00:00Z', ['hour 03-01T22:00 03-02T00:00', 'hour 03-02T00:00 03-02T02:00']],
  ['2026-03-01T12:00:00Z', '2026-03-01T14:00:00Z', ['hour 03-01T12:00 03-01T14:00']],
  ['2026-03-01T22:10:00Z', '2026-03-01T22:50:00Z', ['rows 03-01T22:10 03-01T22:50']],
  ['2026-03-01T21:50:00Z', '2026-03-01T22:50:00Z', ['rows 03-01T21:50 03-01T22:00', 'rows 03-01T22:00 03-01T22:50']],
  ['2026-03-01T22:00:00Z', '2026-03-01T22:00:00Z', []],
])('the span from %s to %s is divided into months, days, hours and the rest', (from, to, cut) => {
  expect(show(from, to)).toEqual(cut);
});
