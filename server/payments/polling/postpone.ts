// The usual answer to a push: its payer has not decided, and is asked for again later.
import type { Core } from '../../core.ts';
import { createPoolWriter, runStatement } from '../../database/db.ts';
import type { RailOutcome } from '../../providers/provider.ts';
import type { Attempt, KnownAttempt } from '../entities.ts';
import { isFaultOfRows } from '../insert.ts';
import { isFrom, isResolved, viaOf, type Source, type Via } from '../record-transaction.ts';
import { findAttempt } from '../rows.ts';
import { POSTPONE } from './postpone.sql.ts';
import { isAbandoned, nextPoll } from './schedule.ts';

/**
 * Says when to ask again. That needs no lock on the payment: one conditional change of the attempt, shared with others of the same
 * moment; false when anything else was in the way, so that the whole way is taken.
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
  // Of a refund it may be news that it is out.
  if (attempt?.kind === 'refund') return false;
  const at = core.clock.now();
  if (!attempt || isResolved(attempt) || isAbandoned(core.config, { attempt, outcome, at })) return false;
  const set = nextPoll(core, { attempt, outcome, via: viaOf(from), at });
  // The first time that nobody was reached there may be a second account to go to.
  if (!set.dueAt || (set.status === 'Unreached' && !attempt.wasUnreached)) return false;
  const { status, dueAt = null } = attempt;
  try {
    return await writerOf(core)({ id: attemptId, status, dueAt, set });
  } catch (error) {
    // A statement fails as a whole, whichever of them was wrong.
    if (isFaultOfRows(error)) return false;
    throw error;
  }
}

/** An attempt as it was read, and what it becomes. */
type Postponed = Pick<Attempt, 'id' | 'status'> & { dueAt: Date | null; set: ReturnType<typeof nextPoll> };

const writerOf = createPoolWriter<Core, Postponed, boolean>(
  async (core, postponed) => {
    const given = postponed.map(({ id, status, dueAt, set }) => ({
      id,
      status,
      due_at: dueAt,
      next_status: set.status,
      next_due_at: set.dueAt,
      rail_order_id: set.railOrderId,
    }));
    const rows = await runStatement<{ id: string }>(core, POSTPONE, [JSON.stringify(given)]);
    const changed = new Set(rows.map(({ id }) => id));
    // Of two that tell of the same one changed it, and the other finds it changed.
    return postponed.map(({ id }) => changed.delete(id));
  },
  { statements: 2, rows: 64 },
);
