// Adds the issuer's address and the way to pay to monthly statements. Statements of earlier releases have neither.
import { Migration } from '@mikro-orm/migrations';

export class StatementPayment extends Migration {
  override up(): void {
    this.addSql('alter table "invoices" add "issuer_address" text null, add "payment" jsonb null;');
  }
}
