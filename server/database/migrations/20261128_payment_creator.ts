// Adds who created a payment: a person, or an API client.
import { Migration } from '@mikro-orm/migrations';

export class PaymentCreator extends Migration {
  override up(): void {
    this.addSql('alter table "payments" add "created_by_kind" text null, add "created_by_id" text null');
  }
}
