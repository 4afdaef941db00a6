// Payments in a currency that hardly anybody uses are found without reading all others.
import { ConcurrentMigration } from '../concurrent.ts';

export class PaymentsCurrency extends ConcurrentMigration {
  override up(): void {
    this.addIndex(
      'payments_currency',
      `on "payments" ("merchant_id", "currency", "created_at", "id") where currency <> 'AOA'`,
    );
  }
}
