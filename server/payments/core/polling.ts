// Asking the rail: what a payment's time brings (pushes without an outcome are asked about, payments nobody paid expire), and what a
// merchant asks for by sync.
import type { Core } from '../../core.ts';
import { prepared, type Db } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { tryLater } from '../../http/problem.ts';
import { dueQueue, readingQueue, reschedule, type Claim, type DueQueue } from '../../jobs/due.ts';
import { leaseMs } from '../../jobs/schedule.ts';
import { applyOutcome } from './apply-outcome.ts';
import { claimHold } from '../hold/authorization.ts';
import { closePending, isUnmade } from '../cancel.ts';
import type { Attempt, Payment } from './entities.ts';
import { givenUpAt } from './schedule.ts';
import { applyCode, queryCode } from '../qr/qrcode.ts';
import { NOTHING_HEARD } from '../../providers/ask.ts';
import type { AttemptName } from '../../providers/connector.ts';
import type { OrderKind, RailOutcome } from '../../providers/provider.ts';
import { askAboutRefund, queryRefund } from '../refund/order.ts';
import { syncReference } from '../reference/receive.ts';
import type { Via } from './record-transaction.ts';
import { changeAttempt, findAttempt, findAttempts, lockPayment, setPaymentDue } from './rows.ts';
import { insertVoid } from '../qr/withdraw.ts';
import { claimSend, noteOutcome, submitAttempt } from './submit.ts';

/** What of payments comes due. */
export function paymentQueues(core: Core): DueQueue[] {
  return [
    readingQueue(
      core,
      {
        table: 'attempts',
        ...core.rails.watches.turns,
        leaseMs: leaseMs(core.config),
        run: (attempt: Attempt) => resolveAttempt(core, attempt),
      },
      (claims) => findAttempts.all(core, { ids: claims.map(({ id }) => id) }),
    ),
    dueQueue(core, { table: 'payments', leaseMs: 30_000, run: (claim) => expirePayment(core, claim) }),
  ];
}

/**
 * Asks the rail by attempt id first. Only an order whose call was never answered, which the rail does not know
 * and whose time has not passed, is sent (again): the rail takes one id once. One that reached nobody until then is closed
 * without asking, so that its payer need not wait for the rail to be back.
 */
async function resolveAttempt(core: Core, attempt: Attempt): Promise<void> {
  if (attempt.resolvedAt) return reschedule(core, 'attempts', attempt, null);
  if (attempt.kind === 'qrcode')
    return void (await applyCode(core, attempt.id, await queryCode(core, attempt), 'poll'));
  if (attempt.kind === 'refund') return resolveRefund(core, attempt);
  const isUnreached = attempt.status === 'Unreached';
  const can = await core.rails.can(attempt.rail, 'gpo');
  const isGivenUp = isUnreached && givenUpAt(attempt) <= core.clock.now();
  // Nobody was reached, and only an answer would have told the id to ask by.
  const isUnheard = isUnreached && can?.query === 'rail_id';
  const outcome = isGivenUp ? NOTHING_HEARD : isUnheard ? NOT_FOUND : await queryAttempt(core, attempt);
  // What may have arrived goes out again only where the rail takes it once.
  const mayRepeat = isUnreached || can?.repeat !== 'never';
  const mayGoOut = ['Unsent', 'Unreached'].includes(attempt.status) || attempt.kind === 'void';
  const isMissing = outcome.result === 'not_found' && mayGoOut && mayRepeat;
  const order = isMissing ? await claimSend(core, attempt.id, attempt.sentAt) : null;
  if (order) await submitAttempt(core, order);
  else await applyOutcome(core, attempt.id, outcome, 'poll', attempt);
}

const NOT_FOUND: RailOutcome = { ...NOTHING_HEARD, result: 'not_found' };

async function resolveRefund(core: Core, attempt: Attempt): Promise<void> {
  const { outcome, isMissing } = await askAboutRefund(core, attempt);
  const order = isMissing ? await claimSend(core, attempt.id, attempt.sentAt) : null;
  if (order) await submitAttempt(core, order);
  else await applyOutcome(core, attempt.id, outcome, 'poll', attempt);
}

type Asked = Pick<Attempt, 'id' | 'kind' | 'rail' | 'railOrderId' | 'sentAt' | 'resolvedAt'>;

/** What the account that was asked says of an order now. */
async function queryAttempt(core: Core, { id, kind, rail, sentAt, ...known }: Asked): Promise<RailOutcome> {
  const { railOrderId = null, resolvedAt = null } = known;
  const asked = await core.rails.gpo(rail);
  const outcome = await asked.query({ kind: kind as OrderKind, attemptId: id, railOrderId, sentAt });
  // A circuit judges pushes: a question that is answered is none, but for the one that hears how a push ended.
  if (resolvedAt === null && DECIDED.includes(outcome.result)) noteOutcome(core, rail, outcome);
  return outcome;
}

const DECIDED: readonly RailOutcome['result'][] = ['approved', 'declined'];

