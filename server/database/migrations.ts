// Which migrations this release has, and which a database has run.
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';

export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/** Names of this release's migrations, in their order. */
export function listMigrations(): string[] {
  return readdirSync(MIGRATIONS)
    .map((file) => basename(file, '.ts'))
    .toSorted();
}

/** Names of those that have run, in their order; none of a database that nobody can ask. */
export async function listRan(pool: Pool): Promise<string[]> {
  const ran = await pool
    .query<{ name: string }>('select name from mikro_orm_migrations order by id')
    .catch(() => ({ rows: [] }));
  return ran.rows.map(({ name }) => name);
}
