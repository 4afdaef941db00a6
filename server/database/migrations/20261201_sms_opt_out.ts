// How a merchant's messages say that one can refuse them, and the code of each person's own page for it.
import { Migration } from '@mikro-orm/migrations';

export class SmsOptOutPages extends Migration {
  override up(): void {
    this.addSql(`alter table "sms_accounts" add "opt_out_text" text not null default 'none';`);
    this.addSql(
      `create table "sms_opt_out_codes" ("code" text not null, "merchant_id" uuid not null, "phone" text not null, "created_at" timestamptz(3) not null, primary key ("code"));`,
    );
    this.addSql(
      `alter table "sms_opt_out_codes" add constraint "sms_opt_out_codes_phone" unique ("merchant_id", "phone");`,
    );
  }
}
