// A migration that builds indexes while everybody writes: outside of a transaction, and begun again where it broke off.
import { Migration } from '@mikro-orm/migrations';
import { PATIENCE } from './orm.ts';

/** Its statements run one by one; each must bear being run again. */
export abstract class ConcurrentMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /**
   * Builds an index, and waits as long as it takes, which keeps nobody waiting. What a broken run left under that name is no index.
   * @param definition all that follows the name: `on "payments" ("due_at") where …`
   */
  protected addIndex(name: string, definition: string, { isUnique = false } = {}): void {
    this.addSql('set lock_timeout = 0');
    this.addSql(`drop index concurrently if exists "${name}"`);
    this.addSql(`create ${isUnique ? 'unique ' : ''}index concurrently "${name}" ${definition}`);
    this.addSql(`set lock_timeout = ${PATIENCE.lock_timeout}`);
  }
}
