// When the rail is asked again about a payment: a push without an outcome, a QR code that may have been paid (decisions §3).
import { HOUR_MS, leaseMs, MINUTE_MS, nextAskAt } from '../jobs/schedule.ts';

/** For this long after its creation a push may go out; a rail that never saw it later than that will not see it any more. */
export const NOT_FOUND_IS_SURE_MS = 30_000;

/** When `not_found` means that no money moved and none will: the push's time is over, and its last call has ended. */
export function sureAfter(config: { GPO_TIMEOUT_S: number }, attempt: { createdAt: Date; sentAt: Date }): Date {
  const { createdAt, sentAt } = attempt;
  return new Date(Math.max(createdAt.getTime() + NOT_FOUND_IS_SURE_MS, sentAt.getTime() + leaseMs(config)));
}

/** When an order that reached nobody is given up: until then it may go out again. Its calls have ended, there is none to wait for. */
export function givenUpAt({ createdAt }: { createdAt: Date }): Date {
  return new Date(createdAt.getTime() + NOT_FOUND_IS_SURE_MS);
}

const AFTER_WINDOW_MS = 2_000;

/** As everything, and just after the payer's window: null when a person must look. */
export function nextPollAt(pushedAt: Date, now: Date, windowMs: number): Date | null {
  return nextAskAt(pushedAt, now, [windowMs + AFTER_WINDOW_MS]);
}

const CODE_FIRST_MS = [2_000, 5_000, 15_000, 30_000];
const CODE_STEP_MS = 10 * MINUTE_MS;
/** After its end a code is looked at for payments whose notification was lost. */
const CODE_CLOSED_MS = [MINUTE_MS, HOUR_MS, 24 * HOUR_MS];

type CodeTimes = { createdAt: Date; endsAt: Date | null; closedAt: Date | null };

/**
 * A QR code: early, then each minute for an hour, each ten minutes while it is open, at its end, and three times after it;
 * then null.
 */
export function nextCodePollAt({ createdAt, endsAt, closedAt }: CodeTimes, now: Date): Date | null {
  const from = closedAt ?? createdAt;
  const ageMs = now.getTime() - from.getTime();
  const at = (ms: number) => new Date(from.getTime() + ms);
  const planned = (closedAt ? CODE_CLOSED_MS : CODE_FIRST_MS).find((ms) => ms > ageMs);
  if (planned !== undefined) return at(planned);
  if (closedAt) return null;
  const next = at(ageMs + (ageMs < HOUR_MS ? MINUTE_MS : CODE_STEP_MS));
  const isLast = endsAt && endsAt > now && endsAt < next;
  return isLast ? endsAt : next;
}