async function expirePayment(core: Core, claim: Claim): Promise<void> {
  const hasChanged = await inTransaction(core, async (db) => {
    const payment = await lockPayment.first(db, { id: claim.id });
    const at = core.clock.now();
    const isWaiting = payment?.status === 'Pending' || (payment?.status === 'Authorized' && !payment.operation);
    // While the rail is making a code, only that call, or its lease, ends the payment.
    const isMaking = isWaiting && isUnmade(payment);
    const isOver = isWaiting && !isMaking && payment.expiresAt && payment.expiresAt <= at;
    if (isOver) return EXPIRE[payment.status as keyof typeof EXPIRE](db, payment, at);
    // Never while Processing, or while an authorization is claimed: who ends that sets the time again, under the same lock.
    const laterAt = isMaking ? new Date(at.getTime() + leaseMs(core.config)) : (payment?.expiresAt ?? null);
    const dueAt = isWaiting ? laterAt : null;
    await setPaymentDue.run(db, { id: claim.id, dueAt });
    return false;
  });
  if (hasChanged) core.changes.publish(`payment:${claim.id}`);
}

/** What the end of its time does to a payment. */
const EXPIRE = {
  async Pending(db: Db, payment: Payment, at: Date): Promise<boolean> {
    await closePending(db, payment, 'expire', at);
    return true;
  },
  /** The hold is claimed first; it is `Expired` when the rail has let go. */
  async Authorized(db: Db, payment: Payment, at: Date): Promise<boolean> {
    const { id } = await insertVoid(db, payment, at, at);
    await claimHold(db, payment.id, 'voiding', id);
    return true;
  },
};

const running = new WeakMap<object, Map<string, Promise<void>>>();

/**
 * Asks the rail about everything it was asked for the payment that has no outcome, about refused pushes (a refusal is not
 * final while the payer can try again), and about what a QR code or a reference brought. Callers at the same time share one round.
 * @throws Problem rail_unavailable when the rail could not be asked
 */
export function syncPayment(core: Core, payment: Payment): Promise<void> {
  const rounds = running.get(core.orm) ?? new Map<string, Promise<void>>();
  running.set(core.orm, rounds);
  let round = rounds.get(payment.id);
  if (!round) {
    round = askRail(core, payment).finally(() => rounds.delete(payment.id));
    rounds.set(payment.id, round);
  }
  return round;
}

async function askRail(core: Core, payment: Payment): Promise<void> {
  const isTold = payment.paymentType !== 'PPR' || (await syncReference(core, payment));
  // Of a payment by reference only refunds are attempts.
  if (!(await askAttempts(core, payment.id)) || !isTold) throw tryLater('rail_unavailable', 5);
}

/** False when the rail could not be asked about everything. */
async function askAttempts(core: Core, paymentId: string): Promise<boolean> {
  const attempts = await findOpenAttempts.all(core, { paymentId });
  let isAway = false;
  for (const attempt of attempts) isAway = !(await askAttempt(core, attempt, 'sync')) || isAway;
  return !isAway;
}

/** Asks the account that was asked before, and records what it says; false when it said nothing. */
export async function askAttempt(core: Core, attempt: Asked, via: Via): Promise<boolean> {
  if (attempt.kind !== 'qrcode') {
    const outcome = attempt.kind === 'refund' ? await queryRefund(core, attempt) : await queryAttempt(core, attempt);
    await applyOutcome(core, attempt.id, outcome, via);
    return outcome.result !== 'unknown';
  }
  const outcome = await queryCode(core, attempt);
  // While its creation runs, only that may say that a code was not made; money is recorded whatever became of the code.
  if (outcome.result === 'made' || outcome.scans.length > 0) await applyCode(core, attempt.id, outcome, via);
  return outcome.result !== 'unknown';
}

/**
 * Somebody whom nobody can believe says that there is news of an attempt: its account is asked. False where there is no such
 * attempt (yet), or nobody answered: then it is looked at again.
 */
export async function applyHint(
  core: Core,
  rail: string,
  { attemptId, railKey, railOrderId }: AttemptName,
): Promise<boolean> {
  const attempt =
    (attemptId && (await findAttempt.first(core, { id: attemptId }))) ||
    (railKey && (await findByKey.first(core, { rail, railKey }))) ||
    (railOrderId && (await findByOrder.first(core, { rail, railOrderId }))) ||
    null;
  if (attempt?.rail !== rail) return false;
  // Only who got the order knows the attempt's own address: where the answer was lost, this is how its name there is learned.
  const isUnnamed = attemptId && railOrderId && !attempt.railOrderId;
  // An order that is another attempt's is not this one's too.
  const isLearned = isUnnamed && !(await findByOrder.first(core, { rail, railOrderId }));
  if (isLearned) await changeAttempt.run(core, { id: attempt.id, set: { railOrderId } });
  return askAttempt(core, isLearned ? { ...attempt, railOrderId } : attempt, 'notification');
}

const findByKey = prepared((tables, { rail, railKey }: { rail: string; railKey: string }) =>
  tables.selectFrom('attempts').selectAll().where('rail', '=', rail).where('railKey', '=', railKey),
);

const findByOrder = prepared((tables, { rail, railOrderId }: { rail: string; railOrderId: string }) =>
  tables.selectFrom('attempts').selectAll().where('rail', '=', rail).where('railOrderId', '=', railOrderId),
);

/** What claims an authorization may be a capture, which is a payment of its own. */
const findOpenAttempts = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('attempts')
    .select(['id', 'kind', 'rail', 'railOrderId', 'sentAt', 'resolvedAt'])
    .where('paymentId', 'in', (eb) =>
      eb
        .selectFrom('payments')
        .select('payments.id')
        .where((of) => of.or([of('payments.id', '=', paymentId), of('authorizationId', '=', paymentId)])),
    )
    .where((eb) => eb.or([eb('status', '<>', 'Approved'), eb('kind', '=', 'qrcode')]))
    .orderBy('createdAt'),
);
