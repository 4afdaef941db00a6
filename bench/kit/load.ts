// Loads and statistics: closed loops by time or by count, open loops by rate, medians and percentiles.
import { setTimeout as pause } from 'node:timers/promises';

export type TimedLoad = { concurrency: number; durationMs: number };
export type CountedLoad = { concurrency: number; count: number };
export type PacedLoad = { perSecond: number; count: number };

/** Repeats `once` for `durationMs` in `concurrency` parallel loops. Returns runs per second. @throws the first error */
export async function runTimed({ concurrency, durationMs }: TimedLoad, once: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const loop = async () => {
    for (; performance.now() < startedAt + durationMs; done++) await once();
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return (done * 1000) / (performance.now() - startedAt);
}

/** Runs `once` for 0 to `count` - 1, with `concurrency` runs in parallel. */
export async function runCounted<T>(load: CountedLoad, once: (nth: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const loop = async () => {
    while (next < load.count) results.push(await once(next++));
  };
  await Promise.all(Array.from({ length: load.concurrency }, loop));
  return results;
}

/** Starts `once` at a fixed rate, without a wait for earlier runs. */
export async function runPaced(
  { perSecond, count }: PacedLoad,
  once: (nth: number) => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  const runs: Promise<unknown>[] = [];
  for (let nth = 0; nth < count; nth++) {
    const waitMs = startedAt + (nth * 1000) / perSecond - performance.now();
    if (waitMs > 0) await pause(waitMs);
    runs.push(once(nth));
  }
  await Promise.all(runs);
}

export function medianOf(figures: number[]): number {
  return percentileOf(figures, 0.5);
}

/** The percentile `share` of the figures: the smallest figure that is not below this share of all figures. */
export function percentileOf(figures: number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

const TIMES = 60;

/** The median duration of `once` in milliseconds. The first runs only warm up. */
export async function timeOf(once: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let nth = 0; nth < TIMES; nth++) {
    const startedAt = performance.now();
    await once();
    if (nth >= TIMES / 6) durations.push(performance.now() - startedAt);
  }
  return medianOf(durations);
}

/** Opens a clock of the time of day in fractions of a millisecond. Every process and PostgreSQL have the same time. */
export function openWallClock(): () => number {
  let offset = -Infinity;
  for (let round = 0; round < 10; round++) {
    const before = Date.now();
    let now = before;
    while (now === before) now = Date.now();
    // A pause between the two readings only makes the measured difference smaller.
    offset = Math.max(offset, now - performance.now());
  }
  return () => performance.now() + offset;
}
