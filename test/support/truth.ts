// The one comparison behind every fault test: what the gateway recorded against what the rail's books hold.
import { expect } from 'vitest';
import { toMinor } from '../../shared/money.ts';
import type { Book } from './rail.ts';

/** Runs a query on the gateway's database. */
export type Sql = (text: string, values?: unknown[]) => Promise<any[]>;

type AttemptRow = {
  id: string;
  payment_id: string;
  status: string;
  failure_code: string | null;
  money: string[];
  provider_refs: string[];
};

const ATTEMPTS = `
  select a.id, a.payment_id, a.status, a.failure_code,
    coalesce(array_agg(t.amount_minor::text) filter (where t.id is not null), '{}') as money,
    coalesce(array_agg(t.provider_ref) filter (where t.id is not null), '{}') as provider_refs
  from attempts a left join transactions t on t.attempt_id = a.id group by a.id`;

const PAYMENTS = `
  select p.id, p.reference, p.status, p.amount_minor, p.amount_paid_minor, p.revision,
    (select count(*)::int from events e where e.payment_id = p.id and e.type not like 'callback.%') as events,
    (select coalesce(sum(amount_minor), 0)::text from transactions t where t.payment_id = p.id) as received
  from payments p`;

/** True once no attempt waits for an outcome any more. */
export async function areAllResolved(sql: Sql): Promise<boolean> {
  const open = await sql(`select from attempts where resolved_at is null limit 1`);
  return open.length === 0;
}

/**
 * Every purchase in the books belongs to one attempt, with the same outcome; money is recorded once, to the last
 * cêntimo; each payment's status follows from it. Call it when all is resolved.
 */
export async function expectTruth(sql: Sql, books: Book[]): Promise<void> {
  const attempts = new Map((await sql(ATTEMPTS)).map((row: AttemptRow) => [row.id, row]));
  const byId = new Map(books.map((book) => [book.id, book]));
  expect(books.map(({ id }) => id).filter((id) => !attempts.has(id))).toEqual([]);
  for (const attempt of attempts.values()) {
    expect({ id: attempt.id, ...describeAttempt(attempt) }).toEqual({
      id: attempt.id,
      ...expectedAttempt(byId.get(attempt.id)),
    });
  }
  for (const payment of await sql(PAYMENTS)) {
    const about = `payment ${payment.reference} ${payment.status}`;
    expect(payment.amount_paid_minor, about).toBe(payment.received);
    const isPaid = Number(payment.received) >= Number(payment.amount_minor);
    expect(payment.status === 'Paid', about).toBe(isPaid);
    expect(Number(payment.received) <= Number(payment.amount_minor), `${about}: charged once`).toBe(true);
  }
}

function describeAttempt({ status, failure_code, money, provider_refs }: AttemptRow) {
  return { status, failure: failure_code, money, refs: provider_refs };
}

function expectedAttempt(book: Book | undefined) {
  // The rail never saw it: no money moved.
  if (!book) return { status: 'Declined', failure: 'rail_unavailable', money: [], refs: [] };
  if (book.status === 'DECLINED')
    return { status: 'Declined', failure: book.reason?.toLowerCase(), money: [], refs: [] };
  const amount = toMinor(book.amount, 'AOA');
  const minor = 'minor' in amount ? String(amount.minor) : book.amount;
  return book.status === 'APPROVED'
    ? { status: 'Approved', failure: null, money: [minor], refs: [book.transactionId] }
    : { status: 'Sent', failure: null, money: [], refs: [] };
}
