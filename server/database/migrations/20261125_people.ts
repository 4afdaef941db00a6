// People, their access and sessions, the audit, mail, notifications, billing, SMS units; and references kept unique.
import { Migration } from '@mikro-orm/migrations';

export class People extends Migration {
  override up(): void {
    this.addSql(
      `create table "audit_entries" ("seq" bigserial primary key, "id" uuid not null, "merchant_id" uuid null, "action" text not null, "actor_kind" text not null, "actor_id" text not null, "address" text null, "target" text null, "changes" jsonb not null, "occurred_at" timestamptz(3) not null);`,
    );
    this.addSql(`create index "audit_merchant" on "audit_entries" ("merchant_id", "seq");`);
    this.addSql(
      `create table "billing_accounts" ("id" uuid not null, "next_month" text not null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`create index "billing_accounts_due" on "billing_accounts" ("due_at") where due_at is not null;`);
    this.addSql(
      `create table "invoices" ("id" uuid not null, "year" int not null, "serial" int not null, "merchant_id" uuid not null, "issuer_name" text not null, "issuer_tax_id" text not null, "merchant_name" text not null, "plan_name" text not null, "month" text not null, "lines" jsonb not null, "payment_count" int not null, "currency" text not null, "subtotal_minor" bigint not null, "tax_bps" int not null, "tax_minor" bigint not null, "total_minor" bigint not null, "issued_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "invoices" add constraint "invoices_month" unique ("merchant_id", "month");`);
    this.addSql(`alter table "invoices" add constraint "invoices_serial" unique ("year", "serial");`);
    this.addSql(
      `create table "mails" ("id" uuid not null, "to" text not null, "subject" text not null, "sealed_text" text not null, "sealed_html" text not null, "created_at" timestamptz(3) not null, "sent_at" timestamptz(3) null, "due_at" timestamptz(3) null, "due_count" int not null default 0, "error" text null, primary key ("id"));`,
    );
    this.addSql(`create index "mails_due" on "mails" ("due_at") where due_at is not null;`);
    this.addSql(
      `create table "mail_tokens" ("user_id" uuid not null, "purpose" text not null, "hash" text not null, "expires_at" timestamptz(3) not null, primary key ("user_id", "purpose"));`,
    );
    this.addSql(`alter table "mail_tokens" add constraint "mail_tokens_hash_unique" unique ("hash");`);
    this.addSql(
      `create table "memberships" ("merchant_id" uuid not null, "user_id" uuid not null, "role" text not null, "created_at" timestamptz(3) not null, "accepted_at" timestamptz(3) null, "expires_at" timestamptz(3) null, primary key ("merchant_id", "user_id"));`,
    );
    this.addSql(`create index "memberships_user" on "memberships" ("user_id", "created_at");`);
    this.addSql(
      `create table "notifications" ("seq" bigserial primary key, "id" uuid not null, "merchant_id" uuid not null, "type" text not null, "payment_id" uuid null, "details" jsonb not null, "subject" text not null, "created_at" timestamptz(3) not null, "read_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "notifications_list" on "notifications" ("merchant_id", "seq");`);
    this.addSql(`create index "notifications_unread" on "notifications" ("merchant_id", "seq") where read_at is null;`);
    this.addSql(`alter table "notifications" add constraint "notifications_id" unique ("id");`);
    this.addSql(
      `alter table "notifications" add constraint "notifications_subject" unique ("merchant_id", "subject");`,
    );
    this.addSql(
      `create table "plans" ("id" uuid not null, "name" text not null, "currency" text not null default 'AOA', "monthly_fee_minor" bigint not null, "included_payments" int not null, "payment_fee_minor" bigint not null, "created_at" timestamptz(3) not null, "retired_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create table "revoked_tokens" ("jti" text not null, "expires_at" timestamptz(3) not null, primary key ("jti"));`,
    );
    this.addSql(`create index "revoked_tokens_expires_at_index" on "revoked_tokens" ("expires_at");`);
    this.addSql(
      `create table "sessions" ("id" uuid not null, "user_id" uuid not null, "client_id" text not null, "merchant_id" uuid null, "scopes" text[] null, "generation" int not null default 1, "address" text null, "user_agent" text null, "created_at" timestamptz(3) not null, "used_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "revoked_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "sessions_user" on "sessions" ("user_id");`);
    this.addSql(
      `create table "sign_in_failures" ("subject" text not null, "failures" int not null, "last_at" timestamptz(3) not null, "locked_until" timestamptz(3) null, primary key ("subject"));`,
    );
    this.addSql(`create index "sign_in_failures_last_at_index" on "sign_in_failures" ("last_at");`);
    this.addSql(
      `create table "sms_accounts" ("merchant_id" uuid not null, "balance" int not null, "updated_at" timestamptz(3) not null, primary key ("merchant_id"));`,
    );
    this.addSql(
      `create table "sms_ledger" ("seq" bigserial primary key, "id" uuid not null, "merchant_id" uuid not null, "kind" text not null, "quantity" int not null, "balance_after" int not null, "description" text not null, "created_at" timestamptz(3) not null);`,
    );
    this.addSql(`create index "sms_ledger_merchant" on "sms_ledger" ("merchant_id", "seq");`);
    this.addSql(
      `create table "subscriptions" ("merchant_id" uuid not null, "month" text not null, "plan_id" uuid not null, "created_at" timestamptz(3) not null, primary key ("merchant_id", "month"));`,
    );
    this.addSql(
      `create table "usage_entries" ("transaction_id" uuid not null, "merchant_id" uuid not null, "amount_minor" bigint not null, "currency" text not null, "payment_type" text not null, "occurred_at" timestamptz(3) not null, "invoice_id" uuid null, primary key ("transaction_id"));`,
    );
    this.addSql(`create index "usage_entries_merchant" on "usage_entries" ("merchant_id", "occurred_at");`);
    this.addSql(
      `create index "usage_entries_open" on "usage_entries" ("merchant_id", "occurred_at") where invoice_id is null;`,
    );
    this.addSql(
      `create table "users" ("id" uuid not null, "email" text not null, "verified_at" timestamptz(3) null, "password_hash" text null, "first_name" text not null default '', "last_name" text not null default '', "phone_number" text null, "language" text not null default 'pt', "totp_secret" text null, "totp_confirmed_at" timestamptz(3) null, "totp_step" bigint null, "recovery_codes" text[] not null default '{}', "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "users" add constraint "users_email_unique" unique ("email");`);
    this.addSql(
      `alter table "clients" add "previous_hash" text null, add "previous_until" timestamptz(3) null, add "rotated_at" timestamptz(3) null;`,
    );
    this.addSql(
      `alter table "merchants" add "brand_logo" text null, add "unique_references" boolean not null default false;`,
    );
    this.addSql(`alter table "payments" add "reference_claim" text null;`);
    this.addSql(
      `create unique index "payments_claim" on "payments" ("merchant_id", "reference_claim") where reference_claim is not null;`,
    );
    this.addSql(`alter table "sms_accounts" add constraint "sms_accounts_balance" check (balance >= 0);`);
    // Money received before counts too.
    this.addSql(
      `insert into "usage_entries" ("transaction_id", "merchant_id", "amount_minor", "currency", "payment_type", "occurred_at") select t.id, p.merchant_id, t.amount_minor, t.currency, p.payment_type, t.created_at from transactions t join payments p on p.id = t.payment_id;`,
    );
    // What was done stays told, whatever a later program or a hand at the database wants.
    this.addSql(
      `create function refuse_change() returns trigger language plpgsql as $$ begin raise exception '% is append-only', tg_table_name; end $$;`,
    );
    for (const table of ['audit_entries', 'invoices', 'sms_ledger'])
      this.addSql(
        `create trigger "${table}_append_only" before update or delete or truncate on "${table}" for each statement execute function refuse_change();`,
      );
  }
}
