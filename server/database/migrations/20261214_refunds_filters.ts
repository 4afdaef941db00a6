// Refunds are listed by status and method however rare those are.
import { ConcurrentMigration } from '../concurrent.ts';

export class RefundsFilters extends ConcurrentMigration {
  override up(): void {
    this.addIndex('refunds_status', `on "refunds" ("merchant_id", "status", "method", "created_at", "id")`);
  }
}
