// Spans of time, cut into days and hours that are counted already and what is left at their ends.
import type { Grain } from './entities.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type Span = { from?: Date | undefined; to?: Date | undefined };

/** From `low` on and before `high`, as the database reads them. */
export type Whole = { grain: Grain; low: string; high: string };

/** Whole days, then whole hours, and the ends within an hour, of which no count is kept. */
export function cutSpan({ from, to }: Span): { whole: Whole[]; ends: Span[] } {
  if (!from && !to) return { whole: [wholeOf('all', -Infinity, Infinity)], ends: [] };
  const hours = { low: ceil(from?.getTime() ?? -Infinity, HOUR_MS), high: floor(to?.getTime() ?? Infinity, HOUR_MS) };
  if (hours.low > hours.high) return { whole: [], ends: [{ from, to }] };
  const ends = [
    ...(from && from.getTime() < hours.low ? [{ from, to: new Date(hours.low) }] : []),
    ...(to && to.getTime() > hours.high ? [{ from: new Date(hours.high), to }] : []),
  ];
  const days = { low: ceil(hours.low, DAY_MS), high: floor(hours.high, DAY_MS) };
  const whole =
    days.low < days.high
      ? [
          wholeOf('hour', hours.low, days.low),
          wholeOf('day', days.low, days.high),
          wholeOf('hour', days.high, hours.high),
        ]
      : [wholeOf('hour', hours.low, hours.high)];
  return { whole: whole.filter(({ low, high }) => low !== high), ends };
}

const ceil = (ms: number, step: number) => Math.ceil(ms / step) * step;
const floor = (ms: number, step: number) => Math.floor(ms / step) * step;
const wholeOf = (grain: Grain, low: number, high: number): Whole => ({ grain, low: textOf(low), high: textOf(high) });

/** Beyond the years that can be asked for there is nothing. */
function textOf(ms: number): string {
  if (ms >= Date.UTC(9999, 11, 31, 23)) return 'infinity';
  return ms === -Infinity ? '-infinity' : new Date(ms).toISOString();
}
