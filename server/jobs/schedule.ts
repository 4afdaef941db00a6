// How often the gateway queries a rail about an order without a final outcome, and how long a call may take.
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';

/** The lease of a call to a GPO rail: its timeout and a margin. Another run queries the rail only after it. */
export function leaseMs(config: { GPO_TIMEOUT_S: number }): number {
  return config.GPO_TIMEOUT_S * 1000 + MARGIN_MS;
}

/** The lease of a call to the PPR rail: its timeout and a margin. */
export function pprLeaseMs(config: { PPR_TIMEOUT_S: number }): number {
  return config.PPR_TIMEOUT_S * 1000 + MARGIN_MS;
}

const MARGIN_MS = 5_000;

const EARLY_MS = [2_000, 5_000, 15_000, 30_000];
const GIVE_UP_MS = 72 * HOUR_MS;

/**
 * Returns when to query the rail next: 2, 5, 15 and 30 s after `since`, and `alsoMs` after it.
 * Later queries follow each minute for an hour, then each hour for 3 days.
 * After 3 days it returns null: polling ends, and the order needs manual review.
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
