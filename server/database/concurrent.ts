// A migration that builds indexes while nodes write. It runs outside of a transaction, and can run again after a crash.
import { Migration } from '@mikro-orm/migrations';
import { MIGRATION_SETTINGS } from './orm.ts';

/** A migration whose statements run one by one. Each statement can run again. */
export abstract class ConcurrentMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /**
   * Builds an index. This may take long, because no other statement waits for it.
   * An interrupted run leaves an invalid index, which is dropped first.
   * @param definition the text after the index's name: `on "payments" ("due_at") where …`
   */
  protected addIndex(name: string, definition: string, { isUnique = false } = {}): void {
    this.addSql('set lock_timeout = 0');
    this.addSql(`drop index concurrently if exists "${name}"`);
    this.addSql(`create ${isUnique ? 'unique ' : ''}index concurrently "${name}" ${definition}`);
    this.addSql(`set lock_timeout = ${MIGRATION_SETTINGS.lock_timeout}`);
  }
}
