// When a delivery is tried again (decisions §9), and when an endpoint that fails is probed.
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';
const SECOND_MS = 1_000;

/** One attempt may take this long, from the connection to the answer's end. */
export const TIMEOUT_MS = 10 * SECOND_MS;

/** How long a claim lasts: after a crash another node takes over when it ends. */
export const LEASE_MS = TIMEOUT_MS + 5 * SECOND_MS;

/** The wait after the first, second … failed attempt; then the last one again and again. */
export const WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
] as const;

export const GIVE_UP_MS = 72 * HOUR_MS;
const MOST_ASKED_MS = 12 * HOUR_MS;
const JITTER = 0.1;

export type Failed = {
  /** Failed attempts of this run, this one included. */
  tries: number;
  /** When the run's first attempt began. */
  since: Date;
  now: Date;
  /** What the merchant asked for by `Retry-After`. */
  retryAfterMs: number | null;
};

/** The next attempt, or null: 72 hours are over. @param random 0..1, of the jitter */
export function nextTryAt({ tries, since, now, retryAfterMs }: Failed, random = Math.random()): Date | null {
  const waitMs = WAITS_MS[Math.min(tries, WAITS_MS.length) - 1] ?? WAITS_MS[0];
  const jitteredMs = Math.round(waitMs * (1 + JITTER * (2 * random - 1)));
  const at = now.getTime() + Math.max(jitteredMs, Math.min(retryAfterMs ?? 0, MOST_ASKED_MS));
  return at - since.getTime() > GIVE_UP_MS ? null : new Date(at);
}

/** RFC 9110 §10.2.3: seconds or a date; null where it is neither. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (!header) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

/** So many failed attempts in a row open an endpoint's circuit. */
export const OPENS_AT = 5;

const LONGEST_PROBE_MS = MINUTE_MS;

/** When an endpoint with so many failures in a row is tried by one attempt again; null: its circuit stays closed. */
export function nextProbeAt(failures: number, now: Date): Date | null {
  if (failures < OPENS_AT) return null;
  const waitMs = 5 * SECOND_MS * 2 ** Math.min(failures - OPENS_AT, 10);
  return new Date(now.getTime() + Math.min(waitMs, LONGEST_PROBE_MS));
}
