// The encrypted columns of the database, and the check that the configured keys open them.
import { sql } from 'kysely';
import { CannotStart } from './config.ts';
import type { Core } from './core.ts';
import { query, type Db } from './database/db.ts';
import { SEALED_FOR as MAIL } from './mail/write.ts';
import { SEALED_FOR as SIGNING_KEY } from './oauth/tokens.ts';
import { SEALED_FOR as TOTP_SECRET } from './people/totp.ts';
import { SEALED_FOR as RAIL_SECRETS } from './rails/secrets.ts';
import { SEALED_FOR as DIGEST_KEY } from './sms/opt-outs/refusals.ts';
import type { Keyring } from './secrets.ts';
import { SEALED_FOR as SUBJECT } from './privacy/subject.ts';
import { SEALED_ACCESS_KEY, SEALED_SECRETS } from './webhooks/message.ts';

export type SealedColumn =
  | 'sealedPrivateJwk'
  | 'accessKey'
  | 'secrets'
  | 'totpSecret'
  | 'sealedText'
  | 'sealedHtml'
  | 'sealedKey'
  | 'sealedSubject';

export type SealedTable = {
  name: 'signing_keys' | 'endpoints' | 'users' | 'mails' | 'rail_accounts' | 'digest_keys' | 'erasures';
  key: 'kid' | 'id';
  /** `columns`: the table's encrypted columns, each with the purpose to which its values are bound. */
  columns: { column: SealedColumn; purpose: string }[];
};

/** All tables with encrypted columns. */
export const SEALED_TABLES: readonly SealedTable[] = [
  { name: 'signing_keys', key: 'kid', columns: [{ column: 'sealedPrivateJwk', purpose: SIGNING_KEY }] },
  {
    name: 'endpoints',
    key: 'id',
    columns: [
      { column: 'accessKey', purpose: SEALED_ACCESS_KEY },
      { column: 'secrets', purpose: SEALED_SECRETS },
    ],
  },
  { name: 'rail_accounts', key: 'id', columns: [{ column: 'secrets', purpose: RAIL_SECRETS }] },
  { name: 'users', key: 'id', columns: [{ column: 'totpSecret', purpose: TOTP_SECRET }] },
  {
    name: 'mails',
    key: 'id',
    columns: [
      { column: 'sealedText', purpose: MAIL },
      { column: 'sealedHtml', purpose: MAIL },
    ],
  },
  { name: 'digest_keys', key: 'id', columns: [{ column: 'sealedKey', purpose: DIGEST_KEY }] },
  { name: 'erasures', key: 'id', columns: [{ column: 'sealedSubject', purpose: SUBJECT }] },
];

type SealedCore = Pick<Core, 'orm' | 'pool' | 'listeners' | 'keyring'>;

/** Lists encrypted values that no key opens, as `table.column key`. Changes nothing. */
export async function listUnopened(core: SealedCore): Promise<string[]> {
  const unopened: string[] = [];
  for (const { name, key, columns } of SEALED_TABLES) {
    const names = columns.map(({ column }) => column);
    const rows = await query((tables) => tables.selectFrom(name).select([`${key} as rowKey`, ...names])).all(core);
    for (const row of rows)
      for (const { column, purpose } of columns)
        if (row[column]?.startsWith('v1.') && !openValue(core.keyring, row[column], purpose))
          unopened.push(nameValue(name, column, row.rowKey));
  }
  return unopened;
}

/** Decrypts a value. Null if no key opens the value. */
export function openValue(keyring: Keyring, value: string, purpose: string): { text: string } | null {
  try {
    return { text: keyring.open(value, purpose) };
  } catch {
    return null;
  }
}

/** Names an encrypted value by its table, column and row. */
export function nameValue(table: string, column: string, rowKey: string): string {
  return `${table}.${column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} ${rowKey}`;
}

/**
 * Refuses to start a node whose keys do not open the database, because most of its requests would fail.
 * @throws CannotStart with the key's name
 */
export async function requireMatchingKeys(core: SealedCore & Pick<Core, 'config'>): Promise<void> {
  const samples = await listSamples(core);
  const closed = samples.filter(({ value, purpose }) => !openValue(core.keyring, value, purpose));
  // A single value that does not open is corrupt. Its owner can enter the secret again, so the node starts.
  const wrong = closed.find(({ value, purpose }) => {
    const ofItsKey = samples.filter((other) => keyOf(other.value) === keyOf(value));
    const isKeyWrong = ofItsKey.every((other) => closed.includes(other));
    return purpose === SIGNING_KEY || (isKeyWrong && core.keyring.find(keyOf(value)) !== 'lost');
  });
  if (wrong) throw new CannotStart(explain(core, wrong));
}

/** Returns the id of the key that an encrypted value needs: `v1.<key>.…`. */
export const keyOf = (sealed: string): string => sealed.split('.')[1] ?? '';

type Sample = { value: string; purpose: string; where: string };

/** Reads one encrypted value per column and key, and the active signing key, in one query. */
async function listSamples(db: Db): Promise<Sample[]> {
  const columns = SEALED_TABLES.flatMap(({ name, key, columns }) => columns.map((of) => ({ name, key, ...of })));
  const rows = await query((tables) => {
    const samples = columns.map(({ name, key, column }, nth) =>
      tables
        .selectFrom(name)
        .distinctOn(sql`split_part(${sql.ref(column)}, '.', 2)`)
        .select([
          sql.lit(nth).as('nth'),
          sql<string>`${sql.ref(key)}::text`.as('rowKey'),
          sql<string>`${sql.ref(column)}`.as('value'),
        ])
        .where(column, 'like', 'v1.%')
        .where(name === 'signing_keys' ? sql<boolean>`retired_at is null` : sql.lit(true)),
    );
    return samples.reduce((all, sample) => all.unionAll(sample));
  }).all(db);
  return rows.map(({ nth, rowKey, value }) => {
    const { name, column, purpose } = columns[nth] as (typeof columns)[number];
    return { value, purpose, where: nameValue(name, column, `of the row ${rowKey}`) };
  });
}

function explain({ config, keyring }: Pick<Core, 'config' | 'keyring'>, { value, purpose, where }: Sample): string {
  const id = keyOf(value);
  const isHere = keyring.find(id) === 'here';
  if (!config.SECRETS_KEYS)
    return (
      `DATA_DIR: ${isHere ? `the key ${id} in secrets.key is not the one` : `secrets.key has no key ${id}, the one`} ` +
      `that sealed this database (${where}). Put back the secrets.key of this database, or start in an empty folder.`
    );
  const wrong = isHere
    ? `its key ${id} is not the one that sealed this database (${where})`
    : `key ${id}, which sealed this database, is missing (${where})`;
  const lost =
    purpose === SIGNING_KEY
      ? 'balcao keys rotate-signing creates another signing key'
      : `${id}:lost instead of it continues without the values that it sealed`;
  return `SECRETS_KEYS: ${wrong}. Put the right key back; if it is lost, ${lost} (docs/security.md, Lost keys).`;
}
