// Finding references: a merchant's own by digits, and whose money it is that came to some digits.
import type { Core } from '../core.ts';
import { inSnapshot } from '../database/orm.ts';
import { findRow, type Db } from '../database/rows.ts';
import { Problem } from '../http/problem.ts';
import { Payment } from '../payments/entities.ts';
import type { ReferencePayment } from '../providers/provider.ts';
import type { Pair } from './build.ts';
import { Reference } from './entities.ts';
import { DIGITS } from './schemas.ts';
import { findPayment } from '../payments/rows.ts';

/** The merchant's newest reference with these digits. @throws Problem not_found */
export async function findOwnReference(core: Core, merchantId: string, digits: string): Promise<Pair> {
  if (!DIGITS.test(digits)) throw new Problem('not_found');
  return inSnapshot(core, async (db) => {
    const reference = await findRow(db, Reference, NEWEST, [merchantId, digits]);
    const payment = reference && (await findPayment.first(db, { id: reference.paymentId }));
    if (!payment) throw new Problem('not_found');
    return { payment, reference };
  });
}

const NEWEST = 'merchant_id = $1 and reference = $2 order by created_at desc, id desc limit 1';

/** A payment's reference; null for a payment by other means. */
export function findReferenceOf(db: Db, payment: Pick<Payment, 'id' | 'paymentType'>): Promise<Reference | null> {
  if (payment.paymentType !== 'PPR') return Promise.resolve(null);
  return findRow(db, Reference, 'payment_id = $1', [payment.id]);
}

/**
 * The payment first, then its reference: the one order of locking. Both as they are once the lock is won.
 * @returns null when there is no such reference
 */
export async function lockPair(db: Db, referenceId: string): Promise<Pair | null> {
  const ofReference = 'id = (select payment_id from payment_references where id = $1) for update';
  const payment = await findRow(db, Payment, ofReference, [referenceId]);
  const reference = payment && (await findRow(db, Reference, 'id = $1', [referenceId]));
  return reference && { payment, reference };
}

/**
 * Whose money it is that was paid to digits at a moment of the rail's clock: the reference that was live then, else the
 * last one closed before, never simply the newest (decisions §4). Live at the rail is also one that was closed but not
 * yet withdrawn there: until then the next one with its digits is not registered (register.ts), so it cannot have been
 * paid. Money that was nobody's when it came is nobody's for ever.
 */
export function findPaid(
  db: Db,
  money: Pick<ReferencePayment, 'entity' | 'reference' | 'occurredAt' | 'providerRef'>,
): Promise<Reference | null> {
  const { entity, reference, occurredAt, providerRef } = money;
  return findRow(db, Reference, OWNER, [entity, reference, occurredAt, unknownId(providerRef), MINUTES_BEHIND]);
}

/** Under this name the inbox keeps money of nobody. */
export function unknownId(providerRef: string): string {
  return `unknown ${providerRef}`;
}

/** The rail's clock may be this far behind ours: a reference can be paid "before" it was created. */
const MINUTES_BEHIND = 5;

const OWNER = `entity = $1 and reference = $2 and created_at <= $3::timestamptz + make_interval(mins => $5)
  and not exists (select from inbox where rail = 'ppr' and notification_id = $4)
  order by case
    when closed_at <= $3 and (withdrawn_at is null or withdrawn_at > $3) and expires_at > $3 then 0
    when created_at <= $3 and (closed_at is null or closed_at > $3) then 1
    when closed_at <= $3 then 2
    else 3 end,
  -- Of several that the rail has not let go of, only the first can be registered there.
  case when (withdrawn_at is null or withdrawn_at > $3) and expires_at > $3 then created_at end,
  case when closed_at <= $3 then closed_at end desc, created_at, id limit 1`;
