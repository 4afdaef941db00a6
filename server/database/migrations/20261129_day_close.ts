// Adds bank fees, reversals of entries, and explanations of a settlement's difference.
import { Migration } from '@mikro-orm/migrations';

export class DayClose extends Migration {
  override up(): void {
    this.addSql(`alter table settlements add bank_fees_minor bigint not null default '0'`);
    this.addSql(`alter table settlement_credits
      add kind text not null default 'credit',
      add reverses_id uuid null`);
    this.addSql(`create table settlement_explanations (
      id uuid primary key,
      merchant_id uuid not null,
      difference_minor bigint not null,
      reason text not null,
      note text,
      explained_by_kind text not null,
      explained_by_id text not null,
      created_at timestamptz(3) not null
    )`);
  }
}
