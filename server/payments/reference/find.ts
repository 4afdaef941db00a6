// Finding references: a merchant's own by digits, and whose money it is that came to some digits.
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { inSnapshot } from '../../database/orm.ts';
import { prepared, type Db } from '../../database/db.ts';
import { Problem } from '../../http/problem.ts';
import type { ReferencePayment } from '../../providers/provider.ts';
import type { PaymentWithReference, Reference } from '../core/entities.ts';
import { DIGITS } from '../core/fields.ts';
import { findPayment } from '../core/rows.ts';
import { findReference } from './states.ts';

/** The merchant's newest reference with these digits. @throws Problem not_found */
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

/**
 * The payment first, then its reference: the one order of locking. Both as they are once the lock is won.
 * @returns null when there is no such reference
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
 * Whose money it is that was paid to digits at a moment of the rail's clock: the reference that was live then, else the
 * last one closed before, never simply the newest (decisions §4). Live at the rail is also one that was closed but not
 * yet withdrawn there: until then the next one with its digits is not registered (registration.ts), so it cannot have been
 * paid. Money that was nobody's when it came is nobody's for ever.
 */
export async function findPaid(
  db: Db,
  rail: string,
  money: Pick<ReferencePayment, 'entity' | 'reference' | 'occurredAt' | 'providerRef' | 'referenceId'>,
): Promise<Reference | null> {
  const { entity, reference, occurredAt, providerRef, referenceId } = money;
  const named = referenceId ? await findReference.first(db, { id: referenceId }) : null;
  // What the rail carries with the money says more than digits and time do; only of its own.
  if (named?.rail === rail && named.reference === reference) return named;
  return findOwner.first(db, { rail, entity, reference, at: occurredAt, unknownId: unknownId(providerRef) });
}

/** Under this name the inbox keeps money of nobody. */
export function unknownId(providerRef: string): string {
  return `unknown ${providerRef}`;
}

/** The rail's clock may be this far behind ours: a reference can be paid "before" it was created. */
const MINUTES_BEHIND = 5;

type Paid = { rail: string; entity: string; reference: string; at: Date; unknownId: string };

const findOwner = prepared((tables, { rail, entity, reference, at: moment, unknownId: unknown }: Paid) => {
  const at = sql<Date>`${moment}::timestamptz`;
  return tables
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
      const isHeld = eb.and([
        eb.or([eb('withdrawnAt', 'is', null), eb('withdrawnAt', '>', at)]),
        eb('expiresAt', '>', at),
      ]);
      const wasClosed = eb('closedAt', '<=', at);
      const wasLive = eb.and([eb('createdAt', '<=', at), eb.or([eb('closedAt', 'is', null), eb('closedAt', '>', at)])]);
      const known = eb
        .case()
        .when(eb.and([wasClosed, isHeld]))
        .then(0)
        .when(wasLive)
        .then(1);
      return known.when(wasClosed).then(2).else(3).end();
    })
    .orderBy((eb) => {
      // Of several that the rail has not let go of, only the first can be registered there.
      const isHeld = eb.and([
        eb.or([eb('withdrawnAt', 'is', null), eb('withdrawnAt', '>', at)]),
        eb('expiresAt', '>', at),
      ]);
      return eb.case().when(isHeld).then(eb.ref('createdAt')).end();
    })
    .orderBy((eb) => eb.case().when('closedAt', '<=', at).then(eb.ref('closedAt')).end(), 'desc')
    .orderBy('createdAt')
    .orderBy('id')
    .limit(1);
});
