// Submits an order to the rail once its attempt is committed; a repeat says the same, and its outcome enters by apply-outcome.
import type { Updateable } from 'kysely';
import type { Core } from '../../core.ts';
import { repeatLost } from '../../database/away.ts';
import { prepared, takeLock, type Db, type Tables } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { Problem, tryLater } from '../../http/problem.ts';
import { leaseMs } from '../../jobs/schedule.ts';
import type { QrOrder, QrOutcome, RailOrder, RailOutcome } from '../../providers/provider.ts';
import { accountsFor, idsOf, nameAttempt, notifyUrlOf, walletOf } from './account.ts';
import type { RecordedAttempt, Attempt, Payment } from './entities.ts';
import { methodOf } from './method.ts';
import { isInstruction, NOT_FOUND_IS_SURE_MS } from './schedule.ts';
import { voidedBy, withdrawCode } from '../qr/withdraw.ts';
import { findAttempt, findMaker, insertAttempt, lockPaymentOf } from './rows.ts';
import { applyOutcome } from './apply-outcome.ts';
import { accountsLeft } from './failover.ts';
import { publishCheckoutPayment, type CheckoutPayment } from './checkout-payment.ts';
import { sendRefund } from '../refund/order.ts';
import { movedBy, transition } from './states.ts';

/** Checkout pushes one payment may use (decisions §3). */
export const MAX_PUSHES = 5;
const PHONE_WINDOW_MS = 10 * 60_000;

/** A push as it was recorded, and the payment as its payer is shown it now (null: only a read can tell). */
type Submitted = { push: RecordedAttempt; shown: CheckoutPayment | null };

/**
 * A payer asks for a push from the checkout. Answers the attempt to send, or null when the same phone is being asked
 * already (two tabs, a double tap: one push).
 * @throws Problem payment_in_progress (another phone), payment_not_payable, attempts_exhausted, too_many_pushes,
 * reference_in_flight, terminal_closed
 */
export async function submitPhone(core: Core, paymentId: string, phone: string): Promise<Submitted | null> {
  try {
    // The second run of a push that was recorded finds its phone being asked.
    const submitted = await repeatLost(() => inTransaction(core, (db) => recordPush(core, db, paymentId, phone)));
    if (submitted?.shown) publishCheckoutPayment(core, submitted.shown);
    else if (submitted) core.changes.publish(`payment:${paymentId}`);
    return submitted;
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'payments_in_flight')
      throw new Problem('reference_in_flight');
    throw error;
  }
}

async function recordPush(core: Core, db: Db, paymentId: string, phone: string): Promise<Submitted | null> {
  const locked = await lockForPush.first(db, { paymentId });
  if (!locked) throw new Problem('not_found');
  const { isTerminalClosed, ...payment } = locked;
  const now = core.clock.now();
  if (payment.status === 'Processing') {
    if (payment.phone === phone) return null;
    throw new Problem('payment_in_progress');
  }
  const isOver = payment.expiresAt && payment.expiresAt <= now;
  if (payment.status !== 'Pending' || isOver || methodOf(payment).start !== 'checkout')
    throw new Problem('payment_not_payable');
  if (payment.attemptsMade >= MAX_PUSHES) throw new Problem('attempts_exhausted');
  await refuseOftenAskedPhone(core, db, phone, now);
  if (isTerminalClosed) throw new Problem('terminal_closed');
  const dueAt = new Date(now.getTime() + leaseMs(core.config));
  const times = { createdAt: now, sentAt: now, dueAt };
  const [account] = payment.attemptsMade > 0 ? await accountsLeft(core, db, payment) : accountsFor(core, payment);
  if (!account) throw tryLater('rail_unavailable', 60);
  const attempt = { ...nameAttempt(core, account), kind: 'purchase', phone, status: 'Unsent', ...times } as const;
  const set = { phone, failureCode: null, attemptsMade: payment.attemptsMade + 1, dueAt: null };
  await withdrawCode(core, db, payment, now);
  await transition(db, payment, 'submit', { at: now, set, details: { attemptId: attempt.id } });
  await insertAttempt.run(db, { row: { ...attempt, paymentId: payment.id } });
  const moved = movedBy(payment, 'submit', set);
  // What money a payment has is told by its transactions: where there is some, they are read.
  const shown = payment.amountPaidMinor === 0 ? { ...moved, ...NOTHING_ELSE, pushedAt: now } : null;
  return { push: { payment: moved, attempt, written: attempt }, shown };
}

const NOTHING_ELSE = { ppr: null, money: null, insteadId: null, thanks: null, endedAt: null };

const lockForPush = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .select((eb) =>
      // A terminal on its way, or never heard of, is the rail's to judge.
      eb
        .exists(
          eb
            .selectFrom('terminals as t')
            .select('t.id')
            .whereRef('t.merchantId', '=', 'payments.merchantId')
            .whereRef('t.posId', '=', 'payments.gpoPosId')
            .where('t.status', '=', 'Closed'),
        )
        .as('isTerminalClosed'),
    )
    .where('id', '=', paymentId)
    .forUpdate(),
);

/** Nobody's phone may be made to ring by strangers' checkouts (decisions §3, PUSHES_PER_PHONE; off in the sandbox). */
async function refuseOftenAskedPhone(core: Core, db: Db, phone: string, now: Date): Promise<void> {
  const limit = core.config.PUSHES_PER_PHONE;
  if (core.config.isSandbox || limit === 0) return;
  // Checkouts of one phone take turns, so that two at once cannot both see room.
  await takeLock(db, `phone ${phone}`);
  const since = new Date(now.getTime() - PHONE_WINDOW_MS);
  const asked = await findAsked.all(db, { phone, since, limit });
  const oldest = asked[0];
  if (!oldest || asked.length < limit) return;
  const waitMs = oldest.createdAt.getTime() + PHONE_WINDOW_MS - now.getTime();
  throw tryLater('too_many_pushes', waitMs / 1000);
}

