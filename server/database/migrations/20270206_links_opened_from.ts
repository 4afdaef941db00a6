// A payment of a link names the address that began it, by a keyed digest. One address holds a part of the link's stock at most.
import { Migration } from '@mikro-orm/migrations';

export class LinksOpenedFrom extends Migration {
  override up(): void {
    this.addSql(`alter table "link_payments" add column "opened_from" text null;`);
  }
}
