// Queries of refunds, of the transactions that they refund, and of the payments that have the money.
import { prepared } from '../../database/db.ts';

type ById = { id: string };
type Own = ById & { merchantId: string };

export const findRefund = prepared((tables, { id }: ById) =>
  tables.selectFrom('refunds').selectAll().where('id', '=', id),
);

export const findOwnRefund = prepared((tables, { id, merchantId }: Own) =>
  tables.selectFrom('refunds').selectAll().where('id', '=', id).where('merchantId', '=', merchantId),
);

/**
 * Locks a payment with its authorization and its captures, always an authorization before its captures.
 */
export const lockWithCaptures = prepared((tables, { id, merchantId }: Own) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where((eb) =>
      eb.or([
        eb('id', '=', id),
        eb('authorizationId', '=', id),
        eb('id', '=', eb.selectFrom('payments as p').select('p.authorizationId').where('p.id', '=', id)),
      ]),
    )
    .orderBy('authorizationId', (order) => order.asc().nullsFirst())
    .forUpdate(),
);

export const findTransactionById = prepared((tables, { id }: ById) =>
  tables.selectFrom('transactions').selectAll().where('id', '=', id),
);

/** Reserves an amount of a transaction for a refund. Changes no row if less than the amount is left. */
export const reserveMoney = prepared((tables, { id, amountMinor }: ById & { amountMinor: number }) =>
  tables
    .updateTable('transactions')
    .set((eb) => ({ refundingMinor: eb('refundingMinor', '+', amountMinor) }))
    .where('id', '=', id)
    .where((eb) => eb(eb('refundedMinor', '+', eb('refundingMinor', '+', amountMinor)), '<=', eb.ref('amountMinor'))),
);

/** Ends the reservation of an amount, and adds it to the refunded sum. */
export const settleMoney = prepared(
  (tables, { id, heldMinor, givenMinor }: ById & { heldMinor: number; givenMinor: number }) =>
    tables
      .updateTable('transactions')
      .set((eb) => ({
        refundingMinor: eb('refundingMinor', '-', heldMinor),
        refundedMinor: eb('refundedMinor', '+', givenMinor),
      }))
      .where('id', '=', id)
      .returning(['amountMinor', 'refundedMinor', 'period']),
);

export const findOpenOf = prepared((tables, { transactionId }: { transactionId: string }) =>
  tables
    .selectFrom('refunds')
    .select('id')
    .where('transactionId', '=', transactionId)
    .where('status', 'in', ['Pending', 'Processing'])
    .limit(1),
);

export const findPaymentIds = prepared((tables, { id, merchantId }: Own) =>
  tables
    .selectFrom('payments')
    .select('id')
    .where('merchantId', '=', merchantId)
    .where((eb) => eb.or([eb('id', '=', id), eb('authorizationId', '=', id)])),
);
