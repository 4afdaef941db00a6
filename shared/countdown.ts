// Time on a payer's screen: an estimate of the server's clock, and the remaining time of a push.
import type { CheckoutSession } from './checkout.ts';
import { dayOf, writeLuandaTime } from './luanda.ts';

export type Countdown = {
  remainingMs: number;
  /** The remaining share of a push's time: from 1 at the start to 0 at the end. */
  share: number;
  /** The remaining time as text for people: `1:07`. */
  text: string;
};

/** Below this remaining time the countdown has the colour of a warning. */
export const LOW_MS = 15_000;

type CountedSession = Pick<
  CheckoutSession,
  'status' | 'qr' | 'pushSentAt' | 'pushExpiresAt' | 'serverTime' | 'expiresAt'
>;

/** The remaining time to approve the push or to scan the code. Null if there is no push and no code. */
export function countdownOf(session: CountedSession, nowMs: number): Countdown | null {
  const { status, qr } = session;
  let start = session.pushSentAt;
  let end = status === 'Processing' ? session.pushExpiresAt : null;
  if (qr && status === 'Pending') [start, end] = [session.serverTime, session.expiresAt];
  if (!start || !end) return null;
  const endMs = Date.parse(end);
  const remainingMs = Math.max(endMs - nowMs, 0);
  return { remainingMs, share: remainingMs / (endMs - Date.parse(start)), text: showRemaining(remainingMs) };
}

/** Formats a remaining time as `1:07`, or as `23:59:07` from one hour on. Whole days are left out. */
function showRemaining(remainingMs: number): string {
  const whole = new Date(Math.ceil(remainingMs / 1000) * 1000).toISOString();
  return whole.slice(11, 19).replace(/^(00:)?0?/, '');
}

export type ServerClock = { nowMs(): number; observe(serverTime: string): void };

/**
 * Estimates the server's clock from the server's messages and a stopwatch (`performance.now`).
 * The device's date is not used, because it may be wrong.
 * A message can only arrive late, so the estimate with the latest time is the best one.
 * The same rule corrects a stopwatch that stopped while the phone was asleep.
 */
export function followServerClock(serverTime: string, stopwatchMs: () => number): ServerClock {
  let offsetMs = Date.parse(serverTime) - stopwatchMs();
  return {
    nowMs: () => stopwatchMs() + offsetMs,
    observe: (time) => void (offsetMs = Math.max(offsetMs, Date.parse(time) - stopwatchMs())),
  };
}

/** A time in Luanda as `14:35`. If its day is not the day of `nowMs`: `30/11 14:35`. */
export function showLuandaTime(iso: string, nowMs: number): string {
  const then = writeLuandaTime(new Date(iso));
  const isToday = then.slice(0, 10) === dayOf(new Date(nowMs));
  return then.replace(/.*-(..)-(..)T(.{5}).*/, isToday ? '$3' : '$2/$1 $3');
}
