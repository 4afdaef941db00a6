// Refusals of SMS are listed by their moment.
import { ConcurrentMigration } from '../concurrent.ts';

export class SmsOptOutsList extends ConcurrentMigration {
  override up(): void {
    this.addIndex('sms_opt_outs_list', `on "sms_opt_outs" ("merchant_id", "created_at", "id")`);
  }
}
