// A person's choice of notifications by mail. Null: the default of the role.
import { Migration } from '@mikro-orm/migrations';

export class ProfileNotices extends Migration {
  override up(): void {
    this.addSql('alter table users add notice_mail text[]');
  }
}
