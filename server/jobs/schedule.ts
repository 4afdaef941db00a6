// When a rail is asked again about what it has not answered (decisions §3, §6).
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';

/** How long a call that began may be under way: another run asks the rail about it only after that. */
export function leaseMs(config: { GPO_TIMEOUT_S: number }): number {
  return config.GPO_TIMEOUT_S * 1000 + MARGIN_MS;
}

/** The same of the PPR rail. */
export function pprLeaseMs(config: { PPR_TIMEOUT_S: number }): number {
  return config.PPR_TIMEOUT_S * 1000 + MARGIN_MS;
}

const MARGIN_MS = 5_000;

const EARLY_MS = [2_000, 5_000, 15_000, 30_000];
const GIVE_UP_MS = 72 * HOUR_MS;

/**
 * 2 s, 5 s, 15 s, 30 s after `since`, and at `alsoMs` after it; then each minute for an hour, hourly for 3 days; then
 * null: a person must look.
 */
export function nextAskAt(since: Date, now: Date, alsoMs: number[] = []): Date | null {
  const ageMs = now.getTime() - since.getTime();
  const at = (ms: number) => new Date(since.getTime() + ms);
  const early = [...EARLY_MS, ...alsoMs].sort((a, b) => a - b).find((ms) => ms > ageMs);
  if (early !== undefined) return at(early);
  if (ageMs < HOUR_MS) return at(ageMs + MINUTE_MS);
  if (ageMs < GIVE_UP_MS) return at(ageMs + HOUR_MS);
  return null;
}
