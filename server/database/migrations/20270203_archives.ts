// Months that were archived, and what of their events is still asked for.
import { Migration } from '@mikro-orm/migrations';

export class Archives extends Migration {
  override up(): void {
    this.addSql(
      `create table "archives" ("part" text not null, "detached_at" timestamptz(3) not null, "sha256" text null, "dropped_at" timestamptz(3) null, primary key ("part"));`,
    );
    this.addSql(
      `create table "archived_events" ("seq" bigint not null, "payment_id" uuid not null, "part" text not null, "type" text not null, "status" text null, "state" jsonb null, "details" jsonb not null, primary key ("seq"));`,
    );
    this.addSql(`create index "archived_events_payment" on "archived_events" ("payment_id", "seq");`);
  }
}
