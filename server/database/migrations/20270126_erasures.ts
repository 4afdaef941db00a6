// Erasures of single people, and the key of the digests that stand for an erased number.
import { Migration } from '@mikro-orm/migrations';

export class Erasures extends Migration {
  override up(): void {
    this.addSql(`create table "digest_keys" ("id" text not null, "sealed_key" text not null, primary key ("id"));`);
    this.addSql(
      `create table "erasures" ("id" uuid not null, "merchant_id" uuid null, "subject_hash" text not null, "sealed_subject" text null, "status" text not null, "progress" jsonb not null, "erased" jsonb not null, "requested_by_kind" text not null, "requested_by_id" text not null, "created_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`create index "erasures_due" on "erasures" ("due_at") where due_at is not null;`);
    this.addSql(`create index "erasures_subject" on "erasures" ("subject_hash", "created_at");`);
  }
}
