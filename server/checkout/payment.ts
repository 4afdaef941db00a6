// The payment data of the checkout: read from the database, or published after a transaction changed the payment.
import { sql, type Expression, type ExpressionBuilder } from 'kysely';
import type { ReferenceStatus, ReferenceType } from '../../shared/reference.ts';
import type { Core } from '../core.ts';
import { prepared, type Tables } from '../database/db.ts';
import type { ChangeDetails } from '../changes/notify.ts';
import { PUSHES, type Payment, type Transaction } from '../payments/core/entities.ts';

/** A payment with its push in progress, its reference and its received money. */
export type CheckoutPayment = Payment & {
  pushedAt: Date | null;
  ppr: {
    entity: string;
    type: ReferenceType;
    status: ReferenceStatus;
    registeredAt: string | null;
  } | null;
  /** The id of the payment that the page shows instead: the replacement, or the replaced payment if it was paid. */
  insteadId: string | null;
  /** The thank-you text of the payment link. */
  thanks: string | null;
  /** The time at which the payment, or its replacement, ended. */
  endedAt: Date | null;
  /** The newest transaction and the number of transactions. For a captured authorization: those of its capture. */
  money:
    | (Pick<Transaction, 'late' | 'providerRef'> & {
        occurredAt: string;
        transactionNumber: string | null;
        count: number;
        paidMinor: number;
        refundedMinor: number;
      })
    | null;
};

export function findCheckoutPayment(core: Core, id: string): Promise<CheckoutPayment | null> {
  return findOne.first(core, { id });
}

/** Publishes a committed payment, so that the streams need no read of it. */
export function publishCheckoutPayment(core: Core, shown: CheckoutPayment): void {
  core.changes.publish(`payment:${shown.id}`, { revision: shown.revision, row: shown });
}

/** Returns the payment that a change carries, or null if the streams must read it. */
export function checkoutPaymentOf({ row }: ChangeDetails): CheckoutPayment | null {
  return (row as CheckoutPayment | undefined) ?? null;
}

type PaymentQuery = ExpressionBuilder<Tables, 'payments'>;
type MoneyShown = NonNullable<CheckoutPayment['money']>;

const findOne = prepared((tables, { id }: { id: string }) =>
  tables
    .selectFrom('payments')
    .selectAll('payments')
    .select((eb) => [
      pushedAt(eb).as('pushedAt'),
      money(eb).as('money'),
      ppr(eb).as('ppr'),
      insteadId(eb).as('insteadId'),
      endedAt(eb).as('endedAt'),
      thanks(eb).as('thanks'),
    ])
    .where('payments.id', '=', id),
);

function pushedAt(eb: PaymentQuery) {
  const newest = eb
    .selectFrom('attempts as a')
    .select('a.createdAt')
    .whereRef('a.paymentId', '=', 'payments.id')
    .where('a.kind', 'in', PUSHES)
    .orderBy('a.createdAt', 'desc')
    .orderBy('a.id', 'desc')
    .limit(1);
  return eb.case().when('payments.status', '=', 'Processing').then(newest).end().$castTo<Date | null>();
}

/** Selects the received money. For a captured authorization, that is the money of its capture. */
function money(eb: PaymentQuery) {
  const moneyJson = (
    count: Expression<number>,
    of: 'payments' | 'c',
  ) => sql<MoneyShown>`json_build_object('late', t.late, 'providerRef', t.provider_ref,
    'occurredAt', t.occurred_at, 'transactionNumber', t.details ->> 'transactionNumber', 'count', ${count},
    'paidMinor', ${sql.ref(`${of}.amountPaidMinor`)}, 'refundedMinor', ${sql.ref(`${of}.refundedMinor`)})`;
  const transactions = eb
    .selectFrom('transactions as t')
    .orderBy('t.createdAt', 'desc')
    .orderBy('t.id', 'desc')
    .limit(1);
  const own = eb
    .selectFrom('transactions')
    .select((all) => all.fn.countAll<number>().as('count'))
    .whereRef('transactions.paymentId', '=', 'payments.id');
  return eb
    .case()
    .when('payments.amountPaidMinor', '>', 0)
    .then(
      transactions
        .select(moneyJson(own.$asScalar(), 'payments').as('money'))
        .whereRef('t.paymentId', '=', 'payments.id'),
    )
    .when('payments.status', '=', 'Captured')
    .then(
      transactions
        .innerJoin('payments as c', 'c.id', 't.paymentId')
        .select(moneyJson(eb.lit(1), 'c').as('money'))
        .whereRef('c.authorizationId', '=', 'payments.id'),
    )
    .end()
    .$castTo<MoneyShown | null>();
}

function ppr(eb: PaymentQuery) {
  const pprJson = sql<
    NonNullable<CheckoutPayment['ppr']>
  >`json_build_object('entity', f.entity, 'type', f.type, 'status', f.status,
    'registeredAt', f.registered_at)`;
  const reference = eb
    .selectFrom('payment_references as f')
    .select(pprJson.as('ppr'))
    .whereRef('f.paymentId', '=', 'payments.id');
  return eb.case().when('payments.paymentType', '=', 'PPR').then(reference).end().$castTo<CheckoutPayment['ppr']>();
}

/** Selects the id of the replacement, or of the replaced payment if that was paid after all. */
function insteadId(eb: PaymentQuery) {
  const paid = eb
    .selectFrom('payments as p')
    .select('p.id')
    .whereRef('p.id', '=', 'payments.replacesId')
    .where('p.status', '=', 'Paid');
  return eb
    .case()
    .when('payments.status', 'in', ['Canceled', 'Expired', 'Failed'])
    .then(eb.fn.coalesce('payments.replacedById', paid.$asScalar()))
    .end()
    .$castTo<string | null>();
}

function thanks(eb: PaymentQuery) {
  const text = eb.selectFrom('links').select('links.thanks').whereRef('links.id', '=', 'payments.linkId');
  return eb.case().when('payments.linkId', 'is not', null).then(text).end().$castTo<string | null>();
}

/** Selects the time at which the payment ended. A Charging reference ends when it is closed, not when it is paid. */
function endedAt(eb: PaymentQuery) {
  const closedAt = eb
    .selectFrom('payment_references as f')
    .select('f.closedAt')
    .whereRef('f.paymentId', '=', 'payments.id');
  // A replacement by push or QR code has no reference.
  const replacedAt = sql<Date | null>`(select coalesce(
    (select f.closed_at from payment_references f where f.payment_id = n.id), n.completed_at)
    from payments n where n.id = payments.replaced_by_id)`;
  return eb
    .case()
    .when('payments.paymentType', '=', 'PPR')
    .then(closedAt)
    .when(eb.and([eb('payments.status', '=', 'Canceled'), eb('payments.replacedById', 'is not', null)]))
    .then(replacedAt)
    .else(eb.ref('payments.completedAt'))
    .end()
    .$castTo<Date | null>();
}
