// Payment references are listed by status and type however rare those are.
import { ConcurrentMigration } from '../concurrent.ts';

export class ReferencesFilters extends ConcurrentMigration {
  override up(): void {
    this.addIndex(
      'payment_references_status',
      `on "payment_references" ("merchant_id", "status", "type", "created_at", "id")`,
    );
  }
}
