// The payments that were begun by a link, each with what its payer was asked.
import { Migration } from '@mikro-orm/migrations';

export class LinkPayments extends Migration {
  override up(): void {
    this.addSql(LINK_PAYMENTS);
    this.addSql(`create index "link_payments_list" on "link_payments" ("link_id", "created_at", "payment_id");`);
  }
}

const LINK_PAYMENTS = `create table "link_payments" (
  "payment_id" uuid not null primary key,
  "link_id" uuid not null,
  "merchant_id" uuid not null,
  "status" text not null,
  "customer_name" text null,
  "customer_email" text null,
  "customer_telephone" text null,
  "document_number" text null,
  "created_at" timestamptz(3) not null
);`;
