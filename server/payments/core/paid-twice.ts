// Closes the replacement of a payment that received money after all. Flags money for both payments.
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import { oddColumns } from './attention.ts';
import { methodOf, withdrawOffers, type MethodModule } from './method.ts';
import { subjectOf } from './record-transaction.ts';
import { changePayment, findPayment, lockPayment } from './rows.ts';
import type { Payment } from './entities.ts';

/** Reacts to money of every method. */
export const replacementModule: MethodModule = {
  methods: [],
  orders: {},
  async afterMoney(core, { db, payment, at, details }) {
    if (payment.replacedById) await closeReplacement(core, db, payment.id, details);
    await flagIfPaidBefore(db, payment, at, details);
  },
};

/** After money for a replaced payment, closes its replacement and all later ones, and flags money for both. */
export async function closeReplacement(core: Core, db: Db, firstId: string, details: object): Promise<void> {
  const first = await findPayment.one(db, { id: firstId });
  const at = core.clock.now();
  for (let id = first.replacedById; id;) {
    // Lock order: a payment before the payment that replaces it.
    const next = await lockPayment.one(db, { id });
    if (isTwicePaid(first, next)) await flagTwicePaid(db, first, at, details);
    // After too little money for the first payment, the payer may still pay the next. A running push cannot be closed.
    if (first.status === 'Paid' && next.status === 'Pending') await cancelPaid(core, db, next, first.id);
    id = next.replacedById;
  }
}

async function cancelPaid(core: Core, db: Db, payment: Payment, paidBy: string): Promise<void> {
  const at = core.clock.now();
  const canceled = await methodOf(payment).cancel?.(core, db, payment, { at, by: {}, cause: { paidBy } });
  if (!canceled) return;
  await withdrawOffers(core, db, payment, at);
  db.afterCommit?.(() => core.changes.publish(`payment:${payment.id}`));
}

/** After money for a replacement, flags the payment if a payment that it replaced has money too. */
export async function flagIfPaidBefore(db: Db, payment: Payment, at: Date, details: object): Promise<void> {
  for (let id = payment.replacesId; id;) {
    const first = await findPayment.one(db, { id });
    const now = await findPayment.one(db, { id: payment.id });
    if (isTwicePaid(first, now)) await flagTwicePaid(db, now, at, details);
    id = first.replacesId;
  }
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
