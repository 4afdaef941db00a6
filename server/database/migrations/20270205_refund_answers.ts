// What was answered to the request for a refund is not kept with its key any more: it is the refund as it was asked for.
import { Migration } from '@mikro-orm/migrations';

export class RefundAnswers extends Migration {
  override up(): void {
    this.addSql(`alter table "idempotency_keys" add column "refund_id" uuid null;`);
  }
}
