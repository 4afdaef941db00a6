// A payment is changed a handful of times. Where its page has room for that, a change that no index knows of, as a refund's is, writes
// the row alone and none of its fourteen indexes.
import { Migration } from '@mikro-orm/migrations';

export class PaymentsRoom extends Migration {
  override up(): void {
    this.addSql(`alter table "payments" set (fillfactor = 90);`);
  }
}
