// Refreshing a payment from its rail on demand: the same query and the same door as the poll, one at a time a payment.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { tryLater } from '../http/problem.ts';
import type { GpoRail } from '../providers/provider.ts';
import type { Rails } from '../providers/registry.ts';
import { syncReference } from './references/sync.ts';
import type { Payment } from './entities.ts';
import { settleCode } from './scan.ts';
import { settleAttempt } from './settle.ts';

const running = new WeakMap<object, Map<string, Promise<void>>>();

/**
 * Asks the rail about everything it was asked for the payment that has no outcome, about refused pushes (a refusal is not
 * final while the payer can try again), and about what a QR code or a reference brought. Callers at the same time share one round.
 * @throws Problem rail_unavailable when the rail could not be asked
 */
export function syncPayment(core: Core, rails: Rails, payment: Payment): Promise<void> {
  const rounds = running.get(core.orm) ?? new Map<string, Promise<void>>();
  running.set(core.orm, rounds);
  let round = rounds.get(payment.id);
  if (!round) {
    round = askRail(core, rails, payment).finally(() => rounds.delete(payment.id));
    rounds.set(payment.id, round);
  }
  return round;
}

async function askRail(core: Core, rails: Rails, payment: Payment): Promise<void> {
  const isAnswered =
    payment.paymentType === 'PPR'
      ? await syncReference(core, rails.ppr, payment)
      : await askAttempts(core, rails.gpo, payment.id);
  if (!isAnswered) throw tryLater('rail_unavailable', 5);
}

/** False when the rail could not be asked about everything. */
async function askAttempts(core: Core, rail: GpoRail, paymentId: string): Promise<boolean> {
  const attempts = await findOpenAttempts.all(core, { paymentId });
  let isAway = false;
  for (const { id, kind } of attempts) {
    if (kind === 'qrcode') {
      const outcome = await rail.queryQrCode(id);
      // While its creation runs, only that may say that a code was not made; money is recorded whatever became of the code.
      if (outcome.result === 'made' || outcome.scans.length > 0) await settleCode(core, id, outcome, 'sync');
      isAway ||= outcome.result === 'unknown';
    } else {
      const outcome = await rail.query(kind, id);
      await settleAttempt(core, id, outcome, 'sync');
      isAway ||= outcome.result === 'unknown';
    }
  }
  return !isAway;
}

/** What claims an authorization may be a capture, which is a payment of its own. */
const findOpenAttempts = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('attempts')
    .select(['id', 'kind'])
    .where('paymentId', 'in', (eb) =>
      eb
        .selectFrom('payments')
        .select('payments.id')
        .where((of) => of.or([of('payments.id', '=', paymentId), of('authorizationId', '=', paymentId)])),
    )
    .where((eb) => eb.or([eb('status', '<>', 'Approved'), eb('kind', '=', 'qrcode')]))
    .orderBy('createdAt'),
);
