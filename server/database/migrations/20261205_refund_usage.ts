// Refunds as usage: how many were made, on each invoice.
import { Migration } from '@mikro-orm/migrations';

export class RefundUsage extends Migration {
  override up(): void {
    this.addSql(`alter table "invoices" add "refund_count" int not null default 0;`);
  }
}
