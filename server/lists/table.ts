// The counted lists, one entry each. The triggers `note_difference` and `note_takings` note the same rows one by one.

/** A list in the terms of SQL. */
export type CountedList = {
  name: string;
  table: string;
  /** The time of a row; null: the list is neither filtered nor placed by time. */
  at: string | null;
  /** The filters that counts know: their columns by their names in the API, in the order of the counts' `keys`. */
  keys: Record<string, string>;
};

const define = (name: string, table: string, at: string | null, keys: Record<string, string> = {}): CountedList => ({
  name,
  table,
  at,
  keys,
});

const STATUS = { status: 'status' };

export const PAYMENTS = define('payments', 'payments', 'created_at', {
  ...STATUS,
  paymentType: 'payment_type',
  currency: 'currency',
});
export const REFERENCES = define('references', 'payment_references', 'created_at', { ...STATUS, type: 'type' });
export const REFUNDS = define('refunds', 'refunds', 'created_at', { ...STATUS, method: 'method' });
export const LINKS = define('links', 'links', 'created_at');
export const LINK_PAYMENTS = define('link_payments', 'link_payments', null, { ...STATUS, linkId: 'link_id::text' });
export const AUDIT = define('audit', 'audit_entries', 'occurred_at', { action: 'action' });
export const NOTIFICATIONS = define('notifications', 'notifications', null, { isRead: '(read_at is not null)::text' });
export const DELIVERIES = define('deliveries', 'deliveries', 'created_at', {
  ...STATUS,
  webhookId: 'webhook_id::text',
});
export const SMS_MESSAGES = define('sms_messages', 'sms_messages', 'listed_at', STATUS);
export const SMS_SCHEDULES = define(
  'sms_schedules',
  'sms_batches',
  `case when run_at is not null then created_at end`,
  STATUS,
);
export const SMS_MOVEMENTS = define('sms_movements', 'sms_ledger', null, { kind: 'kind' });
export const SMS_CONTACTS = define('sms_contacts', 'sms_contacts', 'created_at');
export const SMS_LISTS = define('sms_lists', 'sms_lists', 'created_at');
export const SMS_TEMPLATES = define('sms_templates', 'sms_templates', 'created_at');

// prettier-ignore
export const LISTS = [
  PAYMENTS, REFERENCES, REFUNDS, LINKS, LINK_PAYMENTS, AUDIT, NOTIFICATIONS, DELIVERIES,
  SMS_MESSAGES, SMS_SCHEDULES, SMS_MOVEMENTS, SMS_CONTACTS, SMS_LISTS, SMS_TEMPLATES,
];

/** Everything that is counted: rows `merchant_id, at, keys, n` by name. */
export const COUNTED: { name: string; rows: string }[] = [
  ...LISTS.map(({ name, table, at, keys }) => ({
    name,
    rows: `select merchant_id, ${at ?? `'-infinity'::timestamptz`} as at, array[${Object.values(keys).join(', ')}]::text[] as keys,
      1 as n from ${table}`,
  })),
  // Sums by hour: money taken, transactions, late ones and money returned by currency, and failed payments by failure code.
  {
    name: 'takings',
    rows: `
    select t.merchant_id, t.created_at as at, array[s.kind, t.currency] as keys, s.n
    from transactions t join payments p on p.id = t.payment_id and p.currency = t.currency
    cross join lateral (values ('taken', t.amount_minor), ('movements', 1), ('late', t.late::int)) s(kind, n) where t.amount_minor > 0
    union all
    select r.merchant_id, r.completed_at, array['returned', r.currency], r.amount_minor
    from refunds r join payments p on p.id = r.payment_id and p.currency = r.currency where r.status = 'Succeeded'
    union all
    select merchant_id, occurred_at, array['failed', state ->> 'failureCode'], 1
    from events where type = 'payment.failed' and state ->> 'failureCode' is not null`,
  },
];
