// The indexes of payments, transactions and refunds by their shift.
import { ConcurrentMigration } from '../concurrent.ts';

export class ShiftsIndexes extends ConcurrentMigration {
  override up(): void {
    this.addIndex('payments_shift', 'on "payments" ("shift_id") where shift_id is not null');
    this.addIndex('transactions_shift', 'on "transactions" ("shift_id") where shift_id is not null');
    this.addIndex('refunds_shift', 'on "refunds" ("counted_shift_id") where counted_shift_id is not null');
  }
}
