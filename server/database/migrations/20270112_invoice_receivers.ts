// An invoice keeps its receiver's tax number as it was then.
import { Migration } from '@mikro-orm/migrations';

export class InvoiceReceivers extends Migration {
  override up(): void {
    this.addSql(`alter table "invoices" add "merchant_tax_id" text null;`);
  }
}
