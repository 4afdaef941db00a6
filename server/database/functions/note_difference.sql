-- Trigger on the tables of counted lists, once a row: appends to list_deltas by how much the row changes the length of its list. The
-- first argument names the list. A row without a merchant or a time is in no list, and a list without hours has the time -infinity.
-- server/lists/table.ts has the same columns. The busiest tables come first, in the cheapest form.
create or replace function note_difference() returns trigger language plpgsql as $$
begin
  case tg_argv[0]
    when 'payments' then
      if tg_op <> 'INSERT' then
        insert into list_deltas (list, merchant_id, at, keys, n)
        values ('payments', old.merchant_id, old.created_at, array[old.status, old.payment_type, old.currency], -1);
      end if;
      if tg_op <> 'DELETE' then
        insert into list_deltas (list, merchant_id, at, keys, n)
        values ('payments', new.merchant_id, new.created_at, array[new.status, new.payment_type, new.currency], 1);
      end if;
    when 'deliveries' then
      if tg_op <> 'INSERT' then
        insert into list_deltas (list, merchant_id, at, keys, n)
        values ('deliveries', old.merchant_id, old.created_at, array[old.status, old.webhook_id::text], -1);
      end if;
      if tg_op <> 'DELETE' then
        insert into list_deltas (list, merchant_id, at, keys, n)
        values ('deliveries', new.merchant_id, new.created_at, array[new.status, new.webhook_id::text], 1);
      end if;
    when 'sms_messages' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select tg_argv[0], d.* from (values
        (old.merchant_id, old.listed_at, array[old.status], -1),
        (new.merchant_id, new.listed_at, array[new.status], 1)) d(merchant, at, keys, n)
      where d.merchant is not null and d.at is not null;
    when 'references' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select tg_argv[0], d.* from (values
        (old.merchant_id, old.created_at, array[old.status, old.type], -1),
        (new.merchant_id, new.created_at, array[new.status, new.type], 1)) d(merchant, at, keys, n)
      where d.merchant is not null and d.at is not null;
    when 'refunds' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select tg_argv[0], d.* from (values
        (old.merchant_id, old.created_at, array[old.status, old.method], -1),
        (new.merchant_id, new.created_at, array[new.status, new.method], 1)) d(merchant, at, keys, n)
      where d.merchant is not null and d.at is not null;
    when 'audit' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select tg_argv[0], d.* from (values
        (old.merchant_id, old.occurred_at, array[old.action], -1),
        (new.merchant_id, new.occurred_at, array[new.action], 1)) d(merchant, at, keys, n)
      where d.merchant is not null and d.at is not null;
    when 'notifications' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select tg_argv[0], d.* from (values
        (old.merchant_id, '-infinity'::timestamptz, array[(old.read_at is not null)::text], -1),
        (new.merchant_id, '-infinity'::timestamptz, array[(new.read_at is not null)::text], 1)) d(merchant, at, keys, n)
      where d.merchant is not null and d.at is not null;
    when 'link_payments' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select tg_argv[0], d.* from (values
        (old.merchant_id, '-infinity'::timestamptz, array[old.status, old.link_id::text], -1),
        (new.merchant_id, '-infinity'::timestamptz, array[new.status, new.link_id::text], 1)) d(merchant, at, keys, n)
      where d.merchant is not null and d.at is not null;
    when 'sms_movements' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select tg_argv[0], d.* from (values
        (old.merchant_id, '-infinity'::timestamptz, array[old.kind], -1),
        (new.merchant_id, '-infinity'::timestamptz, array[new.kind], 1)) d(merchant, at, keys, n)
      where d.merchant is not null and d.at is not null;
    when 'sms_schedules' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select tg_argv[0], d.* from (values
        (old.merchant_id, case when old.run_at is not null then old.created_at end, array[old.status], -1),
        (new.merchant_id, case when new.run_at is not null then new.created_at end, array[new.status], 1)) d(merchant, at, keys, n)
      where d.merchant is not null and d.at is not null;
    when 'links', 'sms_contacts', 'sms_lists', 'sms_templates' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select tg_argv[0], d.* from (values
        (old.merchant_id, old.created_at, '{}'::text[], -1),
        (new.merchant_id, new.created_at, '{}'::text[], 1)) d(merchant, at, keys, n)
      where d.merchant is not null and d.at is not null;
  end case;
  return null;
end $$;
