-- Trigger on transactions, and on refunds that succeeded: opens the settlement of their clearing period, or marks a
-- closed one due again.
create or replace function settle_movement() returns trigger language plpgsql as $$
declare
  of_rail text;
  occurred timestamptz;
  recorded timestamptz;
  closed timestamptz;
  of_day text;
begin
  if tg_table_name = 'refunds' then
    select t.rail into of_rail from transactions t where t.id = new.transaction_id;
    occurred := new.completed_at;
    recorded := new.completed_at;
  else
    of_rail := new.rail;
    occurred := new.occurred_at;
    recorded := new.created_at;
  end if;
  -- server/books/close.ts takes this lock exclusively, so no period closes while a movement of it is uncommitted.
  perform pg_advisory_xact_lock_shared(
    hashtextextended('settlement ' || new.merchant_id || ' ' || of_rail || ' ' || new.period || ' '
      || new.currency, 0));
  select s.closed_at into closed from settlements s
    where s.merchant_id = new.merchant_id and s.rail = of_rail and s.period = new.period and s.currency = new.currency;
  if not found then
    -- The clearing day ends at 20:00 in Luanda (shared/clearing.ts). The settlement closes an hour later.
    of_day := to_char((occurred at time zone 'UTC') + interval '5 hours', 'YYYY-MM-DD');
    insert into settlements (id, merchant_id, rail, period, currency, day, created_at, due_at)
    values (gen_random_uuid(), new.merchant_id, of_rail, new.period, new.currency, of_day, recorded,
      greatest(recorded, (of_day || 'T20:00:00Z')::timestamptz))
    on conflict do nothing;
  elsif closed is not null then
    -- A late movement: the settlement is summed again. The movement gets a time after the closing.
    recorded := greatest(recorded, closed + interval '1 ms');
    if tg_table_name = 'refunds' then
      new.completed_at := recorded;
    else
      new.created_at := recorded;
    end if;
    update settlements s set due_at = recorded
    where s.merchant_id = new.merchant_id and s.rail = of_rail and s.period = new.period and s.currency = new.currency;
  end if;
  return new;
end $$;
