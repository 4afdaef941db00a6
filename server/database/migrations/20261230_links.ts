// Payment links that anybody can send: what they ask for, and how many payments of each are open and paid.
import { Migration } from '@mikro-orm/migrations';

export class Links extends Migration {
  override up(): void {
    this.addSql(LINKS);
    this.addSql(`create index "links_list" on "links" ("merchant_id", "created_at", "id");`);
    this.addSql(`alter table "links" add constraint "links_slug" unique ("slug");`);
  }
}

const LINKS = `create table "links" (
  "id" uuid not null primary key,
  "merchant_id" uuid not null,
  "slug" text not null,
  "title" text not null,
  "amount_minor" bigint null,
  "min_minor" bigint null,
  "max_minor" bigint null,
  "currency" text not null,
  "stock" int null,
  "expires_at" timestamptz(3) null,
  "methods" text[] null,
  "asks" text[] not null default '{}',
  "thanks" text null,
  "return_url" text null,
  "revision" int not null default 1,
  "open_count" int not null default 0,
  "paid_count" int not null default 0,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "withdrawn_at" timestamptz(3) null
);`;
