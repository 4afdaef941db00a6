// balcao keys: reseals every secret under the newest key, and rotates the signing key of access tokens.
import type { Command } from 'commander';
import type { Core } from '../core.ts';
import { query, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { makeSigningKey } from '../oauth/tokens.ts';
import { keyOf, nameValue, openValue, SEALED_TABLES, type SealedColumn, type SealedTable } from '../sealed.ts';
import type { Keyring } from '../secrets.ts';
import { operate, type CommandContext } from './operate.ts';
import { CommandError, type Output, type Shell } from './shell.ts';

export const commands = { keys: defineKeys };

function defineKeys(keys: Command, shell: Shell): void {
  keys
    .command('rotate-signing')
    .description('sign access tokens with a new key; tokens of the old key stay valid for their hour')
    .action(operate(shell, rotateSigning));
  keys
    .command('reseal')
    .description('seal every secret again under the first key of SECRETS_KEYS, so that an old key can be removed')
    .addHelpText('after', '\nGive every node the new key first. The command is safe to repeat. See docs/operate.md.')
    .action(operate(shell, reseal));
}

async function rotateSigning({ core, actor }: CommandContext): Promise<Output> {
  const kid = await makeSigningKey(core, { retireOthers: true, actor });
  return { json: { kid } };
}

async function reseal({ core, actor }: CommandContext): Promise<Output> {
  const { keyId, sealed, unopened } = await resealAll(core);
  const total = Object.values(sealed).reduce((sum, count) => sum + count, 0);
  const changes = { keyId, sealed, unopened: unopened.length };
  if (total > 0)
    await recordAudit(core, { merchantId: null, actor, action: 'secrets.resealed', changes, at: core.clock.now() });
  if (unopened.length > 0)
    throw new CommandError(
      `${total} secrets are sealed under ${keyId} now, but no key of SECRETS_KEYS opens ${unopened.length}:\n` +
        unopened.map((where) => `  ${where}`).join('\n'),
    );
  return { json: { keyId, sealed, total } };
}

/** Result of a reseal: resealed values by table. `unopened` lists values that no key opens, as `table.column key`. */
export type Resealed = { keyId: string; sealed: Record<string, number>; unopened: string[] };

type ResealCore = Pick<Core, 'orm' | 'pool' | 'listeners' | 'keyring'>;

/** Reseals all secrets in batches while nodes run. After an abort, a second run skips values under the current key. */
export async function resealAll(core: ResealCore, batch = 200): Promise<Resealed> {
  const result: Resealed = { keyId: currentKeyOf(core.keyring), sealed: {}, unopened: [] };
  for (const table of SEALED_TABLES) {
    let after: string | null = null;
    do after = await inTransaction(core, (db) => resealBatch(core.keyring, db, { table, after, batch, result }));
    while (after !== null);
  }
  return result;
}

function currentKeyOf(keyring: Keyring): string {
  return keyOf(keyring.seal('', 'reseal'));
}

type Batch = { table: SealedTable; after: string | null; batch: number; result: Resealed };

/** Reseals one batch of rows. Returns the key of the last row, or null after the last batch. */
async function resealBatch(keyring: Keyring, db: Db, { table, after, batch, result }: Batch): Promise<string | null> {
  const { name, key, columns } = table;
  const names = columns.map(({ column }) => column);
  const rows = await query((tables) => {
    const next = tables
      .selectFrom(name)
      .select([`${key} as rowKey`, ...names])
      .orderBy(key)
      .limit(batch)
      .forNoKeyUpdate();
    return after === null ? next : next.where(key, '>', after);
  }).all(db);
  for (const row of rows) {
    const set: Partial<Record<SealedColumn, string>> = {};
    for (const { column, purpose } of columns) {
      const value = row[column];
      if (!value?.startsWith('v1.') || value.startsWith(`v1.${result.keyId}.`)) continue;
      const plain = openValue(keyring, value, purpose);
      if (plain) set[column] = keyring.seal(plain.text, purpose);
      else result.unopened.push(nameValue(name, column, row.rowKey));
    }
    const changed = Object.keys(set).length;
    if (changed === 0) continue;
    await query((tables) => tables.updateTable(name).set(set).where(key, '=', row.rowKey)).run(db);
    result.sealed[name] = (result.sealed[name] ?? 0) + changed;
  }
  return rows.length < batch ? null : (rows.at(-1)?.rowKey ?? null);
}
