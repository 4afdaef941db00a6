-- Trigger on sms_ledger: the only change allowed is the erasure of the phone number in a description.
create or replace function refuse_change_but_erasure() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'description' is distinct from to_jsonb(old) - 'description'
    or new.description is distinct from regexp_replace(old.description, '\d[\d ]{8,}$', 'erased') then
    raise exception '% is append-only', tg_table_name;
  end if;
  return new;
end $$;
