// balcao keys: sealing everything with the newest key, and signing tokens with a new one.
import type { Core } from '../core.ts';
import { query, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { makeSigningKey } from '../oauth/tokens.ts';
import { keyOf, nameValue, openValue, SEALED_TABLES, type SealedColumn, type SealedTable } from '../sealed.ts';
import type { Keyring } from '../secrets.ts';
import { commandOf, type Action, type Desk } from './subcommand.ts';
import { CommandError, type Output } from './command.ts';

export const keys = {
  'rotate-signing': {
    about: 'sign access tokens with a new key; tokens of the old one live out their hour',
    takes: [],
    async run({ core, actor }) {
      const kid = await makeSigningKey(core, { retireOthers: true, actor });
      return { text: `New signing key ${kid}; running nodes use it within 30 seconds.`, json: { kid } };
    },
  },
  reseal: {
    about: 'seal every kept secret again under the first key of SECRETS_KEYS, so that an old one can be taken out',
    takes: [],
    notes: `First every node must have the new key, and have it before the old one.
Run it again after a break: what is done stays done. docs/operate.md says what else an old key is good for.`,
    run: reseal,
  },
} satisfies Record<string, Action>;

async function reseal({ core, actor }: Desk): Promise<Output> {
  const { keyId, sealed, unopened } = await resealAll(core);
  const total = Object.values(sealed).reduce((sum, count) => sum + count, 0);
  const changes = { keyId, sealed, unopened: unopened.length };
  if (total > 0)
    await recordAudit(core, { merchantId: null, actor, action: 'secrets.resealed', changes, at: core.clock.now() });
  if (unopened.length > 0)
    throw new CommandError(
      `${total} secrets are sealed under ${keyId} now, but no key of SECRETS_KEYS opens ${unopened.length}:\n${unopened.map((where) => `  ${where}`).join('\n')}`,
    );
  const where = Object.entries(sealed).map(([table, count]) => `${table} ${count}`);
  const text = total === 0 ? `Everything is sealed under ${keyId}.` : `Sealed under ${keyId}: ${where.join(', ')}.`;
  return { text, json: { keyId, sealed, total } };
}

export const rotateSigningKey = commandOf(keys['rotate-signing']);

/** `unopened`: values that no key opens, as `table.column key`. */
export type Resealed = { keyId: string; sealed: Record<string, number>; unopened: string[] };

type ResealCore = Pick<Core, 'orm' | 'pool' | 'listeners' | 'keyring'>;

/** Beside running nodes, any number of times: what is under the current key is left alone. Answers what was sealed, by table. */
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

/** Answers the last row's key; null: there are no more. */
async function resealBatch(keyring: Keyring, db: Db, { table, after, batch, result }: Batch): Promise<string | null> {
  const { name, key, columns } = table;
  const rows = await findOld(table, { after, batch, keyId: result.keyId }).all(db);
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

type Page = { after: string | null; batch: number; keyId: string };

/** Rows with values under another key, held until they are changed. */
function findOld({ name, key, columns }: SealedTable, { after, batch, keyId }: Page) {
  const names = columns.map(({ column }) => column);
  return query((tables) => {
    const old = tables
      .selectFrom(name)
      .select([`${key} as rowKey`, ...names])
      .where((eb) =>
        eb.or(
          names.map((column) =>
            eb.and([
              eb(column, 'like', 'v1.%'),
              eb.not(eb.fn<boolean>('starts_with', [column, eb.val(`v1.${keyId}.`)])),
            ]),
          ),
        ),
      )
      .orderBy(key)
      .limit(batch)
      .forNoKeyUpdate();
    return after === null ? old : old.where(key, '>', after);
  });
}
