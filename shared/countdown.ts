// Time on a payer's screen: the server's clock carried on by the device's stopwatch, and what is left of a push.
import type { CheckoutSession } from './checkout.ts';

export type Countdown = {
  remainingMs: number;
  /** 1 when just sent, 0 when over. */ share: number;
  /** `1:07` */ text: string;
};

/** From here on what is left is shown in the colour of a warning. */
export const LOW_MS = 15_000;

/** What is left of the time to approve the push, or to scan the code; null while nothing is being asked. */
export function countdownOf(session: CheckoutSession, nowMs: number): Countdown | null {
  const { status, qr } = session;
  let start = session.pushSentAt;
  let end = status === 'Processing' ? session.pushExpiresAt : null;
  if (qr && status === 'Pending') [start, end] = [session.serverTime, session.expiresAt];
  if (!start || !end) return null;
  const endMs = Date.parse(end);
  const remainingMs = Math.max(endMs - nowMs, 0);
  return { remainingMs, share: remainingMs / (endMs - Date.parse(start)), text: showRemaining(remainingMs) };
}

/** `1:07`, and `23:59:07` from an hour on; of a day or more only what is over the days. */
function showRemaining(remainingMs: number): string {
  const whole = new Date(Math.ceil(remainingMs / 1000) * 1000).toISOString();
  return whole.slice(11, 19).replace(/^(00:)?0?/, '');
}

export type ServerClock = { nowMs(): number; hear(serverTime: string): void };

/**
 * The server's clock, guessed from what it last said and a stopwatch (`performance.now`): the device's date is never asked.
 * A message can only arrive late, so the guess that puts the server furthest ahead is the best; a stopwatch that stood
 * still while the phone slept is put right the same way.
 */
export function followServerClock(serverTime: string, stopwatchMs: () => number): ServerClock {
  let offsetMs = Date.parse(serverTime) - stopwatchMs();
  return {
    nowMs: () => stopwatchMs() + offsetMs,
    hear: (time) => void (offsetMs = Math.max(offsetMs, Date.parse(time) - stopwatchMs())),
  };
}

/** An instant as a clock in Luanda shows it (UTC+1 all year): `14:35`, with the day in front when it is another than `nowMs`'s. */
export function showLuandaTime(iso: string, nowMs: number): string {
  const inLuanda = (ms: number) => new Date(ms + 3_600_000).toISOString();
  const then = inLuanda(Date.parse(iso));
  const isToday = then.slice(0, 10) === inLuanda(nowMs).slice(0, 10);
  return then.replace(/.*-(..)-(..)T(.{5}).*/, isToday ? '$3' : '$2/$1 $3');
}
