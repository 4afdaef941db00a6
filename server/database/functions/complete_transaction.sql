-- Trigger on transactions: fills merchant, clearing period and fee for rows written by a release that did not know these columns.
create or replace function complete_transaction() returns trigger language plpgsql as $$
begin
  new.merchant_id := coalesce(new.merchant_id, (select p.merchant_id from payments p where p.id = new.payment_id));
  new.period := coalesce(new.period, nullif(new.details ->> 'clearingPeriod', ''),
    to_char((new.occurred_at at time zone 'UTC') + interval '5 hours', 'YYYY-MM-DD'));
  if new.fee_minor is null and new.currency = 'AOA' and new.details ->> 'fee' ~ '^[0-9]{1,12}([.][0-9]{1,2})?$' then
    new.fee_minor := round((new.details ->> 'fee')::numeric * 100)::bigint;
  end if;
  return new;
end $$;
