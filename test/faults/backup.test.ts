// Backups that end too early leave nothing that looks whole; and a data folder of its own, from its database to one made of the backup.
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
import { startEmbedded } from '../../server/database/embedded/start.ts';
import { openMigrated } from '../../server/database/migrate.ts';
import { entities } from '../../server/entities.ts';
import { TEST_ENV, until } from '../support/app.ts';
import { startHere } from '../support/cli.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../support/database.ts';

const CLI = fileURLToPath(new URL('../../server/cli/main.ts', import.meta.url));
const BACKUP_PASSPHRASE = 'uma frase que ninguém adivinha';

let folder: string;
let database: FreshDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'balcao-backup-'));
  database = await freshDatabase();
  env = { DATABASE_URL: database.url, SECRETS_KEYS: TEST_ENV.SECRETS_KEYS, BACKUP_PASSPHRASE };
  // More than a small disk has room for, and nothing that gets smaller.
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

test.skipIf(process.platform === 'win32')('a disk that is full leaves nothing', async () => {
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
  expect([code, said]).toEqual([
    1,
    expect.stringMatching(/^The backup could not be written, and nothing of it is kept: EFBIG/),
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a kill in the midst leaves no folder of that name, and what it leaves is refused', async () => {
  const holder = new pg.Client(database.url);
  await holder.connect();
  await holder.query('begin; lock table payments in access exclusive mode');
  const child = spawn(process.execPath, [CLI, 'backup', join(folder, 'b')], { env: { ...process.env, ...env } });
  const exited = once(child, 'exit');
  // The tables before it are written.
  const partial = await until(() => readdirSync(folder).find((name) => name.startsWith('b.partial-')), 'its folder');
  await until(() => readdirSync(join(folder, partial)).includes('public.notifications.gz.sealed'), 'its files');
  child.kill('SIGKILL');
  await exited;
  await holder.end();
  expect(readdirSync(folder)).toEqual([partial]);
  const ended = await startHere(['restore', join(folder, partial)], { env }).ended;
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('is no backup') });
});

test('a data folder is restored into a new one with its key, beside the process that runs the first', async () => {
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
