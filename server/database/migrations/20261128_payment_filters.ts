// Adds the indexes of the payment list's filters by method, by link, and by the person who charged.
import { ConcurrentMigration } from '../concurrent.ts';

export class PaymentFilters extends ConcurrentMigration {
  override up(): void {
    const order = '"created_at", "id"';
    this.addIndex('payments_method', `on "payments" ("merchant_id", "payment_method", ${order})`);
    this.addIndex('payments_link', `on "payments" ("merchant_id", ${order}) where link_id is not null`);
    this.addIndex(
      'payments_creator',
      `on "payments" ("merchant_id", "created_by_id", ${order}) where created_by_kind = 'user'`,
    );
  }
}
