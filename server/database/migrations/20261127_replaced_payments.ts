// Payments whose payer may go on by reference, and which payment took the place of which.
import { Migration } from '@mikro-orm/migrations';

export class ReplacedPayments extends Migration {
  override up(): void {
    this.addSql(
      `alter table "payments" add "allow_reference_fallback" boolean not null default false, add "replaced_by_id" uuid null, add "replaces_id" uuid null;`,
    );
    this.addSql(`create unique index "payments_replaces" on "payments" ("replaces_id") where replaces_id is not null;`);
  }
}
