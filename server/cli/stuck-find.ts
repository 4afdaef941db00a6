// What is stuck, and why: orders without an outcome, payments that only a person can go on with, terminals and references.
import { toDecimal } from '../../shared/money.ts';
import type { Db } from '../database/rows.ts';
import { ATTEMPT_OPEN, type AttemptStatus } from '../payments/entities.ts';

export type Stuck = {
  about: 'payment' | 'terminal' | 'reference';
  /** The payment's; of a terminal its own. */
  id: string;
  merchantId: string;
  merchant: string;
  /** What it is known by: a reference, a posId. */
  name: string;
  amount: string | null;
  status: string;
  /** What the rail was asked to do. */
  asked: string;
  /** What the rail knows it by; null where it has an outcome. */
  orderId: string | null;
  since: Date;
  /** How often the rail was asked, or told. */
  times: number;
  /** When it is asked next; null: not any more, a person must look. */
  nextAt: Date | null;
  reason: string;
  /** The last that its history tells. */
  lastEvent: { type: string; occurredAt: Date; details: Record<string, unknown> } | null;
};

type Row = Omit<Stuck, 'amount' | 'reason' | 'about'> & { amountMinor: number; currency: string };
type OrderRow = Row & { attemptStatus: AttemptStatus };
type ShortRow = Row & { paidMinor: number };
type ReferenceRow = Row & { fault: string | null };

const LIMIT = 500;

/** Everything without an outcome since `before`, and whatever is left to a person; the oldest first. */
export async function findStuck(db: Db, before: Date): Promise<Stuck[]> {
  const read = async <T>(text: string, values: unknown[] = [before]) =>
    (await db.pool.query<T & object>(text, values)).rows;
  const found: Stuck[] = [
    ...(await read<OrderRow>(ORDERS)).map((row) => tellOf('payment', row, ORDER_REASONS[row.attemptStatus] ?? '')),
    ...(await read<ShortRow>(SHORT, [])).map((row) => tellOf('payment', row, shortReason(row))),
    ...(await read<Row>(HELD, [])).map((row) => tellOf('payment', row, REFUSED)),
    ...(await read<Row>(TERMINALS)).map((row) => tellOf('terminal', row, 'the rail does not say how it went')),
    ...(await read<ReferenceRow>(REFERENCES)).map((row) => tellOf('reference', row, referenceReason(row))),
  ];
  return found.sort((a, b) => a.since.getTime() - b.since.getTime());
}

function tellOf(about: Stuck['about'], { amountMinor, currency, ...row }: Row, reason: string): Stuck {
  const { id, merchantId, merchant, name, status, asked, orderId, times } = row;
  // The pool gives times as the database writes them.
  const [since, nextAt] = [new Date(row.since), row.nextAt && new Date(row.nextAt)];
  const told = row.lastEvent;
  const lastEvent = told && { ...told, occurredAt: new Date(told.occurredAt) };
  const amount = currency ? `${toDecimal(Number(amountMinor), currency)} ${currency}` : null;
  return {
    about,
    id,
    merchantId,
    merchant,
    name,
    amount,
    status,
    asked,
    orderId,
    since,
    times,
    nextAt,
    reason,
    lastEvent,
  };
}

const ORDER_REASONS: Partial<Record<AttemptStatus, string>> = {
  Sent: 'the rail has it and gives no outcome',
  Unsent: 'the call was not answered: the rail may have it',
  Unreached: 'the rail could not be reached: it has nothing',
};

const REFUSED =
  'its time is over, and the rail would not let go of what it held: a capture that is none of ours may have it';

function shortReason({ paidMinor, currency }: ShortRow): string {
  return `it brought ${toDecimal(Number(paidMinor), currency)} ${currency}, not what was asked, and nothing more is to come`;
}

function referenceReason({ fault, asked }: ReferenceRow): string {
  const effect = asked === 'register' ? 'nobody can pay it yet' : 'the rail may still take money for it';
  return `${fault ? `the rail says ${fault}` : 'the rail was not told yet'}; ${effect}`;
}

const LAST_EVENT = `(select json_build_object('type', e.type, 'occurredAt', e.occurred_at, 'details', e.details)
  from events e where e.payment_id = p.id order by e.seq desc limit 1) as "lastEvent"`;

const PAYMENT = `p.id, p.merchant_id as "merchantId", m.name as merchant, p.reference as name,
  p.amount_minor as "amountMinor", p.currency`;

/** How a code that was made is followed is no order under way: its attempt is approved. */
const ORDERS = `select ${PAYMENT}, p.status, a.kind as asked, a.id as "orderId", a.status as "attemptStatus", a.created_at as since,
    a.due_count as times, a.due_at as "nextAt", ${LAST_EVENT}
  from attempts a join payments p on p.id = a.payment_id join merchants m on m.id = p.merchant_id
  where a.${ATTEMPT_OPEN} and (a.due_at is null or a.created_at < $1::timestamptz)
  order by a.created_at limit ${LIMIT}`;

/** Less than asked leaves a payment as it is (decisions §3). */
const SHORT = `select ${PAYMENT}, p.status, 'purchase' as asked, null as "orderId", p.created_at as since, 0 as times, null as "nextAt",
    p.amount_paid_minor as "paidMinor", ${LAST_EVENT}
  from payments p join merchants m on m.id = p.merchant_id
  where p.status = 'Processing' and p.payment_type = 'GPO' and 'amount_mismatch' = any(p.flags)
    and not exists (select from attempts a where a.payment_id = p.id and a.${ATTEMPT_OPEN})
  order by p.created_at limit ${LIMIT}`;

/** An authorization that nothing is under way with, and that nobody will look at again: its void was refused. */
const HELD = `select ${PAYMENT}, p.status, 'void' as asked, null as "orderId", p.expires_at as since, 0 as times, null as "nextAt", ${LAST_EVENT}
  from payments p join merchants m on m.id = p.merchant_id
  where p.status = 'Authorized' and p.operation is null and p.due_at is null
  order by p.expires_at limit ${LIMIT}`;

const TERMINALS = `select t.id, t.merchant_id as "merchantId", m.name as merchant, t.pos_id as name, 0 as "amountMinor",
    '' as currency, t.status, case t.status when 'Opening' then 'open' else 'close' end as asked, t.operation_id as "orderId",
    coalesce(t.sent_at, t.changed_at) as since, t.due_count as times, t.due_at as "nextAt", null as "lastEvent"
  from terminals t join merchants m on m.id = t.merchant_id
  where t.status in ('Opening', 'Closing') and (t.due_at is null or t.changed_at < $1::timestamptz)
  order by t.changed_at limit ${LIMIT}`;

/** Past its end a rail refuses payments by itself; until then somebody may wait at an ATM, or pay what was withdrawn. */
const REFERENCES = `select ${PAYMENT}, f.status, case f.status when 'Pending' then 'register' else 'withdraw' end as asked, f.id as "orderId",
    coalesce(f.closed_at, f.created_at) as since, f.due_count as times, f.due_at as "nextAt", f.rail_fault as fault, ${LAST_EVENT}
  from payment_references f join payments p on p.id = f.payment_id join merchants m on m.id = p.merchant_id
  where (f.status = 'Pending' and f.registered_at is null or f.status <> 'Pending' and f.withdrawn_at is null)
    and (f.due_at is null or coalesce(f.closed_at, f.created_at) < $1::timestamptz)
  order by f.created_at limit ${LIMIT}`;
