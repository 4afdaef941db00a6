// The clock of a push: the time that the customer has left, as the payer's own page shows it.
import { countdownOf, followServerClock } from '../../shared/countdown.ts';
import { Ring } from '../../shared/ui/Ring.tsx';
import type { IslandProps } from './browser.ts';

type ClockProps = {
  sentAt: string;
  expiresAt: string;
  label: string;
  /** The text after the end of the time, while the rail's answer is missing. */
  over: string;
  /** The server's time of rendering. The browser follows the server's clock instead. */
  now?: string;
};

/** Without JavaScript the page reloads, and each time shows the time that is left. */
export function Clock({ sentAt, expiresAt, label, over, now, browser }: ClockProps & IslandProps) {
  // Reading the signal renders the clock again every second.
  const nowMs = now ? Date.parse(now) : readServerTime(browser?.second.value);
  const push = { status: 'Processing', qr: null, pushSentAt: sentAt, pushExpiresAt: expiresAt } as const;
  const countdown = countdownOf({ ...push, serverTime: sentAt, expiresAt: null }, nowMs);
  if (!countdown) return null;
  if (countdown.remainingMs === 0) return <p>{over}</p>;
  return <Ring countdown={countdown} label={label} />;
}

let clock: ReturnType<typeof followServerClock> | undefined;

function readServerTime(_second: number | undefined): number {
  clock ??= followServerClock(document.querySelector<HTMLElement>('[data-now]')!.dataset['now']!, stopwatchMs);
  return clock.nowMs();
}

/** The time since the server's answer began to arrive. */
function stopwatchMs(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return performance.now() - (page?.responseStart ?? 0);
}
