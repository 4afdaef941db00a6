// A credit note keeps its receiver's tax number, as its invoice does.
import { Migration } from '@mikro-orm/migrations';

export class CreditNoteReceivers extends Migration {
  override up(): void {
    this.addSql(`alter table "credit_notes" add "merchant_tax_id" text null;`);
  }
}
