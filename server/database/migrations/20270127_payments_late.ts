// Payments whose money came after their end are few, and found without reading all others.
import { ConcurrentMigration } from '../concurrent.ts';

export class PaymentsLate extends ConcurrentMigration {
  override up(): void {
    this.addIndex('payments_late', `on "payments" ("merchant_id", "created_at", "id") where late`);
  }
}
