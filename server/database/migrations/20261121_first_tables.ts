// The tables of the main job: merchants and their clients, payments, events, what the rails said, answers by key.
import { Migration } from '@mikro-orm/migrations';

export class FirstTables extends Migration {
  override up(): void {
    this.addSql(
      `create table "clients" ("id" text not null, "merchant_id" uuid not null, "name" text not null, "secret_hash" text not null, "scopes" text[] not null, "created_at" timestamptz(3) not null, "revoked_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "clients_merchant_id_index" on "clients" ("merchant_id");`);

    this.addSql(
      `create table "events" ("seq" bigserial primary key, "id" uuid not null, "merchant_id" uuid not null, "payment_id" uuid null, "type" text not null, "status" text null, "occurred_at" timestamptz(3) not null, "details" jsonb not null, "position" bigint null);`,
    );
    this.addSql(`create index "events_payment" on "events" ("payment_id", "seq");`);
    this.addSql(`create index "events_unstamped" on "events" ("merchant_id", "seq") where position is null;`);
    this.addSql(
      `create unique index "events_position" on "events" ("merchant_id", "position") where position is not null;`,
    );

    this.addSql(
      `create table "idempotency_keys" ("merchant_id" uuid not null, "key" text not null, "fingerprint" text not null, "status" smallint null, "body" text null, "created_at" timestamptz(3) not null, primary key ("merchant_id", "key"));`,
    );
    this.addSql(`create index "idempotency_keys_created_at_index" on "idempotency_keys" ("created_at");`);

    this.addSql(
      `create table "inbox" ("id" uuid not null, "rail" text not null, "notification_id" text not null, "body" text not null, "received_at" timestamptz(3) not null, "applied_at" timestamptz(3) null, "outcome" text null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`create index "inbox_due" on "inbox" ("due_at") where due_at is not null;`);
    this.addSql(`alter table "inbox" add constraint "inbox_notification" unique ("rail", "notification_id");`);

    this.addSql(
      `create table "merchants" ("id" uuid not null, "name" text not null, "default_language" text not null default 'pt', "brand_color" text null, "allowed_origins" text[] not null, "return_origins" text[] not null, "gpo_merchant_ids" text[] not null, "gpo_pos_ids" text[] not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );

    this.addSql(
      `create table "payments" ("id" uuid not null, "merchant_id" uuid not null, "reference" text not null, "amount_minor" bigint not null, "currency" text not null, "payment_type" text not null, "payment_method" text not null, "status" text not null, "revision" int not null, "description" text null, "custom_metadata" text null, "phone" text null, "provider" text null, "gpo_merchant_id" text null, "gpo_pos_id" text null, "return_url" text null, "cancel_url" text null, "amount_paid_minor" bigint not null default '0', "flags" text[] not null default '{}', "failure_code" text null, "attempts_made" smallint not null default 0, "created_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, "expires_at" timestamptz(3) null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`create index "payments_list" on "payments" ("merchant_id", "created_at", "id");`);
    this.addSql(`create index "payments_reference" on "payments" ("merchant_id", "reference");`);
    this.addSql(`create index "payments_due" on "payments" ("due_at") where due_at is not null;`);
    this.addSql(
      `create unique index "payments_in_flight" on "payments" ("merchant_id", "reference", "amount_minor", "phone") where status = 'Processing' and payment_type = 'GPO';`,
    );
    this.addSql(
      `alter table "payments" add constraint "payments_amounts" check (amount_minor >= 0 and amount_paid_minor >= 0);`,
    );

    this.addSql(
      `create table "attempts" ("id" uuid not null, "payment_id" uuid not null, "phone" text not null, "status" text not null, "failure_code" text null, "provider_ref" text null, "created_at" timestamptz(3) not null, "sent_at" timestamptz(3) not null, "resolved_at" timestamptz(3) null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`create index "attempts_payment" on "attempts" ("payment_id");`);
    this.addSql(`create index "attempts_phone" on "attempts" ("phone", "created_at");`);
    this.addSql(`create index "attempts_due" on "attempts" ("due_at") where due_at is not null;`);

    this.addSql(
      `create table "signing_keys" ("kid" text not null, "public_jwk" jsonb not null, "sealed_private_jwk" text not null, "created_at" timestamptz(3) not null, "retired_at" timestamptz(3) null, primary key ("kid"));`,
    );

    this.addSql(
      `create table "transactions" ("id" uuid not null, "payment_id" uuid not null, "rail" text not null, "provider_ref" text not null, "attempt_id" uuid null, "amount_minor" bigint not null, "currency" text not null, "status" text not null, "late" boolean not null, "occurred_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "details" jsonb not null, primary key ("id"));`,
    );
    this.addSql(`create index "transactions_payment" on "transactions" ("payment_id");`);
    this.addSql(`alter table "transactions" add constraint "transactions_rail_ref" unique ("rail", "provider_ref");`);

    this.addSql(
      `alter table "attempts" add constraint "attempts_payment_id_foreign" foreign key ("payment_id") references "payments" ("id") on delete restrict;`,
    );

    this.addSql(
      `alter table "transactions" add constraint "transactions_payment_id_foreign" foreign key ("payment_id") references "payments" ("id") on delete restrict;`,
    );
  }
}
