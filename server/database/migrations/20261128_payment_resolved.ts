// Adds when a person resolved a payment's odd money, and the status before late money.
import { Migration } from '@mikro-orm/migrations';

export class PaymentResolved extends Migration {
  override up(): void {
    this.addSql('alter table payments add late_after text null, add resolved_at timestamptz(3) null');
  }
}
