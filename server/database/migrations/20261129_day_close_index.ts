// The index that lets an entry of a settlement be reversed once.
import { ConcurrentMigration } from '../concurrent.ts';

export class DayCloseIndex extends ConcurrentMigration {
  override up(): void {
    const definition = 'on "settlement_credits" ("reverses_id") where reverses_id is not null';
    this.addIndex('settlement_credits_reverses', definition, { isUnique: true });
  }
}
