-- Trigger on append-only tables: audit entries, invoices, credit notes, fiscal documents, the SMS ledger.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
