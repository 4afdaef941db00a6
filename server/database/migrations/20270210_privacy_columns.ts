// Messages of rails name their subject, so that an erasure finds them by index. Erasures take turns by merchant.
import { Migration } from '@mikro-orm/migrations';

const NIL = '00000000-0000-0000-0000-000000000000';

export class PrivacyColumns extends Migration {
  override up(): void {
    this.addSql(`alter table "inbox" add column "about" text null;`);
    this.addSql(`alter table "erasures" add column "turn" uuid not null default '${NIL}';`);
    this.addSql(`update "erasures" set "turn" = "merchant_id" where "merchant_id" is not null;`);
  }
}
