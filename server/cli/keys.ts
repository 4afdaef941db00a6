// balcao keys: sealing everything with the newest key, and signing tokens with a new one.
import { SEALED_ACCESS_KEY, SEALED_SECRETS } from '../webhooks/message.ts';
import type { Core } from '../core.ts';
import { query, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../events/audit.ts';
import { SEALED_FOR as MAIL } from '../mail/write.ts';
import { makeSigningKey, SEALED_FOR as SIGNING_KEY } from '../oauth/tokens.ts';
import { SEALED_FOR as RAIL_SECRETS } from '../rails/secrets.ts';
import { SEALED_FOR as TOTP_SECRET } from '../people/totp.ts';
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

type SealedColumn = 'sealedPrivateJwk' | 'accessKey' | 'secrets' | 'totpSecret' | 'sealedText' | 'sealedHtml';

type SealedTable = {
  name: 'signing_keys' | 'endpoints' | 'users' | 'mails' | 'rail_accounts';
  key: 'kid' | 'id';
  /** Each column, and what its values are sealed for. */
  columns: { column: SealedColumn; purpose: string }[];
};

/** Every column with secrets. */
const TABLES: readonly SealedTable[] = [
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
  const { name, key, columns } = table;
  const rows = await findOld(table, { after, batch, keyId: result.keyId }).all(db);
  for (const row of rows) {
    const set: Partial<Record<SealedColumn, string>> = {};
    for (const { column, purpose } of columns) {
      const value = row[column];
      if (!value?.startsWith('v1.') || value.startsWith(`v1.${result.keyId}.`)) continue;
      const plain = openValue(keyring, value, purpose);
      if (plain) set[column] = keyring.seal(plain.text, purpose);
      else result.unopened.push(`${name}.${snakeCase(column)} ${row.rowKey}`);
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

/** Values that no key opens, as `table.column key`; nothing is changed. */
export async function listUnopened(core: ResealCore): Promise<string[]> {
  const unopened: string[] = [];
  for (const table of TABLES) {
    const { name, key, columns } = table;
    const names = columns.map(({ column }) => column);
    const rows = await query((tables) => tables.selectFrom(name).select([`${key} as rowKey`, ...names])).all(core);
    for (const row of rows)
      for (const { column, purpose } of columns)
        if (row[column]?.startsWith('v1.') && !openValue(core.keyring, row[column], purpose))
          unopened.push(`${name}.${snakeCase(column)} ${row.rowKey}`);
  }
  return unopened;
}

/** Null: no key opens it. */
function openValue(keyring: Keyring, value: string, purpose: string): { text: string } | null {
  try {
    return { text: keyring.open(value, purpose) };
  } catch {
    return null;
  }
}

/** As the database calls it, for whoever looks there. */
function snakeCase(column: string): string {
  return column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
