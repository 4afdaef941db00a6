// When the rail is asked again about a push without an outcome (decisions §3).

import type { Config } from '../config.ts';

/** For this long after its creation a push may go out; a rail that never saw it later than that will not see it any more. */
export const NOT_FOUND_IS_SURE_MS = 30_000;

/** How long a call that began may be under way: another run asks the rail about it only after that. */
export function leaseMs(config: Pick<Config, 'GPO_TIMEOUT_S'>): number {
  return config.GPO_TIMEOUT_S * 1000 + 5_000;
}

/** When `not_found` means that no money moved and none will: the push's time is over, and its last call has ended. */
export function sureAfter(config: Pick<Config, 'GPO_TIMEOUT_S'>, attempt: { createdAt: Date; sentAt: Date }): Date {
  const { createdAt, sentAt } = attempt;
  return new Date(Math.max(createdAt.getTime() + NOT_FOUND_IS_SURE_MS, sentAt.getTime() + leaseMs(config)));
}

const FIRST_MS = [2_000, 5_000, 15_000, NOT_FOUND_IS_SURE_MS];
const AFTER_WINDOW_MS = 2_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const GIVE_UP_MS = 72 * HOUR_MS;

/**
 * 2 s, 5 s, 15 s, 30 s after the push, just after the payer's window, each minute for an hour, hourly for 3 days;
 * then null: a person must look.
 */
export function nextPollAt(pushedAt: Date, now: Date, windowMs: number): Date | null {
  const ageMs = now.getTime() - pushedAt.getTime();
  const at = (ms: number) => new Date(pushedAt.getTime() + ms);
  const early = [...FIRST_MS, windowMs + AFTER_WINDOW_MS].sort((a, b) => a - b).find((ms) => ms > ageMs);
  if (early !== undefined) return at(early);
  if (ageMs < HOUR_MS) return at(ageMs + MINUTE_MS);
  if (ageMs < GIVE_UP_MS) return at(ageMs + HOUR_MS);
  return null;
}
