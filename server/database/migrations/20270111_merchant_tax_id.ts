// A merchant's tax number, which the operator's documents name.
import { Migration } from '@mikro-orm/migrations';

export class MerchantTaxId extends Migration {
  override up(): void {
    this.addSql(`alter table "merchants" add "tax_id" text null;`);
  }
}
