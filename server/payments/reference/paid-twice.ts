// Withdraws the reference that replaced a refused payment once one of the two is paid, and flags a payment of both.
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import { subjectOf, withFlag } from '../core/record-transaction.ts';
import { changePayment, findByPayment, findPayment } from '../core/rows.ts';
import { Payment, type PaymentWithReference } from '../core/entities.ts';
import { lockPair } from './find.ts';
import { closeReference, setReferenceDue } from './states.ts';

/** Money came by the push of a replaced payment: closes the reference in its place, and flags money for both. */
export async function closeReplacement(core: Core, db: Db, firstId: string, details: object): Promise<void> {
  const first = await findPayment.first(db, { id: firstId });
  if (!first?.replacedById) return;
  const reference = await findByPayment.first(db, { paymentId: first.replacedById });
  // Lock order: a payment before its replacement.
  const pair = reference && (await lockPair(db, reference.id));
  if (!pair) return;
  const at = core.clock.now();
  if (isTwicePaid(first, pair.payment)) await flagTwicePaid(db, first, at, details);
  // After too little money the payer may still pay by reference.
  if (first.status === 'Paid' && pair.reference.status === 'Pending')
    await withdrawReference(core, db, pair, at, { paidBy: first.id });
}

/** The merchant cancels the replacement, whose payment is locked. */
export async function withdrawReplacement(core: Core, db: Db, payment: Payment, at: Date): Promise<void> {
  const reference = await findByPayment.one(db, { paymentId: payment.id });
  await withdrawReference(core, db, { payment, reference }, at);
}

async function withdrawReference(
  core: Core,
  db: Db,
  pair: PaymentWithReference,
  at: Date,
  details = {},
): Promise<void> {
  await closeReference(core, db, pair, 'cancel', at, details);
  // The due rows withdraw it at the rail at once.
  await setReferenceDue.run(db, { id: pair.reference.id, dueAt: at });
  db.afterCommit?.(() => core.jobs.wake('payment_references'));
}

/** Money came for a reference: flags it if the replaced payment has money too. */
export async function flagIfPaidBefore(db: Db, payment: Payment, at: Date, details: object): Promise<void> {
  const first = payment.replacesId && (await findPayment.first(db, { id: payment.replacesId }));
  if (!first) return;
  const now = await findPayment.one(db, { id: payment.id });
  if (isTwicePaid(first, now)) await flagTwicePaid(db, now, at, details);
}

/** True if both have money and one is paid in full. */
function isTwicePaid(...both: [Payment, Payment]): boolean {
  return both.every(({ amountPaidMinor }) => amountPaidMinor > 0) && both.some(({ status }) => status === 'Paid');
}

async function flagTwicePaid(db: Db, payment: Payment, at: Date, details: object): Promise<void> {
  if (payment.flags.includes('overpaid')) return;
  const set = { flags: withFlag(payment, 'overpaid') };
  await changePayment.run(db, { id: payment.id, set });
  const other = payment.replacedById ?? payment.replacesId;
  await recordEvent(db, {
    ...subjectOf(payment),
    type: 'payment.overpaid',
    occurredAt: at,
    details: { ...details, paidToo: other },
  });
}
