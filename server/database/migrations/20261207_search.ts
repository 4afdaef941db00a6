// Payments are found by amount, by phone, and by up to three keys of their customMetadata that the merchant names.
import { Migration } from '@mikro-orm/migrations';

export class Search extends Migration {
  override up(): void {
    this.addSql(`alter table "merchants" add "search_keys" text[] not null default '{}';`);
    this.addSql(`alter table "payments" add "search_terms" text[] null;`);
    this.addSql(
      `create index "payments_search" on "payments" using gin ("search_terms") where search_terms is not null;`,
    );
    this.addSql(`create index "payments_amount" on "payments" ("merchant_id", "amount_minor", "created_at", "id");`);
    this.addSql(
      `create index "payments_phone" on "payments" ("merchant_id", "phone", "created_at", "id") where phone is not null;`,
    );
  }
}
