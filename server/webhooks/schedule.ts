// The retry schedule of deliveries, and the times when a failing endpoint is probed.
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';
const SECOND_MS = 1_000;

/** The longest duration of one attempt, from the connection to the end of the response. */
export const TIMEOUT_MS = 10 * SECOND_MS;

/** The lease of a claimed delivery. After a crash, another node takes the delivery over when the lease ends. */
export const LEASE_MS = TIMEOUT_MS + 5 * SECOND_MS;

/** The waits after the first failed attempt, the second, and so on. Later attempts repeat the last wait. */
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
const MAX_RETRY_AFTER_MS = 12 * HOUR_MS;
const JITTER = 0.1;

export type FailedAttempt = {
  /** The number of failed attempts in this run of the schedule, including this one. A replay starts a new run. */
  tries: number;
  /** The time at which the first attempt of the run began. */
  since: Date;
  now: Date;
  /** The wait in the merchant's `Retry-After` header. Null without the header. */
  retryAfterMs: number | null;
};

/** Returns the time of the next attempt. Null after 72 hours. @param random 0 to 1, for a jitter of 10 % */
export function nextTryAt({ tries, since, now, retryAfterMs }: FailedAttempt, random = Math.random()): Date | null {
  const waitMs = WAITS_MS[Math.min(tries, WAITS_MS.length) - 1] ?? WAITS_MS[0];
  const jitteredMs = Math.round(waitMs * (1 + JITTER * (2 * random - 1)));
  const at = now.getTime() + Math.max(jitteredMs, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
  return at - since.getTime() > GIVE_UP_MS ? null : new Date(at);
}

/** Reads a `Retry-After` header (RFC 9110 §10.2.3) as milliseconds. Null if the header is invalid. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (!header) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

/** The number of consecutive failed attempts that opens an endpoint's circuit. */
export const CIRCUIT_OPENS_AT = 5;

const MAX_PROBE_WAIT_MS = MINUTE_MS;

/** Returns the time of the next probe after consecutive failures. Null if the circuit stays closed. */
export function nextProbeAt(failures: number, now: Date): Date | null {
  if (failures < CIRCUIT_OPENS_AT) return null;
  const waitMs = 5 * SECOND_MS * 2 ** Math.min(failures - CIRCUIT_OPENS_AT, 10);
  return new Date(now.getTime() + Math.min(waitMs, MAX_PROBE_WAIT_MS));
}
