// Adds the shifts of cashiers with their cash, and the shift of each payment, refund and transaction.
// Adds who canceled a payment, and the merchant's setting `takesCash`.
import { Migration } from '@mikro-orm/migrations';

export class Shifts extends Migration {
  override up(): void {
    this.addSql(`create table "shifts" (
      "id" uuid primary key,
      "merchant_id" uuid not null,
      "user_id" uuid not null,
      "status" text not null,
      "takes_cash" boolean not null,
      "opening_minor" bigint not null,
      "counted_minor" bigint null,
      "opened_at" timestamptz(3) not null,
      "closed_at" timestamptz(3) null,
      "closed_by_id" uuid null,
      "note" text null,
      "canceled_count" int null,
      "canceled_minor" bigint null,
      "pending_count" int null,
      "pending_minor" bigint null
    )`);
    this.addSql(`create unique index "shifts_open" on "shifts" ("merchant_id", "user_id") where status = 'open'`);
    this.addSql('create index "shifts_list" on "shifts" ("merchant_id", "opened_at", "id")');
    this.addSql('create index "shifts_user" on "shifts" ("merchant_id", "user_id", "opened_at", "id")');
    this.addSql(`create table "cash_entries" (
      "id" uuid primary key,
      "merchant_id" uuid not null,
      "shift_id" uuid not null,
      "kind" text not null,
      "amount_minor" bigint not null,
      "note" text null,
      "created_by_id" uuid not null,
      "created_at" timestamptz(3) not null,
      constraint "cash_entries_amount" check (amount_minor > 0)
    )`);
    this.addSql('create index "cash_entries_shift" on "cash_entries" ("shift_id", "created_at", "id")');
    this.addSql('create index "cash_entries_list" on "cash_entries" ("merchant_id", "created_at", "id")');
    this.addSql('alter table "merchants" add "takes_cash" boolean not null default false');
    this.addSql(`alter table "payments"
      add "shift_id" uuid null, add "canceled_by_kind" text null, add "canceled_by_id" text null`);
    this.addSql('alter table "transactions" add "shift_id" uuid null');
    this.addSql('alter table "refunds" add "shift_id" uuid null, add "counted_shift_id" uuid null');
  }
}
