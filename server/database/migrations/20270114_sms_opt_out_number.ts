// A merchant's messages may name a number that people call who refuse them.
import { Migration } from '@mikro-orm/migrations';

export class SmsOptOutNumber extends Migration {
  override up(): void {
    this.addSql(`alter table "sms_accounts" add "opt_out_number" text null;`);
  }
}
