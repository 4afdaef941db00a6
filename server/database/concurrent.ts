// A migration that builds indexes while nodes write: it runs outside of a transaction, and starts over after it broke off.
import { Migration } from '@mikro-orm/migrations';
import { PATIENCE } from './orm.ts';

/** Its statements run one by one. Each can run again. */
export abstract class ConcurrentMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /**
   * Builds an index, however long it takes: no statement waits behind it. A broken run leaves an invalid index, which is dropped first.
   * @param definition the text after the name: `on "payments" ("due_at") where …`
   */
  protected addIndex(name: string, definition: string, { isUnique = false } = {}): void {
    this.addSql('set lock_timeout = 0');
    this.addSql(`drop index concurrently if exists "${name}"`);
    this.addSql(`create ${isUnique ? 'unique ' : ''}index concurrently "${name}" ${definition}`);
    this.addSql(`set lock_timeout = ${PATIENCE.lock_timeout}`);
  }
}
