// The lists that are counted ahead of being asked for, one entry each.

/** A list, in the words of SQL. */
export type CountedList = {
  name: string;
  /** Its rows, and when each came into being. */
  table: string;
  at: string;
  /** What is filtered by and never changes, by its name here; the status comes before, where the list has events. */
  keys: Record<string, string>;
  /** Where its rows or their changes stand in the order of `seq`: itself, where rows never change. */
  source: string;
  /** How changes are told, where rows change: by events `e` of a payment. */
  events?: {
    /** Which row of the table an event is about. */
    subject: string;
    /** The row's status right after the event; null: it says nothing of it. */
    status: string;
    /** The table's column that the subject stands in. */
    column: string;
  };
};

/** Sums by hour that are kept in the same way, and are no list's length. What is in `keys` stands where a list has its keys. */
export type Tally = {
  name: string;
  source: string;
  keys: Record<string, string>;
  /** Rows `merchant_id, at, keys, n` of the news in `source`; of a payment's news `after` is the last that is no part of them. */
  changes(span: Span): string;
};

/** `source`: the rows behind `after`; `own` says whose of them. */
export type Span = { source: string; after: string; own: string };

// Where an event has the state of its payment, that is written under the row's lock. A creation's has all but what it was created with.
const PAYMENT_STATUS = `coalesce(e.state ->> 'status', case when e.type in ('payment.created', 'payment.processing', 'payment.authorized',
  'payment.captured', 'payment.paid', 'payment.failed', 'payment.canceled', 'payment.expired', 'payment.attempt_failed') then e.status end)`;

export const PAYMENTS: CountedList = {
  name: 'payments',
  table: 'payments',
  at: 'created_at',
  keys: { paymentType: 'payment_type', currency: 'currency' },
  source: 'events',
  events: { subject: 'e.payment_id', status: PAYMENT_STATUS, column: 'id' },
};

/** A reference begins with its payment, and then has news of its own. */
export const REFERENCES: CountedList = {
  name: 'references',
  table: 'payment_references',
  at: 'created_at',
  keys: { type: 'type' },
  source: 'events',
  events: {
    subject: 'e.payment_id',
    status: `case when e.type in ('payment.created', 'reference.paid', 'reference.canceled', 'reference.expired') then e.status end`,
    column: 'payment_id',
  },
};

export const REFUNDS: CountedList = {
  name: 'refunds',
  table: 'refunds',
  at: 'created_at',
  keys: { method: 'method' },
  source: 'events',
  events: {
    subject: `(e.details ->> 'refundId')::uuid`,
    status: `case when e.type in ('refund.created', 'refund.processing', 'refund.succeeded', 'refund.failed', 'refund.canceled') then e.status end`,
    column: 'id',
  },
};

export const AUDIT: CountedList = {
  name: 'audit',
  table: 'audit_entries',
  at: 'occurred_at',
  keys: { action: 'action' },
  source: 'audit_entries',
};

export const SMS_MOVEMENTS: CountedList = {
  name: 'sms_movements',
  table: 'sms_ledger',
  at: 'created_at',
  keys: { kind: 'kind' },
  source: 'sms_ledger',
};

/** Whether one was read changes, and is not counted. */
export const NOTIFICATIONS: CountedList = {
  name: 'notifications',
  table: 'notifications',
  at: 'created_at',
  keys: {},
  source: 'notifications',
};

/** A merchant has few of them, and they change: they are counted as they are asked for, not ahead. */
export const LINKS: CountedList = { name: 'links', table: 'links', at: 'created_at', keys: {}, source: 'links' };

/**
 * What a merchant took: `kind` says what `n` sums up, `what` of which. A payment's state tells with each event how much it has brought
 * and given back so far, so that each event stands for what came since the one before, also where other news tell it again.
 */
export const TAKINGS: Tally = {
  name: 'takings',
  source: 'events',
  keys: { kind: 'kind', what: 'what' },
  changes: ({ source, after, own }) => `
    select e.merchant_id, e.occurred_at as at, array[x.kind, x.what] as keys, x.n
    from (select e.*, lag(e.state) over (partition by e.payment_id order by e.seq) as earlier
      from (${source}) e where e.payment_id is not null and e.state is not null and ${own}) e
    left join lateral (select coalesce(e.earlier, ${stateBefore(after)}) as state
      where e.state ->> 'amountPaidMinor' <> '0') b on true
    left join lateral (select p.currency from payments p where p.id = e.payment_id and e.state ->> 'amountPaidMinor' <> '0' limit 1) p on true
    cross join lateral (select ${minorOf('e.state', 'amountPaidMinor')} - ${minorOf('b.state', 'amountPaidMinor')} as paid,
      ${minorOf('e.state', 'refundedMinor')} - ${minorOf('b.state', 'refundedMinor')} as refunded) d
    cross join lateral (values ('taken', p.currency, d.paid), ('movements', p.currency, (d.paid > 0)::int::bigint),
      ('returned', p.currency, d.refunded), ('late', p.currency, (d.paid > 0 and e.details ->> 'late' = 'true')::int::bigint),
      ('failed', e.state ->> 'failureCode', (e.type = 'payment.failed')::int::bigint)) x(kind, what, n)
    where x.n <> 0 and x.what is not null`,
};

function stateBefore(after: string): string {
  return `(select b.state from events b where b.payment_id = e.payment_id and b.seq <= ${after} and b.state is not null
      order by b.seq desc limit 1)`;
}

function minorOf(state: string, name: string): string {
  return `coalesce((${state} ->> '${name}')::bigint, 0)`;
}

/** What its rows are counted by, in this order. */
export const keysOf = ({ events, keys }: Pick<CountedList, 'keys' | 'events'>) => [
  ...(events ? ['status'] : []),
  ...Object.keys(keys),
];

/** Stands for every value of a key. */
export const EVERY = '*';

export const LISTS: CountedList[] = [PAYMENTS, REFERENCES, REFUNDS, AUDIT, SMS_MOVEMENTS, NOTIFICATIONS];

/** All that is summed ahead. */
export const SUMMED: (CountedList | Tally)[] = [...LISTS, TAKINGS];
