import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startEmbedded } from '../../../server/database/embedded/start.ts';
import { openMigrated } from '../../../server/database/migrate.ts';
import { entities } from '../../../server/entities.ts';
import { TEST_ENV, until } from '../../support/app.ts';
import { startHere } from '../../support/cli.ts';
import { emptyDatabase, freshDatabase, querySql, type FreshDatabase } from '../../support/database.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';

const CLI = fileURLToPath(new URL('../../../server/cli/main.ts', import.meta.url));
const BACKUP_PASSPHRASE = 'uma frase que ninguém adivinha';

let folder: string;
let database: FreshDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'balcao-backup-'));
  database = await freshDatabase();
  env = { DATABASE_URL: database.url, SECRETS_KEYS: TEST_ENV.SECRETS_KEYS, BACKUP_PASSPHRASE };
  // The backup must exceed the file limit of the test below, so these bytes do not compress.
  const name = randomBytes(300_000).toString('base64');
  await querySql(
    database.url,
    `insert into merchants (id, name, allowed_origins, return_origins, gpo_merchant_ids, gpo_pos_ids, created_at)
     values (gen_random_uuid(), $1, '{}', '{}', '{}', '{}', now())`,
    [name],
  );
});
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

test.skipIf(process.platform === 'win32')('a backup on a full disk leaves no file', async () => {
  // No file may be larger than 100 kB: the write fails as it does on a full disk.
  const child = spawn(
    'sh',
    ['-c', 'ulimit -f 200; exec "$0" "$@"', process.execPath, CLI, 'backup', join(folder, 'b')],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([code, said]).toEqual([1, expect.stringContaining('EFBIG')]);
  expect(readdirSync(folder)).toEqual([]);
});

const run = (...args: string[]) => spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } });

test('a killed backup leaves only a draft file, which a restore refuses', async () => {
  const holder = new pg.Client(database.url);
  await holder.connect();
  await holder.query('begin; lock table users in access exclusive mode');
  const child = run('backup', join(folder, 'b'));
  const exited = once(child, 'exit');
  await until(() => countWaiting(database.url, 'copy%users%'), 'the backup waiting for a table');
  const [partial] = readdirSync(folder);
  child.kill('SIGKILL');
  await exited;
  await holder.end();
  expect(readdirSync(folder)).toEqual([partial]);
  expect(partial).toMatch(/^b\.partial-/);
  const ended = await startHere(['restore', join(folder, partial as string)], { env }).ended;
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not a backup|incomplete/) });
});

/** Makes the first deletion from the new table of list differences wait for an advisory lock. */
const HOLD_COUNT = `
  create function hold() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(1);
    return null;
  end $$;
  create function hold_deletion() returns event_trigger language plpgsql as $$ begin
    if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'public.list_deltas') then
      create trigger hold before delete on list_deltas for each statement execute function hold();
    end if;
  end $$;
  create event trigger hold_deletion on ddl_command_end when tag in ('CREATE TABLE') execute function hold_deletion()`;

test('a killed restore leaves empty tables, and an empty database accepts the next restore', async () => {
  const file = join(folder, 'b');
  expect(await startHere(['backup', file], { env }).ended).toMatchObject({ code: 0 });
  const [half, whole] = await Promise.all([emptyDatabase(), emptyDatabase()]);
  try {
    // The restore counts the lists after it has loaded the rows.
    await querySql(half.url, HOLD_COUNT);
    const release = await holdLock(half.url, 'select pg_advisory_xact_lock(1)');
    const child = spawn(process.execPath, [CLI, 'restore', file], {
      env: { ...process.env, ...env, DATABASE_URL: half.url },
    });
    const exited = once(child, 'exit');
    await until(() => countWaiting(half.url, '%lock table list_folds%'), 'the count of lists being held');
    child.kill('SIGKILL');
    await exited;
    await release();
    expect(await querySql(half.url, 'select id from merchants')).toEqual([]);
    const again = await startHere(['restore', file], { env: { ...env, DATABASE_URL: half.url } }).ended;
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('not empty') });
    const ended = await startHere(['restore', file, '--check'], { env: { ...env, DATABASE_URL: whole.url } }).ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(await querySql(whole.url, 'select id from merchants')).toHaveLength(1);
  } finally {
    await Promise.all([half.drop(), whole.drop()]);
  }
});

test('a backup is restored with its key into a new data folder while the first node runs', async () => {
  const first = join(folder, 'first');
  const own = { DATA_DIR: first, BACKUP_PASSPHRASE, BALCAO_ENV: 'sandbox' };
  const embedded = await startEmbedded({ dataDir: first, durable: false });
  try {
    const { orm } = await openMigrated(embedded.url, { entities, poolMax: 2 });
    await orm.close(true);
    const taken = await startHere(['backup', join(folder, 'b')], { env: own }).ended;
    expect(taken).toMatchObject({ code: 0, stderr: '' });
  } finally {
    await embedded.stop();
  }
  const second = join(folder, 'second');
  const ended = await startHere(['restore', join(folder, 'b'), '--check'], { env: { ...own, DATA_DIR: second } }).ended;
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(folder).toSorted()).toEqual(['b', 'first', 'second']);
  expect(readdirSync(second)).toEqual(expect.arrayContaining(['postgres', 'secrets.key']));
});
