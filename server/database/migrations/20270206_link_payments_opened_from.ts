// A payment of a link names the address that began it, by a keyed digest. One address holds a part of the link's stock at most.
import { Migration } from '@mikro-orm/migrations';

export class LinkPaymentsOpenedFrom extends Migration {
  override up(): void {
    this.addSql(`alter table "link_payments" add column "opened_from" text null;`);
    this.addSql(
      `create index "link_payments_opened_from" on "link_payments" ("link_id", "opened_from") where "status" = 'Open';`,
    );
  }
}
