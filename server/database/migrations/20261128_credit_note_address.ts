// Adds the issuer's address to credit notes.
import { Migration } from '@mikro-orm/migrations';

export class CreditNoteAddress extends Migration {
  override up(): void {
    this.addSql('alter table "credit_notes" add "issuer_address" text null;');
  }
}
