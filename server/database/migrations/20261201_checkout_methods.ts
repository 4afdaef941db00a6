// Which ways a hosted page offers: of a merchant, and of one payment. Merchants from before keep the page that they know.
import { Migration } from '@mikro-orm/migrations';

export class CheckoutMethods extends Migration {
  override up(): void {
    this.addSql(`alter table "merchants" add "checkout_methods" text[] not null default '{push}';`);
    this.addSql(`alter table "payments" add "checkout_methods" text[] null;`);
  }
}
