// What an operator is shown at each scrape is found without reading whole tables: orders without an outcome, rails' messages that
// nobody could be given, endpoints that fail.
import { Migration } from '@mikro-orm/migrations';

export class Figures extends Migration {
  override up(): void {
    this.addSql(
      `create index "attempts_open" on "attempts" ("created_at") where status in ('Unsent', 'Unreached', 'Sent');`,
    );
    this.addSql(`create index "inbox_unmatched" on "inbox" ("received_at") where outcome <> 'applied';`);
    this.addSql(
      `create index "endpoints_failing" on "endpoints" ("failing_since") where probe_at is not null and deleted_at is null;`,
    );
  }
}
