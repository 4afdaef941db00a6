// Where merchants are called, what they are told, every call made for it; and what events keep of their payment.
import { Migration } from '@mikro-orm/migrations';

export class Callbacks extends Migration {
  override up(): void {
    this.addSql(`alter table "events" add column "state" jsonb null;`);
    // The money before an event is read newest first.
    this.addSql(`drop index "transactions_payment";`);
    this.addSql(`create index "transactions_payment" on "transactions" ("payment_id", "created_at", "id");`);
    this.addSql(
      `create table "endpoints" ("id" uuid not null, "merchant_id" uuid not null, "kind" text not null, "url" text not null, "access_key" text null, "secrets" text null, "types" text[] null, "description" text null, "failures" int not null default 0, "failing_since" timestamptz(3) null, "probe_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "endpoints_merchant" on "endpoints" ("merchant_id") where deleted_at is null;`);
    this.addSql(
      `create unique index "endpoints_callback" on "endpoints" ("merchant_id") where kind = 'callback' and deleted_at is null;`,
    );
    this.addSql(
      `create table "deliveries" ("seq" bigserial primary key, "id" uuid not null, "merchant_id" uuid not null, "endpoint_id" uuid null, "kind" text not null, "type" text not null, "payment_id" uuid null, "transaction_id" uuid null, "event_seq" bigint null, "status" text not null, "attempts" int not null default 0, "tries" int not null default 0, "tries_since" timestamptz(3) null, "first_tried_at" timestamptz(3) null, "leased_until" timestamptz(3) null, "claimed_at" timestamptz(3) null, "due_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "delivered_at" timestamptz(3) null);`,
    );
    this.addSql(`alter table "deliveries" add constraint "deliveries_id" unique ("id");`);
    this.addSql(`create index "deliveries_list" on "deliveries" ("merchant_id", "seq");`);
    this.addSql(`create index "deliveries_payment" on "deliveries" ("payment_id", "seq");`);
    this.addSql(
      `create index "deliveries_due" on "deliveries" ("endpoint_id", "due_at", "seq") where due_at is not null;`,
    );
    this.addSql(
      `create index "deliveries_untried" on "deliveries" ("endpoint_id", "payment_id", "seq") where first_tried_at is null and due_at is not null;`,
    );
    this.addSql(
      `create unique index "deliveries_transaction" on "deliveries" ("transaction_id") where transaction_id is not null;`,
    );
    this.addSql(
      `create table "delivery_attempts" ("delivery_id" uuid not null, "number" int not null, "started_at" timestamptz(3) not null, "duration_ms" int null, "outcome" text not null, "status" smallint null, "answer" text null, "error" text null, primary key ("delivery_id", "number"));`,
    );
  }
}
