// Payments as events tell of them: as they were right after each event, for feed, stream and webhooks.
import { isFinal } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { findRows } from '../database/rows.ts';
import type { Event } from '../events/entities.ts';
import { Reference } from '../references/entities.ts';
import { Payment, Transaction } from './entities.ts';
import { viewPayment } from './view.ts';

/** A code or reference may be paid thousands of times: an event shows the newest of its money. */
const MOST_MONEY = 20;

/** Details of the payment of each event, in their order; null where an event has none. */
export async function describeEvents(core: Core, events: Event[]): Promise<(object | null)[]> {
  const ids = [...new Set(events.flatMap(({ paymentId }) => paymentId ?? []))];
  if (ids.length === 0) return events.map(() => null);
  const payments = byId(await findRows(core, Payment, 'id = any($1::uuid[])', [ids]));
  const money = await findMoneyBefore(
    core,
    events.filter(({ paymentId }) => mayHaveMoney(payments.get(paymentId ?? ''))),
  );
  const isPpr = ids.filter((id) => payments.get(id)?.paymentType === 'PPR');
  const references = isPpr.length > 0 ? await findRows(core, Reference, 'payment_id = any($1::uuid[])', [isPpr]) : [];
  return events.map((event) => {
    const payment = payments.get(event.paymentId ?? '');
    if (!payment) return null;
    const reference = references.find((one) => one.paymentId === payment.id) ?? null;
    return viewPayment(core, { ...payment, ...stateAfter(event) }, money.get(event.seq) ?? [], reference);
  });
}

function mayHaveMoney(payment: Payment | undefined): boolean {
  return !!payment && (payment.amountPaidMinor > 0 || payment.flags.length > 0);
}

/** As it was created, but for what the event knows; of events older than their states, as it is now. */
function stateAfter({ state, status }: Event): Partial<Payment> {
  if (!state) return {};
  const { completedAt = null, expiresAt = null, ...known } = state;
  const times = { completedAt: readTime(completedAt), expiresAt: readTime(expiresAt) };
  const payment = { ...AS_CREATED, ...(status && { status }), ...known, ...times } as Partial<Payment>;
  // A payment is replaced as it is canceled, and never open again.
  return isFinal(payment.status ?? 'Pending') ? payment : { ...payment, replacedById: null };
}

function readTime(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

const AS_CREATED = {
  amountPaidMinor: 0,
  acceptedCount: 0,
  late: false,
  flags: [],
  failureCode: null,
  authorizedMinor: null,
  capturedMinor: null,
  operation: null,
} satisfies Partial<Payment>;

/**
 * The money of each event's payment, by the event's seq: what some event up to it told of. Times could not tell: much may
 * come in one millisecond, and nodes' clocks differ.
 */
async function findMoneyBefore(core: Core, events: Event[]): Promise<Map<number, Transaction[]>> {
  if (events.length === 0) return new Map();
  const { rows } = await core.pool.query<{ seq: number; ids: string[] }>({
    name: 'money_before',
    text: MONEY_BEFORE,
    values: [events.map(({ seq }) => seq), events.map(({ paymentId }) => paymentId)],
  });
  const ids = [...new Set(rows.flatMap((row) => row.ids))];
  const order = 'id = any($1::uuid[]) order by created_at, id';
  const money = ids.length > 0 ? await findRows(core, Transaction, order, [ids]) : [];
  return new Map(
    rows.map((row) => {
      const wanted = new Set(row.ids);
      return [row.seq, money.filter(({ id }) => wanted.has(id)).slice(-MOST_MONEY)];
    }),
  );
}

/** One money is told of by several events: paid, too much, delivered. */
const MONEY_BEFORE = `
select e.seq::float8, array_agg(distinct told.id) as ids
from unnest($1::bigint[], $2::uuid[]) as e(seq, payment_id) cross join lateral (
  select details ->> 'transactionId' as id from events
  where payment_id = e.payment_id and seq <= e.seq and type like 'payment.%' and details ? 'transactionId' order by seq desc limit ${4 * MOST_MONEY}
) told
where told.id is not null
group by e.seq`;

function byId<T extends { id: string }>(rows: T[]): Map<string, T> {
  return new Map(rows.map((row) => [row.id, row]));
}