/** From checkouts: a merchant's own pushes are its own affair. */
const findAsked = prepared((tables, { phone, since, limit }: { phone: string; since: Date; limit: number }) =>
  tables
    .selectFrom('attempts')
    .select('createdAt')
    .where('phone', '=', phone)
    .where('createdAt', '>', since)
    .where('paymentId', 'in', (eb) => eb.selectFrom('payments').select('id').where('paymentMethod', '=', 'webframe'))
    .orderBy('createdAt')
    .limit(limit),
);

/**
 * Sends a recorded order and settles what the rail says. Never throws: whatever goes wrong, the attempt's due row
 * finds out the truth later.
 */
export async function submitAttempt(core: Core, recorded: RecordedAttempt): Promise<void> {
  const { attempt, written } = recorded;
  try {
    const outcome = await SEND[attempt.kind === 'refund' ? 'refund' : 'order'](core, recorded);
    await applyOutcome(core, attempt.id, outcome, 'answer', written);
  } catch (error) {
    core.log.error(
      { err: error, attemptId: attempt.id },
      'the outcome of an order could not be recorded; polling will',
    );
  }
}

const SEND = {
  async order(core: Core, recorded: RecordedAttempt): Promise<RailOutcome> {
    const rail = await core.rails.gpo(recorded.attempt.rail);
    const outcome = await rail.send(await orderOf(core, recorded));
    noteOutcome(core, recorded.attempt.rail, outcome);
    return outcome;
  },
  // A circuit judges pushes: where money cannot be given back, it may still be taken.
  refund: sendRefund,
};

type Noted = Pick<RailOutcome, 'failureCode' | 'details'> & { result: RailOutcome['result'] | QrOutcome['result'] };

/** What an outcome says of the account itself. Of a lost answer nobody can say whose fault it was. */
export function noteOutcome(
  { rails }: Pick<Core, 'rails'>,
  railId: string,
  { result, failureCode, details }: Noted,
): void {
  // Nothing was asked, as the rail cannot do it at all.
  if (details['reason'] === 'unsupported') return;
  const isAway = result === 'unknown' && (details['reason'] === 'unreachable' || details['reason'] === 'blocked');
  if (failureCode === 'acquirer_setup') rails.circuits.note(railId, 'misconfigured');
  else if (isAway || failureCode === 'rail_unavailable') rails.circuits.note(railId, 'fault');
  else if (result !== 'unknown') rails.circuits.note(railId, 'answered');
}

/**
 * A recorded order may go out (again) under its id: nobody else is sending it, it is still wanted and still unsent, or
 * it is what the rail must get at last. Answers it with its new time, or null.
 */
export function claimSend(core: Core, attemptId: string, lastSentAt: Date): Promise<RecordedAttempt | null> {
  return inTransaction(core, async (db) => {
    const payment = await lockPaymentOf.first(db, { attemptId });
    const last = payment && (await findAttempt.first(db, { id: attemptId }));
    if (!last) return null;
    const now = core.clock.now();
    const set = { status: 'Unsent', sentAt: now, dueAt: new Date(now.getTime() + leaseMs(core.config)) } as const;
    const since = new Date(now.getTime() - NOT_FOUND_IS_SURE_MS);
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

/** The order of a recorded attempt; a QR code has its own (`qrOrderOf`). */
async function orderOf(core: Core, { payment, attempt }: RecordedAttempt): Promise<RailOrder> {
  const { gpoMerchantId, gpoPosId } = idsOf(payment);
  const common = { attemptId: attempt.id, gpoMerchantId };
  const { reference, amountMinor, currency } = payment;
  const bill = { ...common, gpoPosId, reference, amountMinor, currency, description: payment.description ?? null };
  if (attempt.kind === 'void') {
    const target = voidedBy(payment);
    return { ...common, kind: 'void', target, targetId: (await findMaker(core, payment.id, target)).id };
  }
  if (attempt.kind === 'capture') {
    const made = attempt.makerId ?? (await findMaker(core, payment.authorizationId ?? '', 'authorization')).id;
    return { ...bill, kind: 'capture', authorizationId: made };
  }
  if (attempt.kind === 'qrcode' || attempt.kind === 'refund' || !attempt.phone)
    throw new Error(`attempt ${attempt.id} is no order of this kind`);
  const { kind, phone } = attempt;
  const ours = { paymentId: payment.id, merchantId: payment.merchantId, reference };
  return { ...bill, ours, kind, phone, wallet: walletOf(payment), notifyUrl: await notifyUrlOf(core, attempt) };
}

/** What the rail makes a payment's QR code from; described as `metadata.description` has it, else by its reference (decisions §3). */
export async function qrOrderOf(
  core: Core,
  payment: Payment,
  attempt: Pick<Attempt, 'id' | 'rail'>,
  described: string | null | undefined,
): Promise<QrOrder> {
  const { reference, amountMinor, currency, qrType, maxTransactions, expiresAt } = payment;
  if (!expiresAt) throw new Error(`payment ${payment.id} has no end`);
  const description = described ?? reference;
  // A page's code is paid once, by whoever looks at the page.
  const [type, times] = [qrType ?? 'DYNAMIC', maxTransactions ?? 1] as const;
  const code = { reference, amountMinor, currency, description, type, maxTransactions: times, endDate: expiresAt };
  return { attemptId: attempt.id, ...idsOf(payment), ...code, notifyUrl: await notifyUrlOf(core, attempt) };
}
