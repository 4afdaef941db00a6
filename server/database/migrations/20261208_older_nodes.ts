// What a node of 0.1.0 does not know of the books is filled in for it, so that it can record money beside a newer one; and who may run
// on this schema at all: whoever knows the migration that `schema_floor` names.
import { Migration } from '@mikro-orm/migrations';

export class OlderNodes extends Migration {
  override up(): void {
    this.addSql(COMPLETE);
    // Before the trigger "settle", by its name: that needs what this one fills in.
    this.addSql(`create trigger "complete" before insert on "transactions" for each row
      when (new.merchant_id is null or new.period is null) execute function complete_transaction();`);
    this.addSql(`create table "schema_floor" ("id" text not null, "migration" text not null, primary key ("id"));`);
    this.addSql(`insert into "schema_floor" (id, migration) values ('floor', '20261128_published_files');`);
  }
}

/** As 20261204_books has it for what was there before. */
const COMPLETE = `
create function complete_transaction() returns trigger language plpgsql as $$
begin
  new.merchant_id := coalesce(new.merchant_id, (select p.merchant_id from payments p where p.id = new.payment_id));
  new.period := coalesce(new.period, nullif(new.details ->> 'clearingPeriod', ''),
    to_char((new.occurred_at at time zone 'UTC') + interval '5 hours', 'YYYY-MM-DD'));
  if new.fee_minor is null and new.currency = 'AOA' and new.details ->> 'fee' ~ '^[0-9]{1,12}([.][0-9]{1,2})?$' then
    new.fee_minor := round((new.details ->> 'fee')::numeric * 100)::bigint;
  end if;
  return new;
end $$;`;
