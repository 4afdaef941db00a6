// An order of a GPO connector: purchase, authorization, capture or void.
// Sending, querying and repeating work the same for all four kinds.
import type { Core } from '../../core.ts';
import { UNKNOWN_OUTCOME } from '../../providers/rail-call.ts';
import type { CaptureOrder, OrderKind, RailOrder, RailOutcome } from '../../providers/provider.ts';
import { applyOutcome } from './apply-outcome.ts';
import { gpoIdsOf } from './account.ts';
import type { Attempt, RecordedAttempt } from './entities.ts';
import type { Order, QueriedAttempt } from './method.ts';
import { abandonedAt, isInstruction } from './schedule.ts';
import { claimSend, noteOutcome, submitAttempt } from './submit.ts';

/** The fields of every order that names an amount. */
export type Bill = Omit<CaptureOrder, 'kind' | 'authorizationId'>;

type GpoOrder = Pick<Order, 'approved' | 'refused'> & {
  /** Builds the order for the rail. */
  build(core: Core, recorded: RecordedAttempt, bill: Bill): Promise<RailOrder>;
};

export function gpoOrder({ build, approved, refused }: GpoOrder): Order {
  return {
    approved,
    refused,
    stuckEvent: 'payment.stuck',
    async send(core, recorded) {
      const rail = await core.rails.gpo(recorded.attempt.rail);
      const outcome = await rail.send(await build(core, recorded, billOf(recorded)));
      noteOutcome(core, recorded.attempt.rail, outcome);
      return outcome;
    },
    async query(core, attempt, via) {
      const outcome = await queryAttempt(core, attempt);
      await applyOutcome(core, attempt.id, outcome, via);
      return outcome.result !== 'unknown';
    },
    resolve: resolveAttempt,
  };
}

function billOf({ payment, attempt }: RecordedAttempt): Bill {
  const { reference, amountMinor, currency, description = null } = payment;
  return { attemptId: attempt.id, ...gpoIdsOf(payment), reference, amountMinor, currency, description };
}

/**
 * Resolves a due attempt. The rail is queried by attempt id first.
 * The order is sent again only if its call had no response, the rail does not know it and its time has not passed.
 * A rail accepts one id once, so a repeat does not charge twice. A late order that never reached the rail is closed.
 * The payer of a closed order need not wait until the rail is available again.
 */
async function resolveAttempt(core: Core, attempt: Attempt): Promise<void> {
  const isUnreached = attempt.status === 'Unreached';
  const can = await core.rails.can(attempt.rail, 'gpo');
  const isGivenUp = isUnreached && abandonedAt(attempt) <= core.clock.now();
  // No call connected, so the rail never returned the id that this rail requires for a query.
  const hasNoName = isUnreached && can?.query === 'rail_id';
  const outcome = isGivenUp ? UNKNOWN_OUTCOME : hasNoName ? NOT_FOUND : await queryAttempt(core, attempt);
  // An order that may have arrived is sent again only if the rail accepts each id once.
  const mayRepeat = isUnreached || can?.repeat !== 'never';
  const mayGoOut = ['Unsent', 'Unreached'].includes(attempt.status) || isInstruction(attempt);
  await sendAgainOrApply(core, attempt, outcome, outcome.result === 'not_found' && mayGoOut && mayRepeat);
}

const NOT_FOUND: RailOutcome = { ...UNKNOWN_OUTCOME, result: 'not_found' };

/** Sends an order that the rail does not have, or records the rail's result. */
export async function sendAgainOrApply(
  core: Core,
  attempt: Attempt,
  outcome: RailOutcome,
  isMissing: boolean,
): Promise<void> {
  const order = isMissing ? await claimSend(core, attempt.id, attempt.sentAt) : null;
  if (order) await submitAttempt(core, order);
  else await applyOutcome(core, attempt.id, outcome, 'poll', attempt);
}

async function queryAttempt(core: Core, attempt: QueriedAttempt): Promise<RailOutcome> {
  const { id: attemptId, kind, rail, railOrderId = null, resolvedAt = null, sentAt } = attempt;
  const client = await core.rails.gpo(rail);
  const outcome = await client.query({ kind: kind as OrderKind, attemptId, railOrderId, sentAt });
  // The account's circuit counts pushes. A query counts only if it returns how a push ended.
  if (resolvedAt === null && DECIDED.includes(outcome.result)) noteOutcome(core, rail, outcome);
  return outcome;
}

const DECIDED: readonly RailOutcome['result'][] = ['approved', 'declined'];
