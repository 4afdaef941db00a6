// What a merchant tells its payers of their data, and whom they ask about it.
import { Migration } from '@mikro-orm/migrations';

export class PayersNotice extends Migration {
  override up(): void {
    this.addSql(`alter table "merchants" add "privacy_contact" text null, add "privacy_notice" text null;`);
  }
}
