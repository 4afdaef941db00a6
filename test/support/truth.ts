// The comparison of the gateway's payments and attempts with the rail's books.
import { expect } from 'vitest';
import { toMinor } from '../../shared/money.ts';
import type { Book } from './rail.ts';

/** Runs a query on the gateway's database. */
export type Sql = (text: string, values?: unknown[]) => Promise<any[]>;

const ATTEMPTS = `
  select a.id, a.status, a.failure_code as failure,
    coalesce(array_agg(t.amount_minor::text) filter (where t.id is not null), '{}') as money,
    coalesce(array_agg(t.provider_ref) filter (where t.id is not null), '{}') as refs
  from attempts a left join transactions t on t.attempt_id = a.id group by a.id`;

const PAYMENTS = `
  select p.reference, p.status, p.amount_minor, p.amount_paid_minor,
    (select coalesce(sum(amount_minor), 0)::text from transactions t where t.payment_id = p.id) as received
  from payments p`;

/** True if every attempt has its outcome. */
export async function areAllResolved(sql: Sql): Promise<boolean> {
  return (await sql(`select from attempts where resolved_at is null limit 1`)).length === 0;
}

/**
 * Compares payments with the rail's books once every attempt has its outcome.
 * Each purchase in the books belongs to one attempt with the same outcome.
 * The gateway recorded its money exactly once, and the status of each payment follows from this money.
 */
export async function expectTruth(sql: Sql, books: Book[]): Promise<void> {
  const attempts = await sql(ATTEMPTS);
  const byId = new Map(books.map((book) => [book.id, book]));
  const known = new Set(attempts.map(({ id }) => id));
  expect(books.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([]);
  for (const { id, ...attempt } of attempts)
    expect({ id, ...attempt }).toEqual({ id, ...expectedAttempt(byId.get(id)) });
  for (const payment of await sql(PAYMENTS)) {
    const about = `payment ${payment.reference} ${payment.status}`;
    expect(payment.amount_paid_minor, about).toBe(payment.received);
    const isPaid = Number(payment.received) >= Number(payment.amount_minor);
    expect(payment.status === 'Paid', about).toBe(isPaid);
    expect(Number(payment.received) <= Number(payment.amount_minor), `${about}: charged once`).toBe(true);
  }
}

function expectedAttempt(book: Book | undefined) {
  // The rail did not receive the order, so no money moved.
  if (!book) return { status: 'Declined', failure: 'rail_unavailable', money: [], refs: [] };
  const { status, reason, transactionId } = book;
  if (status === 'DECLINED') return { status: 'Declined', failure: reason?.toLowerCase(), money: [], refs: [] };
  if (status !== 'APPROVED') return { status: 'Sent', failure: null, money: [], refs: [] };
  const amount = toMinor(book.amount, 'AOA');
  const minor = 'minor' in amount ? String(amount.minor) : book.amount;
  return { status: 'Approved', failure: null, money: [minor], refs: [transactionId] };
}
