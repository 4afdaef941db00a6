// Notifications are mailed by a job: its time, its count, and the time of the mail.
import { Migration } from '@mikro-orm/migrations';

export class NoticeMail extends Migration {
  override up(): void {
    this.addSql(`alter table notifications
      add due_at timestamptz(3), add due_count int not null default 0, add mailed_at timestamptz(3)`);
  }
}
