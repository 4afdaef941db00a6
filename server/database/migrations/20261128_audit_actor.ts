// The index of the change history by actor.
import { ConcurrentMigration } from '../concurrent.ts';

export class AuditActor extends ConcurrentMigration {
  override up(): void {
    this.addIndex('audit_actor', 'on audit_entries (merchant_id, actor_id, seq)');
  }
}
