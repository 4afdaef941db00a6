// The poll schedule of pushes and QR codes, and the time after which an order certainly never arrived.
import type { Core } from '../../core.ts';
import { leaseMs, nextQueryAt } from '../../jobs/schedule.ts';
import type { RailOutcome } from '../../providers/provider.ts';
import type { Via } from './record-transaction.ts';
import type { AttemptStatus, AttemptSnapshot } from './entities.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';

type ReportedOutcome = { attempt: AttemptSnapshot; outcome: RailOutcome; via: Via; at: Date };

/** True for a void or a refund, which the gateway sends under one id until the rail has it. */
export function isInstruction({ kind }: Pick<AttemptSnapshot, 'kind'>): boolean {
  return kind === 'void' || kind === 'refund';
}

/** True if the rail will never have the order: the rail says so in time, or no call connected. */
export function isAbandoned(
  config: { GPO_TIMEOUT_S: number },
  { attempt, outcome, at }: Omit<ReportedOutcome, 'via'>,
): boolean {
  if (isInstruction(attempt)) return false;
  if (attempt.status === 'Unreached') return isSilent(outcome) && at >= abandonedAt(attempt);
  return outcome.result === 'not_found' && at >= notFoundFinalAt(config, attempt);
}

/** Returns the time of the next poll, and the attempt's new status, which says whether the rail may have the order. */
export function nextPoll(
  core: Pick<Core, 'config' | 'log'>,
  { attempt, outcome, via, at }: ReportedOutcome,
): { status: AttemptStatus; dueAt: Date | null; railOrderId?: string } {
  const { railOrderId } = outcome;
  return { ...judgePoll(core, { attempt, outcome, via, at }), ...(railOrderId && { railOrderId }) };
}

function judgePoll(
  core: Pick<Core, 'config' | 'log'>,
  { attempt, outcome, via, at }: ReportedOutcome,
): { status: AttemptStatus; dueAt: Date | null } {
  const { result, details } = outcome;
  const { reason } = details;
  if (reason) core.log.warn({ attemptId: attempt.id, result, reason, via }, 'rail outcome open');
  const windowMs = core.config.GPO_PUSH_WINDOW_S * 1000;
  const pollAt = nextPollAt(attempt.createdAt, at, windowMs) ?? revive({ attempt, outcome, at }, windowMs);
  // Only the node that sent or claimed the order may bring its next poll forward.
  const isForeign = attempt.status === 'Unsent' && (via === 'sync' || via === 'notification');
  const dueAt = isForeign && attempt.dueAt && pollAt && attempt.dueAt > pollAt ? attempt.dueAt : pollAt;
  // An order without a connection stays unsent. The node sends it again if the rail does not know it.
  const hasLeft = via === 'answer' && !NOT_SENT.has(reason);
  if (result === 'pending' || hasLeft) return { status: 'Sent', dueAt };
  const isUnreached =
    attempt.status === 'Unreached'
      ? isSilent(outcome)
      : via === 'answer' && NEVER_CONNECTED.has(reason) && isOnlyCall(attempt);
  // The merchant can cancel a refund that no rail received.
  if (isUnreached && attempt.kind === 'refund') return { status: 'Unreached', dueAt };
  if (isUnreached && attempt.kind !== 'void') {
    const endsAt = new Date(Math.max(at.getTime(), abandonedAt(attempt).getTime()));
    return { status: 'Unreached', dueAt: dueAt && dueAt < endsAt ? dueAt : endsAt };
  }
  return { status: attempt.status === 'Unreached' ? 'Unsent' : attempt.status, dueAt };
}

/** True if no earlier call can have reached the rail: this call is the first, or all earlier ones failed to connect. */
export function isOnlyCall({ status, createdAt, sentAt, wasUnreached = false }: AttemptSnapshot): boolean {
  return status === 'Unsent' && (wasUnreached || sentAt.getTime() === createdAt.getTime());
}

/** Schedules polls of a void or refund again, if a person synced it after its last poll. */
function revive({ attempt, outcome, at }: Omit<ReportedOutcome, 'via'>, windowMs: number): Date | null {
  if (!isInstruction(attempt)) return null;
  if (outcome.result === 'not_found') return at;
  return outcome.result === 'pending' ? nextPollAt(attempt.sentAt, at, windowMs) : null;
}

/** Failure reasons after which the same order may be sent again in its time. */
const NOT_SENT: ReadonlySet<string | undefined> = new Set(['unreachable', 'blocked', 'connection', 'refused_again']);

const NEVER_CONNECTED: ReadonlySet<string | undefined> = new Set(['unreachable', 'blocked']);

/** True if the rail returned nothing about the order, or does not know it. */
function isSilent({ result, details: { reason } }: RailOutcome): boolean {
  return result === 'not_found' || (result === 'unknown' && (!reason || WITHOUT_ANSWER.has(reason)));
}

const WITHOUT_ANSWER: ReadonlySet<string> = new Set(['unreachable', 'blocked', 'connection', 'timeout', 'rail_error']);

/** The time after a push's creation in which the push may be sent. */
export const SEND_WINDOW_MS = 30_000;

/**
 * Returns the time from which `not_found` is final. No repeat of the push is allowed then, and its last call has ended.
 */
export function notFoundFinalAt(config: { GPO_TIMEOUT_S: number }, attempt: { createdAt: Date; sentAt: Date }): Date {
  const { createdAt, sentAt } = attempt;
  return new Date(Math.max(createdAt.getTime() + SEND_WINDOW_MS, sentAt.getTime() + leaseMs(config)));
}

/** Returns the time at which the gateway gives up an order without a connection. No call is running then. */
export function abandonedAt({ createdAt }: { createdAt: Date }): Date {
  return new Date(createdAt.getTime() + SEND_WINDOW_MS);
}

const AFTER_WINDOW_MS = 2_000;

/** Returns the next poll of the usual schedule, with one poll just after the payer's window. Null: manual review. */
export function nextPollAt(pushedAt: Date, now: Date, windowMs: number): Date | null {
  return nextQueryAt(pushedAt, now, [windowMs + AFTER_WINDOW_MS]);
}

const CODE_FIRST_MS = [2_000, 5_000, 15_000, 30_000];
const CODE_STEP_MS = 10 * MINUTE_MS;
/** The polls of a closed QR code. They find payments whose notification was lost. */
const CODE_CLOSED_MS = [MINUTE_MS, HOUR_MS, DAY_MS];

type CodeTimes = { createdAt: Date; endsAt: Date | null; closedAt: Date | null };

/**
 * Returns a QR code's next poll: early, each minute for an hour, each ten minutes until its end, and three times after.
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
