// Adds the day on which the merchant made a manual refund.
import { Migration } from '@mikro-orm/migrations';

export class RefundDate extends Migration {
  override up(): void {
    this.addSql('alter table refunds add refunded_on text null');
  }
}
