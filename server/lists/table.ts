// The lists that are counted ahead of being asked for, one entry each.

/** A list, in the words of SQL. */
export type CountedList = {
  name: string;
  /** Its rows, and when each came into being. */
  table: string;
  at: string;
  /** Columns that are filtered by and never change, behind the status where the list has events. */
  keys: string[];
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

// Where an event has the state of its payment, that is written under the row's lock. A creation's has all but what it was created with.
const PAYMENT_STATUS = `coalesce(e.state ->> 'status', case when e.type in ('payment.created', 'payment.processing', 'payment.authorized',
  'payment.captured', 'payment.paid', 'payment.failed', 'payment.canceled', 'payment.expired', 'payment.attempt_failed') then e.status end)`;

export const PAYMENTS: CountedList = {
  name: 'payments',
  table: 'payments',
  at: 'created_at',
  keys: ['payment_type', 'currency'],
  source: 'events',
  events: { subject: 'e.payment_id', status: PAYMENT_STATUS, column: 'id' },
};

/** What its rows are counted by, in this order. */
export const keysOf = ({ events, keys }: CountedList) => (events ? ['status', ...keys] : keys);

/** Stands for every value of a key. */
export const EVERY = '*';

export const LISTS: CountedList[] = [PAYMENTS];
