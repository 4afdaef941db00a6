// The books: whose money a transaction is, its clearing period and fee, the period of what was given back; and the settlement of each
// period, which the database makes with the first money of it.
import { Migration } from '@mikro-orm/migrations';

export class Books extends Migration {
  override up(): void {
    this.addSql(
      `alter table "transactions" add "merchant_id" uuid null, add "period" text null, add "fee_minor" bigint null;`,
    );
    // The day that ends at 20:00 in Luanda, as shared/clearing.ts has it. Fees are told by rails of the kwanza alone.
    this.addSql(`update "transactions" t set merchant_id = p.merchant_id,
      period = coalesce(nullif(t.details ->> 'clearingPeriod', ''), to_char((t.occurred_at at time zone 'UTC') + interval '5 hours', 'YYYY-MM-DD')),
      fee_minor = case when t.currency = 'AOA' and t.details ->> 'fee' ~ '^[0-9]{1,12}([.][0-9]{1,2})?$'
        then round((t.details ->> 'fee')::numeric * 100)::bigint end
      from "payments" p where p.id = t.payment_id;`);
    this.addSql(`alter table "transactions" alter "merchant_id" set not null, alter "period" set not null;`);
    this.addSql(`create index "transactions_list" on "transactions" ("merchant_id", "occurred_at", "id");`);
    this.addSql(
      `create index "transactions_period" on "transactions" ("merchant_id", "rail", "period", "occurred_at", "id");`,
    );
    this.addSql(`alter table "refunds" add "period" text null;`);
    this.addSql(
      `create index "refunds_movements" on "refunds" ("merchant_id", "completed_at", "id") where status = 'Succeeded';`,
    );
    this.addSql(
      `create index "refunds_period" on "refunds" ("merchant_id", "period", "completed_at", "id") where status = 'Succeeded';`,
    );
    this.addSql(SETTLEMENTS);
    this.addSql(`create index "settlements_list" on "settlements" ("merchant_id", "day", "id");`);
    this.addSql(`create index "settlements_due" on "settlements" ("due_at") where due_at is not null;`);
    this.addSql(CREDITS);
    this.addSql(
      `create index "settlement_credits_settlement" on "settlement_credits" ("settlement_id", "created_at", "id");`,
    );
    this.addSql(
      `create table "bank_mappings" ("merchant_id" uuid not null, "mapping" jsonb not null, primary key ("merchant_id"));`,
    );
    this.addSql(SETTLE);
    this.addSql(
      `create trigger "settle" before insert on "transactions" for each row execute function settle_movement();`,
    );
    this.addSql(`create trigger "settle" before insert or update of "status" on "refunds" for each row
      when (new.status = 'Succeeded') execute function settle_movement();`);
    // Of what there is: closed one by one by the first node to start.
    this.addSql(`insert into "settlements" (id, merchant_id, rail, period, currency, day, created_at, due_at)
      select gen_random_uuid(), merchant_id, rail, period, currency,
        to_char((min(occurred_at) at time zone 'UTC') + interval '5 hours', 'YYYY-MM-DD'), min(created_at), max(created_at)
      from "transactions" group by merchant_id, rail, period, currency;`);
  }
}

const SETTLEMENTS = `create table "settlements" (
  "id" uuid not null primary key,
  "merchant_id" uuid not null,
  "rail" text not null,
  "period" text not null,
  "currency" text not null,
  "day" text not null,
  "status" text not null default 'open',
  "movement_count" int not null default 0,
  "taken_minor" bigint not null default '0',
  "fees_minor" bigint not null default '0',
  "refunded_minor" bigint not null default '0',
  "manual_minor" bigint not null default '0',
  "manual_count" int not null default 0,
  "credited_minor" bigint not null default '0',
  "closed_at" timestamptz(3) null,
  "closed_count" int null,
  "closed_minor" bigint null,
  "created_at" timestamptz(3) not null,
  "due_at" timestamptz(3) null,
  "due_count" int not null default 0,
  constraint "settlements_period" unique ("merchant_id", "rail", "period", "currency")
);`;

const CREDITS = `create table "settlement_credits" (
  "id" uuid not null primary key,
  "merchant_id" uuid not null,
  "settlement_id" uuid not null,
  "amount_minor" bigint not null,
  "currency" text not null,
  "date" text not null,
  "bank_reference" text null,
  "file_hash" text null,
  "line_hash" text null,
  "entered_by_kind" text not null,
  "entered_by_id" text not null,
  "created_at" timestamptz(3) not null,
  constraint "settlement_credits_line" unique ("merchant_id", "line_hash"),
  constraint "settlement_credits_settlement_id_foreign" foreign key ("settlement_id") references "settlements" ("id") on delete restrict
);`;

const SETTLE = `
create function settle_movement() returns trigger language plpgsql as $$
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
  -- Until the money is committed nobody closes its period, which would be without it (server/books/close.ts).
  perform pg_advisory_xact_lock_shared(
    hashtextextended('settlement ' || new.merchant_id || ' ' || of_rail || ' ' || new.period || ' ' || new.currency, 0));
  select s.closed_at into closed from settlements s
    where s.merchant_id = new.merchant_id and s.rail = of_rail and s.period = new.period and s.currency = new.currency;
  if not found then
    -- The day that ends at 20:00 in Luanda, as shared/clearing.ts has it; it is closed an hour after.
    of_day := to_char((occurred at time zone 'UTC') + interval '5 hours', 'YYYY-MM-DD');
    insert into settlements (id, merchant_id, rail, period, currency, day, created_at, due_at)
    values (gen_random_uuid(), new.merchant_id, of_rail, new.period, new.currency, of_day, recorded,
      greatest(recorded, (of_day || 'T20:00:00Z')::timestamptz))
    on conflict do nothing;
  elsif closed is not null then
    -- Late: it is summed again. Its time is from before the closing only where it waited for that.
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
end $$;`;
