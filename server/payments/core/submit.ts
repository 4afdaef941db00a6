// Submits an order to its rail after the commit of the attempt.
// A repeat sends the same id. apply-outcome.ts records the outcome of each call.
import type { Updateable } from 'kysely';
import type { Core } from '../../core.ts';
import { prepared, type Tables } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { leaseMs } from '../../jobs/schedule.ts';
import type { QrOutcome, RailOutcome } from '../../providers/provider.ts';
import { applyOutcome } from './apply-outcome.ts';
import type { Attempt, RecordedAttempt } from './entities.ts';
import { orderOf } from './method.ts';
import { findAttempt, lockPaymentOf } from './rows.ts';
import { isInstruction, SEND_WINDOW_MS } from './schedule.ts';

/**
 * Sends a recorded order and records its outcome. Never throws: after any error, the due-row job queries the rail.
 */
export async function submitAttempt(core: Core, recorded: RecordedAttempt): Promise<void> {
  const { attempt, written } = recorded;
  try {
    const outcome = await orderOf(attempt.kind).send(core, recorded);
    await applyOutcome(core, attempt.id, outcome, 'answer', written);
  } catch (error) {
    core.log.error({ err: error, attemptId: attempt.id }, 'could not record outcome; polling will retry');
  }
}

type Noted = Pick<RailOutcome, 'failureCode' | 'details'> & { result: RailOutcome['result'] | QrOutcome['result'] };

/**
 * Reports an outcome to the account's circuit.
 * A lost response does not count, because it proves no fault of the account.
 */
export function noteOutcome(
  { rails }: Pick<Core, 'rails'>,
  railId: string,
  { result, failureCode, details }: Noted,
): void {
  // The rail cannot execute such an order, so the gateway made no call.
  if (details['reason'] === 'unsupported') return;
  const isAway = result === 'unknown' && (details['reason'] === 'unreachable' || details['reason'] === 'blocked');
  if (failureCode === 'acquirer_setup') rails.circuits.note(railId, 'misconfigured');
  else if (isAway || failureCode === 'rail_unavailable') rails.circuits.note(railId, 'fault');
  else if (result !== 'unknown') rails.circuits.note(railId, 'answered');
}

/**
 * Claims a recorded order for sending (again) under its id, unless another caller claimed it since `lastSentAt`.
 * The order must be unsent and its payment Processing. A void or a refund may always be sent.
 * Returns the order with its new call time. Null if another caller has claimed it.
 */
export function claimSend(core: Core, attemptId: string, lastSentAt: Date): Promise<RecordedAttempt | null> {
  return inTransaction(core, async (db) => {
    const payment = await lockPaymentOf.first(db, { attemptId });
    const last = payment && (await findAttempt.first(db, { id: attemptId }));
    if (!last) return null;
    const now = core.clock.now();
    const set = { status: 'Unsent', sentAt: now, dueAt: new Date(now.getTime() + leaseMs(core.config)) } as const;
    const since = new Date(now.getTime() - SEND_WINDOW_MS);
    const isUnsent = ['Unsent', 'Unreached'].includes(last.status) && last.createdAt > since;
    if (!isInstruction(last) && !(isUnsent && payment.status === 'Processing')) return null;
    if ((await takeSend.run(db, { id: attemptId, lastSentAt, status: last.status, set })) === 0) return null;
    const attempt = { ...last, ...set };
    return { payment, attempt, written: { ...attempt, wasUnreached: last.status === 'Unreached' } };
  });
}

type Send = { id: string; lastSentAt: Date; status: Attempt['status']; set: Updateable<Tables['attempts']> };

const takeSend = prepared((tables, { id, lastSentAt, status, set }: Send) =>
  tables
    .updateTable('attempts')
    .set(set)
    .where('id', '=', id)
    .where('sentAt', '=', lastSentAt)
    .where('status', '=', status)
    .where('resolvedAt', 'is', null),
);
