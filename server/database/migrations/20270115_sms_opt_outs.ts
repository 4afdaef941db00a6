// Refusals of SMS say who wrote them down, and have an id: there are few, so that giving each one takes no time.
import { Migration } from '@mikro-orm/migrations';

export class SmsOptOuts extends Migration {
  override up(): void {
    this.addSql(`alter table "sms_opt_outs" add "id" uuid not null default gen_random_uuid(), add "source" text null;`);
  }
}
