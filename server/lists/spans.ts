// Splits a time span into whole days and hours, which have counts, and two ends of less than an hour without counts.
import type { ListCount } from './entities.ts';
import { DAY_MS, HOUR_MS } from '../../shared/durations.ts';

/** A time span from `from` (inclusive) to `to` (exclusive). An absent bound is open. */
export type Span = { from?: Date | undefined; to?: Date | undefined };

/** A span with counts of one grain, from `low` (inclusive) to `high` (exclusive) in milliseconds since 1970. */
export type CountedSpan = { grain: ListCount['grain']; low: number; high: number };

/** Returns whole days, the whole hours before and after them, and the ends, whose rows are counted one by one. */
export function splitSpan({ from, to }: Span): { whole: CountedSpan[]; ends: Span[] } {
  if (!from && !to) return { whole: [{ grain: 'all', low: -Infinity, high: Infinity }], ends: [] };
  const fromMs = from?.getTime() ?? -Infinity;
  const toMs = to?.getTime() ?? Infinity;
  const low = Math.ceil(fromMs / HOUR_MS) * HOUR_MS;
  const high = Math.floor(toMs / HOUR_MS) * HOUR_MS;
  if (low > high) return { whole: [], ends: [{ from, to }] };
  const ends: Span[] = [];
  if (fromMs < low) ends.push({ from, to: new Date(low) });
  if (toMs > high) ends.push({ from: new Date(high), to });
  const firstDay = Math.min(Math.ceil(low / DAY_MS) * DAY_MS, high);
  const lastDay = Math.max(Math.floor(high / DAY_MS) * DAY_MS, firstDay);
  const whole: CountedSpan[] = [
    { grain: 'hour', low, high: firstDay },
    { grain: 'day', low: firstDay, high: lastDay },
    { grain: 'hour', low: lastDay, high },
  ];
  return { whole: whole.filter((span) => span.low < span.high), ends };
}
