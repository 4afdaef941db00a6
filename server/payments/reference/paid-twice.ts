// Withdraws the reference of a replaced payment after the payer paid by push. Flags money for both payments.
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import { oddColumns } from '../core/attention.ts';
import { subjectOf } from '../core/record-transaction.ts';
import { changePayment, findByPayment, findPayment } from '../core/rows.ts';
import { Payment, type PaymentWithReference } from '../core/entities.ts';
import type { CancelRequest } from '../core/method.ts';
import { lockPair } from './find.ts';
import { closeReference, setReferenceDue } from './states.ts';

/** After money by push for a replaced payment, closes the replacing reference and flags money for both payments. */
export async function closeReplacement(core: Core, db: Db, firstId: string, details: object): Promise<void> {
  const first = await findPayment.first(db, { id: firstId });
  if (!first?.replacedById) return;
  const reference = await findByPayment.first(db, { paymentId: first.replacedById });
  // Lock order: a payment before the payment that replaces it.
  const pair = reference && (await lockPair(db, reference.id));
  if (!pair) return;
  const at = core.clock.now();
  if (isTwicePaid(first, pair.payment)) await flagTwicePaid(db, first, at, details);
  // After too little money by push, the payer may still pay by reference.
  if (first.status === 'Paid' && pair.reference.status === 'Pending')
    await withdrawReference(core, db, pair, { at, details: { paidBy: first.id } });
}

/** Withdraws the replacing reference when the merchant cancels it. The caller has locked its payment. */
export async function withdrawReplacement(
  core: Core,
  db: Db,
  payment: Payment,
  { at, by }: CancelRequest,
): Promise<void> {
  const reference = await findByPayment.one(db, { paymentId: payment.id });
  await withdrawReference(core, db, { payment, reference }, { at, by });
}

async function withdrawReference(
  core: Core,
  db: Db,
  pair: PaymentWithReference,
  { at, by, details = {} }: Partial<CancelRequest> & { at: Date; details?: object },
): Promise<void> {
  await closeReference(core, db, pair, 'cancel', { at, by, details });
  // The due-row job withdraws the reference at the rail immediately.
  await setReferenceDue.run(db, { id: pair.reference.id, dueAt: at });
  db.afterCommit?.(() => core.jobs.wake('payment_references'));
}

/** After money for a reference, flags the payment if the replaced payment has money too. */
export async function flagIfPaidBefore(db: Db, payment: Payment, at: Date, details: object): Promise<void> {
  const first = payment.replacesId && (await findPayment.first(db, { id: payment.replacesId }));
  if (!first) return;
  const now = await findPayment.one(db, { id: payment.id });
  if (isTwicePaid(first, now)) await flagTwicePaid(db, now, at, details);
}

/** True if both payments have money and one of them is paid in full. */
function isTwicePaid(...both: [Payment, Payment]): boolean {
  return both.every(({ amountPaidMinor }) => amountPaidMinor > 0) && both.some(({ status }) => status === 'Paid');
}

async function flagTwicePaid(db: Db, payment: Payment, at: Date, details: object): Promise<void> {
  if (payment.flags.includes('overpaid')) return;
  const set = oddColumns(payment, { flag: 'overpaid' });
  await changePayment.run(db, { id: payment.id, set });
  const other = payment.replacedById ?? payment.replacesId;
  await recordEvent(db, {
    ...subjectOf(payment),
    type: 'payment.overpaid',
    occurredAt: at,
    details: { ...details, paidToo: other },
  });
}
