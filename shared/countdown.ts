// Time on a payer's screen: the server's clock carried on by the device's stopwatch, and what is left of a push.
import type { CheckoutSession } from './checkout.ts';

export type Countdown = {
  remainingMs: number;
  /** 1 when just sent, 0 when over. */ share: number;
  /** `1:07` */ text: string;
};

/** What is left of the time to approve the push; null while nothing is being asked. */
export function countdownOf(session: CheckoutSession, nowMs: number): Countdown | null {
  if (session.status !== 'Processing' || !session.pushSentAt || !session.pushExpiresAt) return null;
  const totalMs = Date.parse(session.pushExpiresAt) - Date.parse(session.pushSentAt);
  const remainingMs = Math.max(Date.parse(session.pushExpiresAt) - nowMs, 0);
  const seconds = Math.ceil(remainingMs / 1000);
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return { remainingMs, share: remainingMs / totalMs, text };
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
  return `${isToday ? '' : `${then.slice(8, 10)}/${then.slice(5, 7)} `}${then.slice(11, 16)}`;
}
