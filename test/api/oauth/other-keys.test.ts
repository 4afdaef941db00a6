// A node does not start if it cannot decrypt the secrets in its database.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { createKeyring, keyFileOf } from '../../../server/secrets.ts';
import { readConfig } from '../../../server/config.ts';
import { requireMatchingKeys, SEALED_TABLES } from '../../../server/sealed.ts';
import { PRODUCTION_ENV, startTestApp, TEST_ENV, type TestApp } from '../../support/app.ts';
import { operate } from '../../support/cli.ts';

const OLD = TEST_ENV.SECRETS_KEYS;
const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const NEW = key('new');

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.token();
});

/** Runs the check that a production node makes at its start. Returns the error as one line. */
async function start(keys: string | undefined): Promise<string> {
  const production = { ...PRODUCTION_ENV, DATABASE_URL: app.databaseUrl, SECRETS_KEYS: keys };
  const config = readConfig(keys === undefined ? {} : production);
  const keyring = createKeyring(keys ?? NEW.replace('new', 'test'));
  return requireMatchingKeys({ ...app.node.core, config, keyring }).then(
    () => 'started',
    ({ name, message }: Error) => `${name}: ${message}`,
  );
}

/** Replaces a column's value during `work` by a value that is encrypted with another key. */
async function withForeign(table: (typeof SEALED_TABLES)[number], nth: number, work: () => Promise<void>) {
  const { column, purpose } = table.columns[nth]!;
  const name = column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const value = createKeyring(key('foreign')).seal('x', purpose);
  const rows = await app.sql(`select ${table.key} as key, ${name} as value from ${table.name}`);
  await app.sql(`update ${table.name} set ${name} = $1`, [value]);
  await work().finally(async () => {
    for (const row of rows)
      await app.sql(`update ${table.name} set ${name} = $1 where ${table.key} = $2`, [row.value, row.key]);
  });
}

test('a node with the wrong SECRETS_KEYS does not start, neither in production nor in the sandbox', async () => {
  const said =
    /^SECRETS_KEYS: key test, which sealed this database, is missing \(signing_keys\.\S+ of the row \S+\)\. /;
  await expect(app.startTwin({ env: { SECRETS_KEYS: NEW } })).rejects.toThrow(said);
  expect(await start(NEW)).toMatch(/^CannotStart: SECRETS_KEYS: key test,.* is missing .* balcao keys rotate-signing /);
  expect(await start(NEW.replace('new', 'test'))).toMatch(/: its key test is not the one that sealed this database \(/);
  expect(await start(`${OLD},${NEW}`)).toBe('started');
  expect(await start(`${NEW},${OLD}`)).toBe('started');
});

test('a sandbox node without its key names the file that contains the key', async () => {
  expect(keyFileOf('.data')).toMatch(/secrets\.key$/);
  expect(await start(undefined)).toMatch(
    /^CannotStart: DATA_DIR: the key test in secrets\.key is not the one that .* Put back the secrets\.key/,
  );
});

test('a starting node checks each kind of secret, and skips a key that is declared lost', async () => {
  await app.call('/api/webhooks', { body: { url: 'https://shop.example/hook' } });
  await app.sql(`insert into users (id, email, totp_secret, created_at, updated_at)
    values (gen_random_uuid(), 'ana@loja.example', null, now(), now())`);
  await app.sql(`insert into mails (id, "to", subject, sealed_text, sealed_html, created_at)
    values (gen_random_uuid(), 'ana@loja.example', 'x', '', '', now())`);
  await app.sql(`insert into rail_accounts
    (id, kind, connector, label, environment, priority, settings, secrets, secrets_set_at, created_at, updated_at)
    values (gen_random_uuid(), 'sms', 'kambasms', 'x', 'test', 1, '{}', '', now(), now(), now())`);
  await app.sql(`insert into erasures (id, subject_hash, sealed_subject, status, progress, erased, requested_by_kind, requested_by_id, created_at)
    values (gen_random_uuid(), 'x', '', 'Pending', '{}', '{}', 'client', 'demo', now())`);
  for (const table of SEALED_TABLES.slice(1))
    for (const nth of table.columns.keys()) {
      await withForeign(table, nth, async () => {
        expect(await start(OLD)).toMatch(
          new RegExp(`key foreign,.* is missing \\(${table.name}\\..* foreign:lost instead`),
        );
        expect(await start(`${OLD},foreign:lost`)).toBe('started');
      });
    }
  expect(await start(OLD)).toBe('started');
});

test('a starting node ignores a single damaged value', async () => {
  const purpose = SEALED_TABLES[1]!.columns[0]!.purpose;
  const broken = createKeyring(NEW.replace('new', 'test')).seal('x', purpose);
  await app.sql(`update endpoints set access_key = $1`, [broken]);
  expect(await start(OLD)).toBe('started');
});

test('a node whose key is declared lost starts after a rotation of the signing key', async () => {
  const keys = `${NEW},test:lost`;
  expect(await start(keys)).toMatch(/key test,.* is missing .*balcao keys rotate-signing/);
  expect((await operate(app, ['keys', 'rotate-signing'], { SECRETS_KEYS: keys })).code).toBe(0);
  expect(await start(keys)).toBe('started');
});
