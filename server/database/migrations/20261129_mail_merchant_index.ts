// The index by which the erasures of a merchant find its mails.
import { ConcurrentMigration } from '../concurrent.ts';

export class MailMerchantIndex extends ConcurrentMigration {
  override up(): void {
    this.addIndex('mails_customers', 'on "mails" ("merchant_id", "id") where merchant_id is not null');
  }
}
