-- Counts of lists. A change of a counted row appends its difference to list_deltas
-- (database/functions/counted-lists.ts), and a job moves differences into list_counts (server/lists/fold.sql.ts).
create table list_counts (
  list text not null,
  merchant_id uuid not null,
  grain text not null,
  at timestamptz(3) not null,
  keys text[] not null,
  n bigint not null,
  primary key (list, merchant_id, grain, at, keys)
) with (fillfactor = 70);

-- Rows live for seconds. Vacuum starts by their number, and never locks the table to shorten its file.
create table list_deltas (
  xid xid8 not null default pg_current_xact_id(),
  id bigserial,
  list text not null,
  merchant_id uuid not null,
  at timestamptz(3) not null,
  keys text[] not null,
  n bigint not null,
  primary key (xid, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, vacuum_truncate = off);

-- One row.
create table list_folds (
  name text primary key,
  upto xid8 not null
);
insert into list_folds (name, upto) values ('deltas', '0');

create trigger note_row after insert or delete on payments for each row execute function note_difference('payments');
create trigger note_change after update on payments for each row
  when (old.status is distinct from new.status) execute function note_difference('payments');

create trigger note_row after insert or delete on payment_references for each row
  execute function note_difference('references');
create trigger note_change after update on payment_references for each row
  when (old.status is distinct from new.status) execute function note_difference('references');

create trigger note_row after insert or delete on refunds for each row execute function note_difference('refunds');
create trigger note_change after update on refunds for each row
  when (old.status is distinct from new.status) execute function note_difference('refunds');

create trigger note_row after insert or delete on deliveries for each row
  execute function note_difference('deliveries');
create trigger note_change after update on deliveries for each row
  when (old.status is distinct from new.status) execute function note_difference('deliveries');

create trigger note_row after insert or delete on notifications for each row
  execute function note_difference('notifications');
create trigger note_change after update on notifications for each row
  when ((old.read_at is null) <> (new.read_at is null)) execute function note_difference('notifications');

create trigger note_row after insert or delete on links for each row execute function note_difference('links');
create trigger note_row after insert or delete on link_payments for each row
  execute function note_difference('link_payments');
create trigger note_change after update on link_payments for each row
  when (old.status is distinct from new.status) execute function note_difference('link_payments');

create trigger note_row after insert or delete on sms_messages for each row
  execute function note_difference('sms_messages');
create trigger note_change after update on sms_messages for each row
  when (old.status is distinct from new.status or old.listed_at is distinct from new.listed_at)
  execute function note_difference('sms_messages');

create trigger note_row after insert or delete on sms_batches for each row
  execute function note_difference('sms_schedules');
create trigger note_change after update on sms_batches for each row
  when (old.status is distinct from new.status) execute function note_difference('sms_schedules');

create trigger note_row after insert or delete on sms_contacts for each row
  execute function note_difference('sms_contacts');
create trigger note_row after insert or delete on sms_lists for each row execute function note_difference('sms_lists');
create trigger note_row after insert or delete on sms_templates for each row
  execute function note_difference('sms_templates');
create trigger note_row after insert or delete on sms_ledger for each row
  execute function note_difference('sms_movements');
create trigger note_row after insert or delete on audit_entries for each row execute function note_difference('audit');

create trigger note_takings after insert on transactions for each row execute function note_difference('taken');
create trigger note_takings_made after insert on refunds for each row
  when (new.status = 'Succeeded') execute function note_difference('returned');
create trigger note_takings after update on refunds for each row
  when (new.status = 'Succeeded' and old.status <> 'Succeeded') execute function note_difference('returned');
create trigger note_takings after insert on events for each row
  when (new.type = 'payment.failed' and new.state ->> 'failureCode' is not null)
  execute function note_difference('failed');
