// When the rail is asked again about a payment (decisions §3): a push without an outcome, a QR code that may have been paid; and when an
// order surely never got there.
import type { Core } from '../../core.ts';
import { HOUR_MS, leaseMs, MINUTE_MS, nextAskAt } from '../../jobs/schedule.ts';
import type { RailOutcome } from '../../providers/provider.ts';
import type { Via } from './record-transaction.ts';
import type { AttemptStatus, KnownAttempt } from './entities.ts';

/** What was heard of an order, where, and when. */
type Heard = { attempt: KnownAttempt; outcome: RailOutcome; via: Via; at: Date };

/** What the rail must get at last, and is made again under its id until it has it: what is held is let go, money goes back. */
export function isInstruction({ kind }: Pick<KnownAttempt, 'kind'>): boolean {
  return kind === 'void' || kind === 'refund';
}

/** The rail has not got it, and never will: its own word for it, or no connection was ever made. */
export function isAbandoned(config: { GPO_TIMEOUT_S: number }, { attempt, outcome, at }: Omit<Heard, 'via'>): boolean {
  if (isInstruction(attempt)) return false;
  if (attempt.status === 'Unreached') return isSilent(outcome) && at >= givenUpAt(attempt);
  return outcome.result === 'not_found' && at >= sureAfter(config, attempt);
}

/** When the rail is asked again, and whether it may have the order by now. */
export function nextPoll(
  core: Pick<Core, 'config' | 'log'>,
  { attempt, outcome, via, at }: Heard,
): { status: AttemptStatus; dueAt: Date | null; railOrderId?: string } {
  const { railOrderId } = outcome;
  return { ...judgePoll(core, { attempt, outcome, via, at }), ...(railOrderId && { railOrderId }) };
}

function judgePoll(
  core: Pick<Core, 'config' | 'log'>,
  { attempt, outcome, via, at }: Heard,
): { status: AttemptStatus; dueAt: Date | null } {
  const { result, details } = outcome;
  const { reason } = details;
  if (reason) core.log.warn({ attemptId: attempt.id, result, reason, via }, 'rail outcome open');
  const windowMs = core.config.GPO_PUSH_WINDOW_S * 1000;
  const pollAt = nextPollAt(attempt.createdAt, at, windowMs) ?? revive({ attempt, outcome, at }, windowMs);
  // Who neither sent nor claimed the order does not shorten the time of whoever may be sending it.
  const isForeign = attempt.status === 'Unsent' && (via === 'sync' || via === 'notification');
  const dueAt = isForeign && attempt.dueAt && pollAt && attempt.dueAt > pollAt ? attempt.dueAt : pollAt;
  // An order whose connection failed stays unsent, and may go out again under its id when the rail does not know it.
  const hasLeft = via === 'answer' && !NOT_SENT.has(reason);
  if (result === 'pending' || hasLeft) return { status: 'Sent', dueAt };
  const isUnreached =
    attempt.status === 'Unreached'
      ? isSilent(outcome)
      : via === 'answer' && NOBODY_REACHED.has(reason) && isOnlyCall(attempt);
  // A refund that nobody got may still be withdrawn.
  if (isUnreached && attempt.kind === 'refund') return { status: 'Unreached', dueAt };
  if (isUnreached && attempt.kind !== 'void') {
    const endsAt = new Date(Math.max(at.getTime(), givenUpAt(attempt).getTime()));
    return { status: 'Unreached', dueAt: dueAt && dueAt < endsAt ? dueAt : endsAt };
  }
  return { status: attempt.status === 'Unreached' ? 'Unsent' : attempt.status, dueAt };
}

/** No other call of it can have reached the rail: it is the first (each that follows is claimed, which says when it was), or those before found nobody. */
export function isOnlyCall({ status, createdAt, sentAt, wasUnreached = false }: KnownAttempt): boolean {
  return status === 'Unsent' && (wasUnreached || sentAt.getTime() === createdAt.getTime());
}

/** One that was given up goes out again when a person asks, and is followed again then. */
function revive({ attempt, outcome, at }: Omit<Heard, 'via'>, windowMs: number): Date | null {
  if (!isInstruction(attempt)) return null;
  if (outcome.result === 'not_found') return at;
  return outcome.result === 'pending' ? nextPollAt(attempt.sentAt, at, windowMs) : null;
}

/** Reasons of an unknown outcome after which the same order may be made again while its time lasts. */
const NOT_SENT: ReadonlySet<string | undefined> = new Set(['unreachable', 'blocked', 'connection', 'refused_again']);

/** No connection was made: nothing was received. */
const NOBODY_REACHED: ReadonlySet<string | undefined> = new Set(['unreachable', 'blocked']);

/** The rail did not speak of the order (an error of its own says nothing of one), or said that it has none. */
function isSilent({ result, details: { reason } }: RailOutcome): boolean {
  return result === 'not_found' || (result === 'unknown' && (!reason || SILENT.has(reason)));
}

const SILENT: ReadonlySet<string> = new Set(['unreachable', 'blocked', 'connection', 'timeout', 'rail_error']);

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
