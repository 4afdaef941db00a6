// An order without an outcome: when its rail is asked again, and when it surely never got there.
import type { Core } from '../core.ts';
import type { RailOutcome } from '../providers/provider.ts';
import type { AttemptStatus } from './entities.ts';
import type { KnownAttempt } from './orders.ts';
import type { Via } from './outcome.ts';
import { givenUpAt, nextPollAt, sureAfter } from './polling.ts';

/** What was heard of an order, where, and when. */
type Heard = { attempt: KnownAttempt; outcome: RailOutcome; via: Via; at: Date };

/** The rail has not got it, and never will: its own word for it, or no connection was ever made. */
export function isLost(config: { GPO_TIMEOUT_S: number }, { attempt, outcome, at }: Omit<Heard, 'via'>): boolean {
  // A void is made again under its id until the rail has it: what is held must be let go.
  if (attempt.kind === 'void') return false;
  if (attempt.status === 'Unreached') return isSilent(outcome) && at >= givenUpAt(attempt);
  return outcome.result === 'not_found' && at >= sureAfter(config, attempt);
}

/** When the rail is asked again, and whether it may have the order by now. */
export function nextLook(
  core: Pick<Core, 'config' | 'log'>,
  { attempt, outcome, via, at }: Heard,
): { status: AttemptStatus; dueAt: Date | null } {
  const { result, details } = outcome;
  const { reason } = details;
  if (reason) core.log.warn({ attemptId: attempt.id, result, reason, via }, 'rail outcome open');
  const windowMs = core.config.GPO_PUSH_WINDOW_S * 1000;
  const pollAt = nextPollAt(attempt.createdAt, at, windowMs) ?? reviveVoid({ attempt, outcome, at }, windowMs);
  // Who neither sent nor claimed the order does not shorten the time of whoever may be sending it.
  const isForeign = attempt.status === 'Unsent' && (via === 'sync' || via === 'notification');
  const dueAt = isForeign && attempt.dueAt && pollAt && attempt.dueAt > pollAt ? attempt.dueAt : pollAt;
  // An order whose connection failed stays unsent, and may go out again under its id when the rail does not know it.
  const hasLeft = via === 'answer' && !NOT_SENT.has(reason);
  if (result === 'pending' || hasLeft) return { status: 'Sent', dueAt };
  const isUnreached =
    attempt.status === 'Unreached'
      ? isSilent(outcome)
      : via === 'answer' && reason === 'unreachable' && isOnlyCall(attempt);
  if (isUnreached && attempt.kind !== 'void') {
    const endsAt = new Date(Math.max(at.getTime(), givenUpAt(attempt).getTime()));
    return { status: 'Unreached', dueAt: dueAt && dueAt < endsAt ? dueAt : endsAt };
  }
  return { status: attempt.status === 'Unreached' ? 'Unsent' : attempt.status, dueAt };
}

/** No other call of it can have reached the rail: it is the first (each that follows is claimed, which says when it was), or those before found nobody. */
function isOnlyCall({ status, createdAt, sentAt, wasUnreached = false }: KnownAttempt): boolean {
  return status === 'Unsent' && (wasUnreached || sentAt.getTime() === createdAt.getTime());
}

/** What is held must be let go: a void that was given up goes out again when a person asks, and is followed again then. */
function reviveVoid({ attempt, outcome, at }: Omit<Heard, 'via'>, windowMs: number): Date | null {
  if (attempt.kind !== 'void') return null;
  if (outcome.result === 'not_found') return at;
  return outcome.result === 'pending' ? nextPollAt(attempt.sentAt, at, windowMs) : null;
}

/** Reasons of an unknown outcome after which the same order may be made again while its time lasts. */
const NOT_SENT: ReadonlySet<string | undefined> = new Set(['unreachable', 'connection']);

/** The rail did not speak of the order (an error of its own says nothing of one), or said that it has none. */
function isSilent({ result, details: { reason } }: RailOutcome): boolean {
  return result === 'not_found' || (result === 'unknown' && (!reason || SILENT.has(reason)));
}

const SILENT: ReadonlySet<string> = new Set(['unreachable', 'connection', 'timeout', 'rail_error']);
