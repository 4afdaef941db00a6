// The indexes of due and of mailed notifications.
import { ConcurrentMigration } from '../concurrent.ts';

export class NoticeMailIndex extends ConcurrentMigration {
  override up(): void {
    const mailed = 'on notifications (merchant_id, type, mailed_at) where mailed_at is not null';
    this.addIndex('notifications_due', 'on notifications (due_at) where due_at is not null');
    this.addIndex('notifications_mailed', mailed);
  }
}
