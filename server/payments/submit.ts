// Submits an order to the rail once its attempt is committed; a repeat says the same, and its outcome enters by apply-outcome.
import type { Insertable, Updateable } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, takeLock, type Db, type Tables } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem, tryLater } from '../http/problem.ts';
import { leaseMs } from '../jobs/schedule.ts';
import type { GpoRail, QrOrder, RailOrder } from '../providers/provider.ts';
import type { RecordedAttempt, Attempt, AttemptKind, Payment } from './entities.ts';
import { methodOf } from './methods.ts';
import { NOT_FOUND_IS_SURE_MS } from './poll-schedule.ts';
import { findAttempt, lockPaymentOf } from './rows.ts';
import { applyOutcome } from './apply-outcome.ts';
import { publishCheckoutPayment, type CheckoutPayment } from './checkout-payment.ts';
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
    const submitted = await inTransaction(core, (db) => recordPush(core, db, paymentId, phone));
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
  const attempt = { id: uuid(), kind: 'purchase', phone, status: 'Unsent', ...times } as const;
  const set = { phone, failureCode: null, attemptsMade: payment.attemptsMade + 1, dueAt: null };
  await transition(db, payment, 'submit', { at: now, set, details: { attemptId: attempt.id } });
  await insertAttempt.run(db, { row: { ...attempt, paymentId: payment.id } });
  const moved = movedBy(payment, 'submit', set);
  // What money a payment has is told by its transactions: where there is some, they are read.
  const shown = payment.amountPaidMinor === 0 ? { ...moved, ...NOTHING_ELSE, pushedAt: now } : null;
  return { push: { payment: moved, attempt, written: attempt }, shown };
}

const NOTHING_ELSE = { ppr: null, money: null, insteadId: null, endedAt: null };

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
export async function submitAttempt(core: Core, rail: GpoRail, recorded: RecordedAttempt): Promise<void> {
  const { attempt, written } = recorded;
  try {
    const outcome = await rail.send(await orderOf(core, recorded));
    await applyOutcome(core, attempt.id, outcome, 'answer', written);
  } catch (error) {
    core.log.error(
      { err: error, attemptId: attempt.id },
      'the outcome of an order could not be recorded; polling will',
    );
  }
}

/**
 * A recorded order may go out (again) under its id: nobody else is sending it, it is still wanted and still unsent, or
 * it is a void, which the rail must get at last. Answers it with its new time, or null.
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
    if (last.kind !== 'void' && !(isUnsent && payment.status === 'Processing')) return null;
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

/** Records that the rail must let go of what it made for the payment; `dueAt` is when the due rows take it up. */
export function insertVoid(db: Db, paymentId: string, at: Date, dueAt: Date): Promise<Attempt> {
  const row = { id: uuid(), paymentId, kind: 'void', status: 'Unsent', createdAt: at, sentAt: at, dueAt } as const;
  return insertAttempt.one(db, { row });
}

const insertAttempt = prepared((tables, { row }: { row: Insertable<Tables['attempts']> }) =>
  tables.insertInto('attempts').values(row).returningAll(),
);

/** The order of a recorded attempt; a QR code has its own (`qrOrderOf`). */
async function orderOf(core: Core, { payment, attempt }: RecordedAttempt): Promise<RailOrder> {
  const { gpoMerchantId, gpoPosId } = idsOf(payment);
  const common = { attemptId: attempt.id, gpoMerchantId };
  const { reference, amountMinor, currency } = payment;
  const bill = { ...common, gpoPosId, reference, amountMinor, currency, description: payment.description ?? null };
  if (attempt.kind === 'void') {
    const target = payment.paymentMethod === 'qrcode' ? 'qrcode' : 'authorization';
    return { ...common, kind: 'void', target, targetId: await findMaker(core, payment.id, target) };
  }
  if (attempt.kind === 'capture') {
    const authorizationId = await findMaker(core, payment.authorizationId ?? '', 'authorization');
    return { ...bill, kind: 'capture', authorizationId };
  }
  if (attempt.kind === 'qrcode' || !attempt.phone) throw new Error(`attempt ${attempt.id} is no order of this kind`);
  return { ...bill, kind: attempt.kind, phone: attempt.phone };
}

/** What the rail makes a payment's QR code from; described as `metadata.description` has it, else by its reference (decisions §3). */
export function qrOrderOf(payment: Payment, attemptId: string, described: string | null | undefined): QrOrder {
  const { reference, amountMinor, currency, qrType, maxTransactions, expiresAt } = payment;
  if (!qrType || !maxTransactions || !expiresAt) throw new Error(`payment ${payment.id} is no QR code`);
  const description = described ?? reference;
  const code = { reference, amountMinor, currency, description, type: qrType, maxTransactions, endDate: expiresAt };
  return { attemptId, ...idsOf(payment), ...code };
}

/** The attempt that made what a capture takes from, or a void ends: its id is the rail's name of it. */
async function findMaker(core: Core, paymentId: string, kind: AttemptKind): Promise<string> {
  const maker = await findFirst.first(core, { paymentId, kind });
  if (!maker) throw new Error(`payment ${paymentId} was never made at the rail`);
  return maker.id;
}

const findFirst = prepared((tables, { paymentId, kind }: { paymentId: string; kind: AttemptKind }) =>
  tables
    .selectFrom('attempts')
    .select('id')
    .where('paymentId', '=', paymentId)
    .where('kind', '=', kind)
    .orderBy('createdAt')
    .limit(1),
);

function idsOf({ id, gpoMerchantId, gpoPosId }: Payment): { gpoMerchantId: string; gpoPosId: string } {
  if (!gpoMerchantId || !gpoPosId) throw new Error(`payment ${id} has no GPO ids`);
  return { gpoMerchantId, gpoPosId };
}
