// Sealing every kept secret again under the current key: table by table, in batches that each stay done.
import { SEALED_FOR as SIGNING_KEY } from '../accounts/keys.ts';
import { SEALED_FOR as TOTP_SECRET } from '../accounts/totp.ts';
import { SEALED_ACCESS_KEY, SEALED_SECRETS } from '../callbacks/message.ts';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import type { Db } from '../database/rows.ts';
import { SEALED_FOR as MAIL } from '../mail/write.ts';
import type { Keyring } from '../secrets.ts';

type SealedTable = {
  name: string;
  key: string;
  keyType: 'uuid' | 'text';
  /** Each column, and what its values are sealed for. */
  columns: Record<string, string>;
};

/** Every column with secrets. */
const TABLES: readonly SealedTable[] = [
  { name: 'signing_keys', key: 'kid', keyType: 'text', columns: { sealed_private_jwk: SIGNING_KEY } },
  {
    name: 'endpoints',
    key: 'id',
    keyType: 'uuid',
    columns: { access_key: SEALED_ACCESS_KEY, secrets: SEALED_SECRETS },
  },
  { name: 'users', key: 'id', keyType: 'uuid', columns: { totp_secret: TOTP_SECRET } },
  { name: 'mails', key: 'id', keyType: 'uuid', columns: { sealed_text: MAIL, sealed_html: MAIL } },
];

/** `unopened`: values that no key opens, as `table.column key`. */
export type Resealed = { keyId: string; sealed: Record<string, number>; unopened: string[] };

type ResealCore = Pick<Core, 'orm' | 'pool' | 'listeners' | 'keyring'>;

/** Beside running nodes, any number of times: what is under the current key is left alone. Answers what was sealed, by table. */
export async function resealAll(core: ResealCore, batch = 200): Promise<Resealed> {
  const result: Resealed = { keyId: currentKeyOf(core.keyring), sealed: {}, unopened: [] };
  for (const table of TABLES) {
    let after: string | null = null;
    do after = await inTransaction(core, (db) => resealBatch(core.keyring, db, { table, after, batch, result }));
    while (after !== null);
  }
  return result;
}

/** `v1.<key>.…`: sealed values say which key they need. */
function currentKeyOf(keyring: Keyring): string {
  return keyring.seal('', 'reseal').split('.')[1] ?? '';
}

type Batch = { table: SealedTable; after: string | null; batch: number; result: Resealed };

/** Answers the last row's key; null: there are no more. */
async function resealBatch(keyring: Keyring, db: Db, { table, after, batch, result }: Batch): Promise<string | null> {
  const { name, key, keyType, columns } = table;
  const names = Object.keys(columns);
  const isOld = names.map((column) => `(${column} like 'v1.%' and not starts_with(${column}, $1))`).join(' or ');
  const { rows } = await db.pool.query<Record<string, string | null>>(
    `select ${key}::text as row_key, ${names.join(', ')} from ${name}
     where (${isOld}) and ($2::${keyType} is null or ${key} > $2) order by ${key} limit $3 for no key update`,
    [`v1.${result.keyId}.`, after, batch],
  );
  for (const row of rows) {
    const values = Object.entries(columns).map(([column, purpose]) => {
      const value = resealValue(keyring, row[column] ?? null, { purpose, keyId: result.keyId });
      if (value === null) result.unopened.push(`${name}.${column} ${row['row_key']}`);
      return value === null ? row[column] : value.text;
    });
    const set = names.map((column, nth) => `${column} = $${nth + 2}`).join(', ');
    await db.pool.query(`update ${name} set ${set} where ${key} = $1::${keyType}`, [row['row_key'], ...values]);
    const changed = names.filter((column, nth) => values[nth] !== row[column]).length;
    if (changed > 0) result.sealed[name] = (result.sealed[name] ?? 0) + changed;
  }
  return rows.length < batch ? null : (rows.at(-1)?.['row_key'] ?? null);
}

/** Null: no key opens it. What is nothing, or sealed rightly, stays as it is. */
function resealValue(
  keyring: Keyring,
  value: string | null,
  { purpose, keyId }: { purpose: string; keyId: string },
): { text: string | null } | null {
  if (!value?.startsWith('v1.') || value.startsWith(`v1.${keyId}.`)) return { text: value };
  const plain = openValue(keyring, value, purpose);
  return plain && { text: keyring.seal(plain.text, purpose) };
}

function openValue(keyring: Keyring, value: string, purpose: string): { text: string } | null {
  try {
    return { text: keyring.open(value, purpose) };
  } catch {
    return null;
  }
}
