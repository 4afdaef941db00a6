// A link counts the unpaid payments of one address while it is locked.
import { ConcurrentMigration } from '../concurrent.ts';

export class LinksOpenedFromIndex extends ConcurrentMigration {
  override up(): void {
    this.addIndex('link_payments_opened_from', `on "link_payments" ("link_id", "opened_from") where "status" = 'Open'`);
  }
}
