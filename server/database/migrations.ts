// The migrations of this release, and the ones that a database has run.
import type { Migration } from '@mikro-orm/migrations';
import type { Pool } from 'pg';
import { Baseline } from './migrations/20261127_baseline.ts';

export type NamedMigration = {
  name: string;
  class: new (...args: ConstructorParameters<typeof Migration>) => Migration;
};

/** The first migration of every release. */
export const BASELINE = '20261127_baseline';

/** The migrations in the order in which they run. */
export const MIGRATIONS: readonly NamedMigration[] = [{ name: BASELINE, class: Baseline }];

/** Names of this release's migrations, in their order. */
export const listMigrations = (): string[] => MIGRATIONS.map(({ name }) => name);

/** Names of the migrations that a database has run. Empty without the table or without an answer. */
export async function listRan(pool: Pick<Pool, 'query'>): Promise<string[]> {
  const ran = await pool
    .query<{ name: string }>('select name from mikro_orm_migrations order by id')
    .catch(() => ({ rows: [] }));
  return ran.rows.map(({ name }) => name);
}
