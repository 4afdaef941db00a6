-- Trigger on the tables of counted lists, once a row: appends to list_deltas by how much the row changes the length of its list. The
-- first argument names the list. A row without a merchant or a time is in no list. server/lists/table.ts has the same columns.
create or replace function note_difference() returns trigger language plpgsql as $$
declare
  was text[] := '{}';
  becomes text[] := '{}';
  -- Lists that are neither filtered nor placed by time have no hours.
  was_at timestamptz := '-infinity';
  becomes_at timestamptz := '-infinity';
begin
  case tg_argv[0]
    when 'payments' then
      was := array[old.status, old.payment_type, old.currency]; was_at := old.created_at;
      becomes := array[new.status, new.payment_type, new.currency]; becomes_at := new.created_at;
    when 'deliveries' then
      was := array[old.status, old.webhook_id::text]; was_at := old.created_at;
      becomes := array[new.status, new.webhook_id::text]; becomes_at := new.created_at;
    when 'sms_messages' then
      was := array[old.status]; was_at := old.listed_at;
      becomes := array[new.status]; becomes_at := new.listed_at;
    when 'references' then
      was := array[old.status, old.type]; was_at := old.created_at;
      becomes := array[new.status, new.type]; becomes_at := new.created_at;
    when 'refunds' then
      was := array[old.status, old.method]; was_at := old.created_at;
      becomes := array[new.status, new.method]; becomes_at := new.created_at;
    when 'audit' then
      was := array[old.action]; was_at := old.occurred_at;
      becomes := array[new.action]; becomes_at := new.occurred_at;
    when 'notifications' then
      was := array[(old.read_at is not null)::text];
      becomes := array[(new.read_at is not null)::text];
    when 'link_payments' then
      was := array[old.status, old.link_id::text];
      becomes := array[new.status, new.link_id::text];
    when 'sms_movements' then
      was := array[old.kind];
      becomes := array[new.kind];
    when 'sms_schedules' then
      was := array[old.status]; was_at := case when old.run_at is not null then old.created_at end;
      becomes := array[new.status]; becomes_at := case when new.run_at is not null then new.created_at end;
    when 'links', 'sms_contacts', 'sms_lists', 'sms_templates' then
      was_at := old.created_at;
      becomes_at := new.created_at;
  end case;
  insert into list_deltas (list, merchant_id, at, keys, n)
  select tg_argv[0], d.merchant_id, date_trunc('hour', d.at, 'UTC'), d.keys, d.n
  from (values (old.merchant_id, was_at, was, -1), (new.merchant_id, becomes_at, becomes, 1)) d(merchant_id, at, keys, n)
  where d.merchant_id is not null and d.at is not null;
  return null;
end $$;
