// Rows of one rail or merchant take turns with those of others: each queue that calls outside needs them in that order.
import { ConcurrentMigration } from '../concurrent.ts';

export class RailsTurns extends ConcurrentMigration {
  override up(): void {
    for (const table of ['attempts', 'payment_references', 'inbox', 'rail_feeds', 'reconciliations'])
      this.addIndex(`${table}_turn`, `on "${table}" ("rail", "due_at") where due_at is not null`);
    const sent = `where status = 'Sent' and due_at is not null`;
    this.addIndex('sms_messages_follow_turn', `on "sms_messages" ("merchant_id", "due_at") ${sent}`);
  }
}
