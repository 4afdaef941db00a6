// Payments of too much or too little money are few, and found without reading all others.
import { ConcurrentMigration } from '../concurrent.ts';

export class ConsoleFlagged extends ConcurrentMigration {
  override up(): void {
    this.addIndex(
      'payments_flagged',
      `on "payments" ("merchant_id", "created_at", "id") where flags && '{overpaid,amount_mismatch}'`,
    );
  }
}
