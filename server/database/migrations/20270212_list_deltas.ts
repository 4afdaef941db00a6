// Lists are counted by triggers: each change appends its difference, and a job adds the differences to the counts.
import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

export class ListDeltas extends Migration {
  override up(): void {
    this.addSql(`drop table "list_folds", "list_counts";`);
    this.addSql(`alter table "deliveries" add "webhook_id" uuid generated always as
      (case when kind = 'callback' or (kind = 'test' and type like 'callback.%') then null else endpoint_id end) stored;`);
    this.addSql(`drop index "deliveries_list";`);
    this.addSql(`create index "deliveries_list" on "deliveries" ("merchant_id", "webhook_id", "status", "seq");`);
    this.addSql(`create index "notifications_read" on "notifications" ("merchant_id", "seq") where read_at is not null;`);
    this.addSql(`create index "sms_messages_status" on "sms_messages" ("merchant_id", "status", "listed_at", "id")
      where listed_at is not null;`);
    this.addSql(`create index "audit_action" on "audit_entries" ("merchant_id", "action", "seq");`);
    this.addSql(`create index "link_payments_status" on "link_payments" ("link_id", "status", "created_at", "payment_id");`);
    this.addSql(`drop index "sms_ledger_merchant";`);
    this.addSql(`create index "sms_ledger_merchant" on "sms_ledger" ("merchant_id", "kind", "seq");`);
    this.addSql(`drop index "sms_batches_scheduled";`);
    this.addSql(`create index "sms_batches_scheduled" on "sms_batches" ("merchant_id", "status", "created_at", "id")
      where run_at is not null;`);
    for (const name of ['note_difference', 'note_takings']) this.addSql(read(`functions/${name}.sql`));
    this.addSql(read('baseline/lists.sql'));
  }
}
