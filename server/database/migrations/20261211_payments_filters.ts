// Payments are listed by status and type however rare those are.
import { ConcurrentMigration } from '../concurrent.ts';

export class PaymentsFilters extends ConcurrentMigration {
  override up(): void {
    this.addIndex('payments_status', `on "payments" ("merchant_id", "status", "payment_type", "created_at", "id")`);
  }
}
