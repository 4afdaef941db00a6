// Payment references (PPR), the entity a merchant's references are paid to, and how far each rail's feed was read.
import { Migration } from '@mikro-orm/migrations';

export class PaymentReferences extends Migration {
  override up(): void {
    this.addSql(`alter table "merchants" add column "entity" text null;`);
    this.addSql(
      `create table "payment_references" ("id" uuid not null, "payment_id" uuid not null, "merchant_id" uuid not null, "entity" text not null, "reference" text not null, "type" text not null, "contract" text not null, "status" text not null, "customer_email" text null, "customer_name" text null, "customer_telephone" text null, "document_number" text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "closed_at" timestamptz(3) null, "registered_at" timestamptz(3) null, "withdrawn_at" timestamptz(3) null, "rail_fault" text null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`alter table "payment_references" add constraint "payment_references_payment" unique ("payment_id");`);
    this.addSql(
      `alter table "payment_references" add constraint "payment_references_payment_id_foreign" foreign key ("payment_id") references "payments" ("id") on delete restrict;`,
    );
    this.addSql(
      `create index "payment_references_list" on "payment_references" ("merchant_id", "created_at", "id", "type", "status");`,
    );
    this.addSql(
      `create index "payment_references_digits" on "payment_references" ("entity", "reference", "created_at");`,
    );
    this.addSql(
      `create index "payment_references_own" on "payment_references" ("merchant_id", "reference", "created_at");`,
    );
    this.addSql(`create index "payment_references_due" on "payment_references" ("due_at") where due_at is not null;`);
    this.addSql(
      `create unique index "payment_references_live" on "payment_references" ("entity", "reference") where status = 'Pending';`,
    );
    this.addSql(
      `create table "rail_feeds" ("id" uuid not null, "rail" text not null, "cursor" text null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`alter table "rail_feeds" add constraint "rail_feeds_rail" unique ("rail");`);
    this.addSql(`create index "rail_feeds_due" on "rail_feeds" ("due_at") where due_at is not null;`);
  }
}
