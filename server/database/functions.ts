// The database's functions, one file each in `functions/`.
// After all migrations, the runner creates the functions whose text has changed.
// A file must stay as long as a trigger of the baseline names its function.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { NOTE_DIFFERENCE } from './functions/counted-lists.ts';
import { WRITE_NEW_PAYMENT_SEARCH, WRITE_PAYMENT_SEARCH } from './functions/payment-words.ts';

const FOLDER = fileURLToPath(new URL('./functions', import.meta.url));

type DatabaseFunction = { name: string; text: string; digest: string };

/** Lists the database functions of this release. */
export function listFunctions(): DatabaseFunction[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
  const texts = files.map((file) => [basename(file, '.sql'), readFileSync(join(FOLDER, file), 'utf8')] as const);
  const built = [
    ['note_difference', NOTE_DIFFERENCE] as const,
    ['write_new_payment_search', WRITE_NEW_PAYMENT_SEARCH] as const,
    ['write_payment_search', WRITE_PAYMENT_SEARCH] as const,
  ];
  return [...texts, ...built].map(([name, text]) => ({
    name,
    text,
    digest: createHash('sha256').update(text).digest('base64url'),
  }));
}

/** Lists functions whose text in the database differs. The function's comment there has the digest of its text. */
async function listChanged(pool: Pool): Promise<DatabaseFunction[]> {
  const { rows } = await pool.query<{ name: string; digest: string | null }>(
    `select proname::text as name, obj_description(oid, 'pg_proc') as digest from pg_proc
     where pronamespace = current_schema::regnamespace`,
  );
  const known = new Map(rows.map(({ name, digest }) => [name, digest]));
  return listFunctions().filter(({ name, digest }) => known.get(name) !== digest);
}

/** True if every database function has this release's text. False if the database does not respond. */
export async function areFunctionsCurrent(pool: Pool): Promise<boolean> {
  return (await listChanged(pool).catch(() => null))?.length === 0;
}

/** Creates the database functions whose text has changed. The caller holds the migration lock. */
export async function createFunctions(pool: Pool): Promise<void> {
  for (const { name, text, digest } of await listChanged(pool))
    // Both commands are one message, so PostgreSQL runs them in one transaction.
    await pool.query(`${text}\ncomment on function ${name}() is '${digest}'`);
}
