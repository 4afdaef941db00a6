// A mail to a customer names the merchant that sends it, so that the merchant's erasures reach it.
import { Migration } from '@mikro-orm/migrations';

export class MailMerchant extends Migration {
  override up(): void {
    this.addSql('alter table "mails" add "merchant_id" uuid null');
  }
}
