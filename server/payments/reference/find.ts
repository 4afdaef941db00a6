// Finds references: a merchant's own by digits, and the owner of money that was paid to digits.
import { sql, type ExpressionBuilder } from 'kysely';
import type { Core } from '../../core.ts';
import { inSnapshot } from '../../database/orm.ts';
import { prepared, type Db, type Tables } from '../../database/db.ts';
import { Problem } from '../../http/problem.ts';
import type { ReferencePayment } from '../../providers/provider.ts';
import type { PaymentWithReference, Reference } from '../core/entities.ts';
import { DIGITS } from '../core/fields.ts';
import { findPayment, findPayments, findReferencesOf } from '../core/rows.ts';
import { findReference } from './states.ts';

/** Finds the merchant's newest reference with these digits. @throws Problem not_found */
export async function findOwnReference(core: Core, merchantId: string, digits: string): Promise<PaymentWithReference> {
  if (!DIGITS.test(digits)) throw new Problem('not_found');
  return inSnapshot(core, async (db) => {
    const reference = await findNewest.first(db, { merchantId, digits });
    const payment = reference && (await findPayment.first(db, { id: reference.paymentId }));
    if (!payment) throw new Problem('not_found');
    return { payment, reference };
  });
}

const findNewest = prepared((tables, { merchantId, digits }: { merchantId: string; digits: string }) =>
  tables
    .selectFrom('payment_references')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('reference', '=', digits)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** Finds payments with their references, in the order of the payments' ids in `ids`. */
export async function findPairs(core: Core, ids: string[]): Promise<PaymentWithReference[]> {
  const pairs = await inSnapshot(core, async (db) => pairUp(db, await findReferencesOf.all(db, { ids })));
  const byId = new Map(pairs.map((pair) => [pair.payment.id, pair]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Adds their payments to references. */
export async function pairUp(db: Db, references: Reference[]): Promise<PaymentWithReference[]> {
  const ids = references.map(({ paymentId }) => paymentId);
  const payments = ids.length > 0 ? await findPayments.all(db, { ids }) : [];
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  return references.flatMap((reference) => {
    const payment = byId.get(reference.paymentId);
    return payment ? [{ payment, reference }] : [];
  });
}

/**
 * Locks a payment and then its reference, which is the only lock order. Returns both rows as they are after the lock.
 * @returns null if the reference does not exist
 */
export async function lockPair(db: Db, referenceId: string): Promise<PaymentWithReference | null> {
  const payment = await lockPaymentOf.first(db, { referenceId });
  const reference = payment && (await findReference.first(db, { id: referenceId }));
  return reference && { payment, reference };
}

const lockPaymentOf = prepared((tables, { referenceId }: { referenceId: string }) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', (eb) =>
      eb.selectFrom('payment_references as f').select('f.paymentId').where('f.id', '=', referenceId),
    )
    .forUpdate(),
);

/**
 * Returns the reference that the money belongs to, by the rail's payment time.
 * This is the reference that was live at that time, else the last one that was closed before.
 * A closed reference stays live at the rail until its withdrawal.
 * The next reference with the same digits is registered after that withdrawal (registration.ts).
 * A transaction that matched no reference on arrival is never matched later.
 */
export async function findReferenceOfMoney(
  db: Db,
  rail: string,
  money: Pick<ReferencePayment, 'entity' | 'reference' | 'occurredAt' | 'providerRef' | 'referenceId'>,
): Promise<Reference | null> {
  const { entity, reference, occurredAt, providerRef, referenceId } = money;
  const named = referenceId ? await findReference.first(db, { id: referenceId }) : null;
  // If the rail names the reference's id, and the reference belongs to this account, the money is for that reference.
  if (named?.rail === rail && named.reference === reference) return named;
  return findOwner.first(db, { rail, entity, reference, at: occurredAt, unknownId: unknownId(providerRef) });
}

/** Returns the id under which the inbox keeps money for unknown digits. */
export function unknownId(providerRef: string): string {
  return `unknown ${providerRef}`;
}

/** The rail's clock may be this far behind, so a payment time may be before the reference's creation. */
const MINUTES_BEHIND = 5;

type Paid = { rail: string; entity: string; reference: string; at: Date; unknownId: string };

const findOwner = prepared((tables, { rail, entity, reference, at: moment, unknownId: unknown }: Paid) => {
  const at = sql<Date>`${moment}::timestamptz`;
  const isHeld = (eb: ExpressionBuilder<Tables, 'payment_references'>) =>
    eb.and([eb.or([eb('withdrawnAt', 'is', null), eb('withdrawnAt', '>', at)]), eb('expiresAt', '>', at)]);
  return (
    tables
      .selectFrom('payment_references')
      .selectAll()
      .where('rail', '=', rail)
      .where('entity', '=', entity)
      .where('reference', '=', reference)
      .where('createdAt', '<=', sql<Date>`${at} + make_interval(mins => ${MINUTES_BEHIND})`)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('inbox')
              .select('inbox.id')
              .where('inbox.rail', '=', rail)
              .where('notificationId', '=', unknown),
          ),
        ),
      )
      .orderBy((eb) => {
        const wasClosed = eb('closedAt', '<=', at);
        const wasLive = eb.and([
          eb('createdAt', '<=', at),
          eb.or([eb('closedAt', 'is', null), eb('closedAt', '>', at)]),
        ]);
        const known = eb
          .case()
          .when(eb.and([wasClosed, isHeld(eb)]))
          .then(0)
          .when(wasLive)
          .then(1);
        return known.when(wasClosed).then(2).else(3).end();
      })
      // If several references are not yet withdrawn, only the first of them can be registered at the rail.
      .orderBy((eb) => eb.case().when(isHeld(eb)).then(eb.ref('createdAt')).end())
      .orderBy((eb) => eb.case().when('closedAt', '<=', at).then(eb.ref('closedAt')).end(), 'desc')
      .orderBy('createdAt')
      .orderBy('id')
      .limit(1)
  );
});
