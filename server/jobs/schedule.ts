// The schedule of queries to a rail about an order without an outcome, and the longest duration of a call.
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';

/** Returns the lease of a call to a GPO rail: the timeout plus a margin. Only then may another run query the rail. */
export function leaseMs(config: { GPO_TIMEOUT_S: number }): number {
  return config.GPO_TIMEOUT_S * 1000 + MARGIN_MS;
}

/** Returns the lease of a call to a PPR rail: the timeout plus a margin. */
export function pprLeaseMs(config: { PPR_TIMEOUT_S: number }): number {
  return config.PPR_TIMEOUT_S * 1000 + MARGIN_MS;
}

const MARGIN_MS = 5_000;

const EARLY_MS = [2_000, 5_000, 15_000, 30_000];
const GIVE_UP_MS = 72 * HOUR_MS;

/**
 * Returns the time of the next query to the rail: 2, 5, 15 and 30 s after `since`, and `alsoMs` after it.
 * Later queries follow each minute for an hour, then each hour for 3 days.
 * After 3 days the result is null: polling ends, and the order needs manual review.
 */
export function nextQueryAt(since: Date, now: Date, alsoMs: number[] = []): Date | null {
  const ageMs = now.getTime() - since.getTime();
  const at = (ms: number) => new Date(since.getTime() + ms);
  const early = [...EARLY_MS, ...alsoMs].sort((a, b) => a - b).find((ms) => ms > ageMs);
  if (early !== undefined) return at(early);
  if (ageMs < HOUR_MS) return at(ageMs + MINUTE_MS);
  if (ageMs < GIVE_UP_MS) return at(ageMs + HOUR_MS);
  return null;
}
