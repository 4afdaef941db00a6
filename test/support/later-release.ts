// The example of docs/architecture.md, “A migration”: two later releases rename `merchants.privacy_notice`.
import { Migration } from '@mikro-orm/migrations';
import { ConcurrentMigration } from '../../server/database/concurrent.ts';
import { MIGRATIONS, type NamedMigration } from '../../server/database/migrations.ts';

class Expand extends Migration {
  override up(): void {
    this.addSql('alter table "merchants" add "payers_notice" text null');
  }
}

export class ExpandIndex extends ConcurrentMigration {
  override up(): void {
    this.addIndex('merchants_payers_notice', 'on "merchants" ("payers_notice")', { isUnique: true });
  }
}

// contract: no code reads the older column since 0.4.0.
class Contract extends Migration {
  override up(): void {
    this.addSql('alter table "merchants" drop column "privacy_notice"');
    this.addSql(`update "schema_floor" set "migration" = '29990102_contract'`);
  }
}

/** The code writes both columns, and a job copies older rows. */
export const EXPANDED: readonly NamedMigration[] = [
  ...MIGRATIONS,
  { name: '29990101_expand', class: Expand },
  { name: '29990101_expand_index', class: ExpandIndex },
];

export const CONTRACTED: readonly NamedMigration[] = [...EXPANDED, { name: '29990102_contract', class: Contract }];
