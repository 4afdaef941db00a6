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

/** What its rows are counted by, in this order. */
export const keysOf = ({ events, keys }: CountedList) => [...(events ? ['status'] : []), ...Object.keys(keys)];

/** Stands for every value of a key. */
export const EVERY = '*';

export const LISTS: CountedList[] = [PAYMENTS, REFERENCES, REFUNDS, AUDIT, SMS_MOVEMENTS, NOTIFICATIONS];
