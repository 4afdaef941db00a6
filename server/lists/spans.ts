// Spans of time, cut into days and hours that have counts and the ends within an hour that have none.
import type { ListCount } from './entities.ts';
import { DAY_MS, HOUR_MS } from '../../shared/durations.ts';

/** At or after `from` and before `to`. */
export type Span = { from?: Date | undefined; to?: Date | undefined };

/** Counts of a grain at or after `low` and before `high`, in milliseconds of the epoch. */
export type Whole = { grain: ListCount['grain']; low: number; high: number };

/** Whole days, the whole hours around them, and the ends, whose rows are counted one by one. */
export function cutSpan({ from, to }: Span): { whole: Whole[]; ends: Span[] } {
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
  const whole: Whole[] = [
    { grain: 'hour', low, high: firstDay },
    { grain: 'day', low: firstDay, high: lastDay },
    { grain: 'hour', low: lastDay, high },
  ];
  return { whole: whole.filter((span) => span.low < span.high), ends };
}
