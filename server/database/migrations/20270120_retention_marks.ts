// Marks of the nightly erasing. A line of the SMS ledger may lose the number that it ends with, and nothing else: what was done stays told.
import { Migration } from '@mikro-orm/migrations';

export class RetentionMarks extends Migration {
  override up(): void {
    this.addSql(`create table "retention_marks" ("name" text not null, "after" text not null, primary key ("name"));`);
    this.addSql(REFUSE_BUT_ERASURE);
    this.addSql(`drop trigger "sms_ledger_append_only" on "sms_ledger";`);
    this.addSql(`create trigger "sms_ledger_append_only" before delete or truncate on "sms_ledger"
  for each statement execute function refuse_change();`);
    this.addSql(`create trigger "sms_ledger_erasure_only" before update on "sms_ledger"
  for each row execute function refuse_change_but_erasure();`);
  }
}

const REFUSE_BUT_ERASURE = `
create function refuse_change_but_erasure() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'description' is distinct from to_jsonb(old) - 'description'
    or new.description is distinct from regexp_replace(old.description, '\\d[\\d ]{8,}$', 'erased') then
    raise exception '% is append-only', tg_table_name;
  end if;
  return new;
end $$;`;
