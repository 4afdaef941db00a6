// Rebuilds the state of a payment right after an event, for the feed, the stream and webhooks.
import { sql } from 'kysely';
import { isFinal } from '../../../shared/status.ts';
import type { Core } from '../../core.ts';
import { isAny, prepared } from '../../database/db.ts';
import type { Event } from '../../events/entities.ts';
import type { Payment, Transaction } from './entities.ts';
import { findPayers, findPayments, findReferencesOf } from './rows.ts';
import { viewPayment } from './view.ts';

/** The most transactions that an event shows. A QR code or reference may have thousands, and the newest are shown. */
const MOST_MONEY = 20;

/** Returns the state of the payment right after each event. Null for an event without a payment. */
export async function describeEvents(core: Core, events: Event[]): Promise<(object | null)[]> {
  const ids = [...new Set(events.flatMap(({ paymentId }) => paymentId ?? []))];
  if (ids.length === 0) return events.map(() => null);
  const payments = new Map((await findPayments.all(core, { ids })).map((payment) => [payment.id, payment]));
  const money = await findMoneyBefore(
    core,
    events.filter(({ paymentId }) => mayHaveMoney(payments.get(paymentId ?? ''))),
  );
  const isPpr = ids.filter((id) => payments.get(id)?.paymentType === 'PPR');
  const references = isPpr.length > 0 ? await findReferencesOf.all(core, { ids: isPpr }) : [];
  const ofLinks = ids.filter((id) => payments.get(id)?.linkId);
  const payers = ofLinks.length > 0 ? await findPayers.all(core, { ids: ofLinks }) : [];
  return events.map((event) => {
    const payment = payments.get(event.paymentId ?? '');
    if (!payment) return null;
    const reference = references.find((one) => one.paymentId === payment.id) ?? null;
    const payer = payers.find((one) => one.paymentId === payment.id) ?? null;
    return viewPayment(core, { ...payment, ...stateAfter(event) }, money.get(event.seq) ?? [], reference, payer);
  });
}

function mayHaveMoney(payment: Payment | undefined): boolean {
  return !!payment && (payment.amountPaidMinor > 0 || payment.flags.length > 0);
}

/** Returns the payment's columns from the state of an event. An event without a state changes no column. */
function stateAfter({ state, status }: Event): Partial<Payment> {
  if (!state) return {};
  const { completedAt = null, expiresAt = null, resolvedAt = null, ...known } = state;
  const times = {
    completedAt: readTime(completedAt),
    expiresAt: readTime(expiresAt),
    resolvedAt: readTime(resolvedAt),
  };
  const payment = { ...AS_CREATED, ...(status && { status }), ...known, ...times } as Partial<Payment>;
  // A replacement cancels an open payment, or comes after the payment has failed or expired.
  const { status: now = 'Pending' } = payment;
  const isReplaced = isFinal(now) && now !== 'Failed' && now !== 'Expired';
  return isReplaced ? payment : { ...payment, replacedById: null };
}

function readTime(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

const AS_CREATED = {
  amountPaidMinor: 0,
  refundedMinor: 0,
  acceptedCount: 0,
  late: false,
  lateAfter: null,
  resolvedAt: null,
  flags: [],
  failureCode: null,
  authorizedMinor: null,
  capturedMinor: null,
  operation: null,
  canceledByKind: null,
  canceledById: null,
} satisfies Partial<Payment>;

/** Finds the transactions that events up to each event name, ordered by `seq`, because the nodes' clocks differ. */
async function findMoneyBefore(core: Core, events: Event[]): Promise<Map<number, Transaction[]>> {
  if (events.length === 0) return new Map();
  const input = { seqs: events.map(({ seq }) => seq), paymentIds: events.map(({ paymentId }) => paymentId ?? null) };
  const rows = await findRefundedBefore.all(core, input);
  const ids = [...new Set(rows.flatMap((row) => row.ids))];
  const money = ids.length > 0 ? await findTransactions.all(core, { ids }) : [];
  return new Map(
    rows.map((row) => {
      const wanted = new Set(row.ids);
      return [row.seq, money.filter(({ id }) => wanted.has(id)).slice(-MOST_MONEY)];
    }),
  );
}

/** Reads more events than transactions, because several events may name one transaction. */
const findRefundedBefore = prepared((tables, { seqs, paymentIds }: { seqs: number[]; paymentIds: (string | null)[] }) =>
  tables
    .selectFrom(
      sql<{ seq: number; paymentId: string }>`unnest(${seqs}::bigint[], ${paymentIds}::uuid[])`.as<'e'>(
        sql`e(seq, payment_id)`,
      ),
    )
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('events as every')
          .select(sql<string>`details ->> 'transactionId'`.as('id'))
          .whereRef('every.paymentId', '=', 'e.paymentId')
          .whereRef('every.seq', '<=', 'e.seq')
          .where('type', 'like', 'payment.%')
          .where(sql<boolean>`details ? 'transactionId'`)
          .orderBy('every.seq', 'desc')
          .limit(4 * MOST_MONEY)
          .as('named'),
      (join) => join.onTrue(),
    )
    .select(['e.seq', sql<string[]>`array_agg(distinct named.id)`.as('ids')])
    .where('named.id', 'is not', null)
    .groupBy('e.seq'),
);

const findTransactions = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('transactions')
    .selectAll()
    .where('id', ...isAny(ids))
    .orderBy('createdAt')
    .orderBy('id'),
);
