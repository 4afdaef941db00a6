// Adds articles: the things with a price that a merchant sells at the till.
import { Migration } from '@mikro-orm/migrations';

export class Articles extends Migration {
  override up(): void {
    this.addSql(`create table "articles" (
      "id" uuid not null, "merchant_id" uuid not null, "name" text not null, "price_minor" bigint not null,
      "currency" text not null, "position" int not null, "is_active" boolean not null default true,
      "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"),
      constraint "articles_price" check (price_minor > 0))`);
    this.addSql(`create index "articles_list" on "articles" ("merchant_id", "position", "id")`);
    this.addSql(`create unique index "articles_name" on "articles" ("merchant_id", "name") where is_active`);
  }
}
