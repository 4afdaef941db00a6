// What a merchant's systems were refused, for a week.
import { Migration } from '@mikro-orm/migrations';

export class RequestErrors extends Migration {
  override up(): void {
    this
      .addSql(`create table "request_errors" ("id" uuid not null, "merchant_id" uuid not null, "occurred_at" timestamptz(3) not null,
      "method" text not null, "path" text not null, "status" smallint not null, "code" text not null, "faults" jsonb not null,
      "request_id" text not null, "client_id" text null, primary key ("id"));`);
    this.addSql(`create index "request_errors_occurred_at_index" on "request_errors" ("occurred_at");`);
    this.addSql(`create index "request_errors_list" on "request_errors" ("merchant_id", "occurred_at", "id");`);
  }
}
