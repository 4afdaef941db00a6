-- Trigger on transactions, refunds that succeeded and events payment.failed, once a row: appends to list_deltas what the row adds to the
-- sums of `takings`. Money in another currency than its payment's adds nothing. server/lists/table.ts has the same rows.
create or replace function note_takings() returns trigger language plpgsql as $$
begin
  case tg_argv[0]
    when 'transactions' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select 'takings', new.merchant_id, new.created_at, array[s.kind, new.currency], s.n
      from (values ('taken', new.amount_minor), ('movements', 1), ('late', new.late::int)) s(kind, n)
      where s.n <> 0 and new.amount_minor > 0 and new.currency = (select p.currency from payments p where p.id = new.payment_id);
    when 'refunds' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      select 'takings', new.merchant_id, new.completed_at, array['returned', new.currency], new.amount_minor
      where new.currency = (select p.currency from payments p where p.id = new.payment_id);
    when 'failures' then
      insert into list_deltas (list, merchant_id, at, keys, n)
      values ('takings', new.merchant_id, new.occurred_at, array['failed', new.state ->> 'failureCode'], 1);
  end case;
  return null;
end $$;
