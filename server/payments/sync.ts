// Refreshing a payment from its rail on demand: the same query and the same door as the poll, one at a time a payment.
import type { Core } from '../core.ts';
import { Problem } from '../http/problem.ts';
import type { GpoRail } from '../providers/provider.ts';
import { Attempt } from './entities.ts';
import { settleAttempt } from './settle.ts';

const running = new WeakMap<object, Map<string, Promise<void>>>();

/**
 * Asks the rail about every push of the payment that has no outcome, and about its refused ones (a refusal is not
 * final while the payer can try again). Callers at the same time share one round.
 * @throws Problem rail_unavailable when the rail could not be asked
 */
export function syncPayment(core: Core, rail: GpoRail, paymentId: string): Promise<void> {
  const rounds = running.get(core.orm) ?? new Map<string, Promise<void>>();
  running.set(core.orm, rounds);
  let round = rounds.get(paymentId);
  if (!round) {
    round = askRail(core, rail, paymentId).finally(() => rounds.delete(paymentId));
    rounds.set(paymentId, round);
  }
  return round;
}

async function askRail(core: Core, rail: GpoRail, paymentId: string): Promise<void> {
  const attempts = await core.orm.em.fork().find(Attempt, { payment: paymentId, status: { $ne: 'Approved' } });
  let isAway = false;
  for (const attempt of attempts) {
    const outcome = await rail.query(attempt.id);
    isAway ||= outcome.result === 'unknown';
    await settleAttempt(core, attempt.id, outcome, 'sync');
  }
  if (isAway) throw new Problem('rail_unavailable', { headers: { 'Retry-After': '5' } });
}
