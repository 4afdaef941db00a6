// Spans of time, cut into days and hours that have counts and the ends within an hour that have none.
import type { ListCount } from './entities.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** At or after `from` and before `to`. */
export type Span = { from?: Date | undefined; to?: Date | undefined };

/** Counts of a grain at or after `low` and before `high`, as texts for the database. */
export type Whole = { grain: ListCount['grain']; low: string; high: string };

/** Whole days, the whole hours around them, and the ends, whose rows are counted one by one. */
export function cutSpan({ from, to }: Span): { whole: Whole[]; ends: Span[] } {
  if (!from && !to) return { whole: [wholeOf('all', -Infinity, Infinity)], ends: [] };
  const low = ceil(from?.getTime() ?? -Infinity, HOUR_MS);
  const high = floor(to?.getTime() ?? Infinity, HOUR_MS);
  if (low > high) return { whole: [], ends: [{ from, to }] };
  const ends = [
    ...(from && from.getTime() < low ? [{ from, to: new Date(low) }] : []),
    ...(to && to.getTime() > high ? [{ from: new Date(high), to }] : []),
  ];
  const days = { low: ceil(low, DAY_MS), high: floor(high, DAY_MS) };
  const hasDays = days.low < days.high;
  const whole = hasDays
    ? [wholeOf('hour', low, days.low), wholeOf('day', days.low, days.high), wholeOf('hour', days.high, high)]
    : [wholeOf('hour', low, high)];
  return { whole: whole.filter((span) => span.low !== span.high), ends };
}

const ceil = (ms: number, step: number) => Math.ceil(ms / step) * step;
const floor = (ms: number, step: number) => Math.floor(ms / step) * step;
const wholeOf = (grain: Whole['grain'], low: number, high: number): Whole => ({
  grain,
  low: text(low),
  high: text(high),
});

/** `infinity` beyond the years that a request may name. */
function text(ms: number): string {
  if (ms >= Date.UTC(9999, 11, 31, 23)) return 'infinity';
  return ms === -Infinity ? '-infinity' : new Date(ms).toISOString();
}
