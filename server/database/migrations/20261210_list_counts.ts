// The length of lists, counted ahead of being asked for; what there is already is counted by the job, a batch at a time.
import { Migration } from '@mikro-orm/migrations';

export class ListCounts extends Migration {
  override up(): void {
    this.addSql(`create table "list_counts" (
      "list" text not null,
      "merchant_id" uuid not null,
      "grain" text not null,
      "at" timestamptz(3) not null,
      "keys" text[] not null,
      "n" bigint not null,
      primary key ("list", "merchant_id", "grain", "at", "keys")
    );`);
    this.addSql(`create table "list_folds" ("list" text not null, "upto" bigint not null, primary key ("list"));`);
  }
}
