// The database's functions, one file each in `functions/`. After all migrations the runner creates the functions whose
// text has changed. A file stays as long as a trigger of the baseline names its function.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { NOTE_DIFFERENCE } from './functions/counted-lists.ts';

const FOLDER = fileURLToPath(new URL('./functions', import.meta.url));

type DatabaseFunction = { name: string; text: string; digest: string };

/** The functions of this release. */
export function listFunctions(): DatabaseFunction[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
  const texts = files.map((file) => [basename(file, '.sql'), readFileSync(join(FOLDER, file), 'utf8')] as const);
  return [...texts, ['note_difference', NOTE_DIFFERENCE] as const].map(([name, text]) => ({
    name,
    text,
    digest: createHash('sha256').update(text).digest('base64url'),
  }));
}

/** Functions whose text in the database differs. Their comment there holds the digest of the text. */
async function listChanged(pool: Pool): Promise<DatabaseFunction[]> {
  const { rows } = await pool.query<{ name: string; digest: string | null }>(
    `select proname::text as name, obj_description(oid, 'pg_proc') as digest from pg_proc
     where pronamespace = current_schema::regnamespace`,
  );
  const known = new Map(rows.map(({ name, digest }) => [name, digest]));
  return listFunctions().filter(({ name, digest }) => known.get(name) !== digest);
}

/** True if every function has this release's text; false as well if the database does not answer. */
export async function areFunctionsCurrent(pool: Pool): Promise<boolean> {
  return (await listChanged(pool).catch(() => null))?.length === 0;
}

/** Creates the functions whose text has changed. The caller holds the lock of migrations. */
export async function createFunctions(pool: Pool): Promise<void> {
  for (const { name, text, digest } of await listChanged(pool))
    // Both commands are one message, and so one transaction.
    await pool.query(`${text}\ncomment on function ${name}() is '${digest}'`);
}
