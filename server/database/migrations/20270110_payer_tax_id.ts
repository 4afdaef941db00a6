// A payment keeps its payer's tax number, for the merchant's own invoice.
import { Migration } from '@mikro-orm/migrations';

export class PayerTaxId extends Migration {
  override up(): void {
    this.addSql(`alter table "payments" add "payer_tax_id" text null;`);
  }
}
