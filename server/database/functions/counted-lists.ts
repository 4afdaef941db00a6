// The counted lists. The trigger function and the recount (lists/recount.ts) read the same entries.

/** The rows of a table that belong to a list. `source` is the argument of the table's triggers. */
type Counted = {
  source: string;
  list: string;
  table: string;
  /** Builds the SQL that selects `merchant_id, at, keys, n` from `from`, the table or one of its rows. */
  rows(from: string): string;
};

/** `keys`: SQL expressions that counts can filter, by their API names. `at`: null for a list without times. */
export type CountedList = Counted & { at: string | null; keys: Record<string, string> };

export const COUNTED: Counted[] = [];

function count<T extends Counted>(counted: T): T {
  COUNTED.push(counted);
  return counted;
}

function define(list: string, table: string, at: string | null, keys: Record<string, string> = {}): CountedList {
  const columns = Object.values(keys).map((column) => `${column}::text`);
  const rows = (from: string) =>
    `select merchant_id, ${at ?? `'-infinity'::timestamptz`} as at, array[${columns.join()}]::text[] as keys, 1 as n
     from ${from} r`;
  return count({ source: list, list, table, at, keys, rows });
}

const STATUS = { status: 'status' };
const TYPE = { paymentType: 'payment_type' };
const OF_SCHEDULES = 'case when run_at is not null then created_at end';

// The list begins with the busiest tables.
export const PAYMENTS = define('payments', 'payments', 'created_at', { ...STATUS, ...TYPE, currency: 'currency' });
export const DELIVERIES = define('deliveries', 'deliveries', 'created_at', { ...STATUS, webhookId: 'webhook_id' });
export const SMS_MESSAGES = define('sms_messages', 'sms_messages', 'listed_at', STATUS);
export const REFERENCES = define('references', 'payment_references', 'created_at', { ...STATUS, type: 'type' });
export const REFUNDS = define('refunds', 'refunds', 'created_at', { ...STATUS, method: 'method' });
export const AUDIT = define('audit', 'audit_entries', 'occurred_at', { action: 'action' });
export const NOTIFICATIONS = define('notifications', 'notifications', null, { isRead: '(read_at is not null)' });
export const LINKS = define('links', 'links', 'created_at');
export const LINK_PAYMENTS = define('link_payments', 'link_payments', null, { ...STATUS, linkId: 'link_id' });
export const SMS_MOVEMENTS = define('sms_movements', 'sms_ledger', null, { kind: 'kind' });
export const SMS_SCHEDULES = define('sms_schedules', 'sms_batches', OF_SCHEDULES, STATUS);
export const SMS_CONTACTS = define('sms_contacts', 'sms_contacts', 'created_at');
export const SMS_LISTS = define('sms_lists', 'sms_lists', 'created_at');
export const SMS_TEMPLATES = define('sms_templates', 'sms_templates', 'created_at');

// `takings` sums money by hour and currency, and counts failures by their code.
// Money in another currency than its payment's adds nothing to the takings.
const takings = (source: string, table: string, rows: Counted['rows']) =>
  count({ source, list: 'takings', table, rows });
const OF_PAYMENT = 'join payments p on p.id = r.payment_id and p.currency = r.currency';
takings(
  'taken',
  'transactions',
  (from) => `
  select r.merchant_id, r.created_at as at, array[s.kind, r.currency] as keys, s.n from ${from} r ${OF_PAYMENT}
  cross join lateral (values ('taken', r.amount_minor), ('movements', 1), ('late', r.late::int)) s(kind, n)
  where r.amount_minor > 0 and s.n <> 0`,
);
takings(
  'returned',
  'refunds',
  (from) => `
  select r.merchant_id, r.completed_at as at, array['returned', r.currency] as keys, r.amount_minor as n
  from ${from} r ${OF_PAYMENT} where r.status = 'Succeeded'`,
);
takings(
  'failed',
  'events',
  (from) => `
  select merchant_id, occurred_at as at, array['failed', state ->> 'failureCode'] as keys, 1 as n
  from ${from} r where type = 'payment.failed' and state ->> 'failureCode' is not null`,
);

// The old row of an insert and the new row of a delete are null, so they have no merchant.
const note = ({ source, list, rows }: Counted) => `
  when '${source}' then
    insert into list_deltas (list, merchant_id, at, keys, n)
    select '${list}', merchant_id, at, keys, sign * n from (
      select -1 as sign, * from (${rows('(select old.*)')}) o
      union all select 1, * from (${rows('(select new.*)')}) n) c
    where merchant_id is not null and at is not null;`;

/** A trigger for each row. It appends to list_deltas by how much the row changes its list. */
export const NOTE_DIFFERENCE = `create or replace function note_difference() returns trigger language plpgsql as $$
begin
  case tg_argv[0]${COUNTED.map(note).join('')}
  end case;
  return null;
end $$;
`;
