// Closed-loop load: so many at once, each going on as soon as it is answered, for a while.

export type Load = { concurrency: number; durationMs: number };
export type Rate = { perSecond: number };

/** Keeps `concurrency` runs of `once` going until the time is over. @throws when one of them fails */
export async function runForAWhile({ concurrency, durationMs }: Load, once: () => Promise<unknown>): Promise<Rate> {
  const startedAt = performance.now();
  const end = startedAt + durationMs;
  let done = 0;
  const runOn = async () => {
    while (performance.now() < end) {
      await once();
      done++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runOn));
  return { perSecond: (done * 1000) / (performance.now() - startedAt) };
}

/** The middle of an odd number of figures. */
export function medianOf(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}

/** The figure that `share` of all are at or below. */
export function percentileOf(figures: number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

const TIMES = 60;

/** Milliseconds that one takes, the median of many, the first of which warm up. */
export async function timeOf(once: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < TIMES; nth++) {
    const startedAt = performance.now();
    await once();
    if (nth >= TIMES / 6) took.push(performance.now() - startedAt);
  }
  return medianOf(took);
}
