// Handles `pending` and `unknown`: schedules the next poll of the attempt.
import type { Core } from '../../core.ts';
import { prepared } from '../../database/db.ts';
import type { RailOutcome } from '../../providers/provider.ts';
import type { Attempt, KnownAttempt } from './entities.ts';
import { isFrom, isResolved, viaOf, type Source, type Via } from './record-transaction.ts';
import { findAttempt } from './rows.ts';
import { isAbandoned, nextPoll } from './schedule.ts';

/**
 * Schedules the next poll by one conditional update of the attempt, without a lock on its payment.
 * @returns false if the outcome needs more than a later poll, or if the attempt changed since it was read
 */
export async function postpone(
  core: Core,
  attemptId: string,
  outcome: RailOutcome,
  from: Via | Source,
  known: KnownAttempt | null,
): Promise<boolean> {
  if (outcome.result !== 'pending' && outcome.result !== 'unknown') return false;
  const read = known ? null : await findAttempt.first(core, { id: attemptId });
  if (read && !isFrom(read, from)) return false;
  const attempt: KnownAttempt | null = known ?? read;
  // The first answer to a refund moves it to Processing, too.
  if (attempt?.kind === 'refund') return false;
  const at = core.clock.now();
  if (!attempt || isResolved(attempt) || isAbandoned(core.config, { attempt, outcome, at })) return false;
  const set = nextPoll(core, { attempt, outcome, via: viaOf(from), at });
  // After the first failed connection another account may take the order.
  if (!set.dueAt || (set.status === 'Unreached' && !attempt.wasUnreached)) return false;
  const { status, dueAt = null } = attempt;
  return (await changeAsRead.run(core, { id: attemptId, status, dueAt, set })) > 0;
}

type AsRead = Pick<Attempt, 'id' | 'status'> & { dueAt: Date | null; set: ReturnType<typeof nextPoll> };

const changeAsRead = prepared((tables, { id, status, dueAt, set }: AsRead) =>
  tables
    .updateTable('attempts')
    .set(set)
    .where('id', '=', id)
    .where('status', '=', status)
    .where('dueAt', 'is not distinct from', dueAt),
);
