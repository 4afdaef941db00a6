// Erasures and exports find a merchant's rows by index, and the nightly cleaning finds old hints.
import { ConcurrentMigration } from '../concurrent.ts';

export class PrivacyIndexes extends ConcurrentMigration {
  override up(): void {
    this.addIndex('inbox_about', `on "inbox" ("about") where about is not null`);
    this.addIndex('inbox_unlinked', `on "inbox" ("rail", "id") where about is null and is_proven`);
    this.addIndex('inbox_hints', `on "inbox" ("received_at") where not is_proven`);
    this.addIndex('sms_messages_merchant', `on "sms_messages" ("merchant_id", "id")`);
    this.addIndex('sms_batches_merchant', `on "sms_batches" ("merchant_id", "id")`);
    this.addIndex('erasures_turn', `on "erasures" ("turn", "due_at") where due_at is not null`);
    this.addIndex('notifications_payment', `on "notifications" ("payment_id") where payment_id is not null`);
  }
}
