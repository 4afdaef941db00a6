// Counts the receipts that a merchant sends, for the limits of receipts.
import { Migration } from '@mikro-orm/migrations';

export class SentReceipts extends Migration {
  override up(): void {
    this.addSql(`create table "sent_receipts" (
      "id" uuid not null primary key,
      "merchant_id" uuid not null,
      "payment_id" uuid not null,
      "channel" text not null,
      "created_at" timestamptz(3) not null
    )`);
    this.addSql('create index "sent_receipts_list" on "sent_receipts" ("merchant_id", "created_at")');
  }
}
