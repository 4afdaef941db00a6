// Money that comes late for a payment whose payer went on by reference: nobody is to pay twice, and who did is told.
import type { Core } from '../core.ts';
import { findRow, updateRows, type Db } from '../database/rows.ts';
import { recordEvent } from '../events/record.ts';
import { Payment } from '../payments/entities.ts';
import { subjectOf } from '../payments/outcome.ts';
import { withFlag } from '../payments/receive.ts';
import { closeReference } from './close.ts';
import { Reference } from './entities.ts';
import { lockPair } from './find.ts';

/**
 * The push of a replaced payment brought its money after all, which was just recorded: the reference in its place is
 * closed, so that it is not paid too. If it was, that is too much.
 */
export async function closeReplacement(core: Core, db: Db, firstId: string, details: object): Promise<void> {
  const first = await findRow(db, Payment, 'id = $1', [firstId]);
  // Less than was asked pays nothing: the payer still may, by reference.
  if (first?.status !== 'Paid' || !first.replacedById) return;
  const reference = await findRow(db, Reference, 'payment_id = $1', [first.replacedById]);
  // In the one order of locking: a payment before what took its place.
  const pair = reference && (await lockPair(db, reference.id));
  if (!pair) return;
  const at = core.clock.now();
  if (pair.payment.status === 'Paid') return flagTwicePaid(db, first, at, details);
  if (pair.reference.status !== 'Pending') return;
  await closeReference(core, db, pair, 'cancel', at, { paidBy: first.id });
  // The rail hears it from the due rows: at once.
  await updateRows(db, Reference, { set: { dueAt: at } }, 'id = $1', [pair.reference.id]);
}

/** The same from the other side: money for a reference whose refused payment was paid after all. */
export async function flagIfPaidBefore(db: Db, payment: Payment, at: Date, details: object): Promise<void> {
  const isPaid = `id = $1 and status = 'Paid'`;
  if (!payment.replacesId || !(await findRow(db, Payment, isPaid, [payment.replacesId]))) return;
  const now = (await findRow(db, Payment, 'id = $1', [payment.id])) as Payment;
  if (now.status === 'Paid') await flagTwicePaid(db, now, at, details);
}

async function flagTwicePaid(db: Db, payment: Payment, at: Date, details: object): Promise<void> {
  if (payment.flags.includes('overpaid')) return;
  const set = { flags: withFlag(payment, 'overpaid') };
  await updateRows(db, Payment, { set, bump: 'revision' }, 'id = $1', [payment.id]);
  const other = payment.replacedById ?? payment.replacesId;
  await recordEvent(db, {
    ...subjectOf(payment),
    type: 'payment.overpaid',
    occurredAt: at,
    details: { ...details, paidToo: other },
  });
}
