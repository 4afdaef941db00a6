// Money given back: refunds, and what of each transaction and payment they came to.
import { Migration } from '@mikro-orm/migrations';

export class Refunds extends Migration {
  override up(): void {
    this.addSql(`alter table "payments" add "refunded_minor" bigint not null default '0';`);
    this.addSql(`alter table "transactions" add "refunded_minor" bigint not null default '0';`);
    this.addSql(`alter table "transactions" add "refunding_minor" bigint not null default '0';`);
    this.addSql(`alter table "merchants" add "cashier_refund_limit_minor" bigint null;`);
    this.addSql(`create table "refunds" (
      "id" uuid not null primary key,
      "merchant_id" uuid not null,
      "payment_id" uuid not null,
      "transaction_id" uuid not null,
      "amount_minor" bigint not null,
      "currency" text not null,
      "status" text not null,
      "revision" int not null,
      "method" text not null,
      "rail" text null,
      "reason" text null,
      "reference" text null,
      "proof" text null,
      "failure_code" text null,
      "provider_ref" text null,
      "late" boolean not null default false,
      "requested_by_kind" text not null,
      "requested_by_id" text not null,
      "details" jsonb not null,
      "created_at" timestamptz(3) not null,
      "completed_at" timestamptz(3) null,
      constraint "refunds_amount" check (amount_minor > 0)
    );`);
    this.addSql(
      `alter table "refunds" add constraint "refunds_payment_id_foreign" foreign key ("payment_id") references "payments" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "refunds" add constraint "refunds_transaction_id_foreign" foreign key ("transaction_id") references "transactions" ("id") on delete restrict;`,
    );
    this.addSql(`create index "refunds_list" on "refunds" ("merchant_id", "created_at", "id");`);
    this.addSql(`create index "refunds_payment" on "refunds" ("payment_id", "created_at", "id");`);
    this.addSql(
      `create unique index "refunds_rail_ref" on "refunds" ("rail", "provider_ref") where provider_ref is not null;`,
    );
    this.addSql(`create index "refunds_transaction" on "refunds" ("transaction_id");`);
  }
}
