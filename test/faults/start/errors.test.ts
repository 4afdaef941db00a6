import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startEmbedded } from '../../../server/database/embedded/start.ts';
import { PLUGIN_FILE } from '../../../shared/woocommerce.ts';
import { TEST_ENV } from '../../support/app.ts';
import { startHere } from '../../support/cli.ts';
import { emptyDatabase, querySql } from '../../support/database.ts';
import { ROOT } from '../../support/source.ts';
import { stopLater } from '../../support/stop-later.ts';

const folder = mkdtempSync(join(tmpdir(), 'balcao-start-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'file');
writeFileSync(file, '');

type Ended = { code: number | null; said: string };

function startNode(env: Record<string, string>): Promise<Ended> {
  const own = { PATH: process.env['PATH']!, PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: join(folder, 'none') };
  return new Promise((resolve) => {
    const started = execFile(
      process.execPath,
      [join(ROOT, 'dist/server/main.js')],
      { cwd: folder, env: { ...own, ...env }, timeout: 200_000 },
      (_error, stdout, stderr) => resolve({ code: started.exitCode, said: `${stdout}${stderr}`.trim() }),
    );
  });
}

const { SECRETS_KEYS } = TEST_ENV;

describe('a node', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    [
      'DATA_DIR that is a file',
      { DATA_DIR: file },
      /^DATA_DIR: \S+ cannot be used: its path contains a file; choose another folder$/,
    ],
    [
      'DATA_DIR below a file',
      { DATA_DIR: join(file, 'data') },
      /^DATA_DIR: \S+ cannot be used: its path contains a file/,
    ],
    ['a misspelt setting', { GPO_ULR: 'https://rail.example' }, /GPO_ULR: unknown setting; rename it to GPO_URL/],
  ])('with %s prints one sentence and exits', async (_name, env, sentence) => {
    const { code, said } = await startNode(env);
    expect(said).toMatch(sentence);
    expect(said).not.toMatch(/\n +at |Error:/);
    expect(code).toBe(1);
  });
});

test('a command with a misspelt setting prints the same sentence as a node', async () => {
  const { code, stderr } = await startHere(['merchant', 'list'], { env: { DATABSE_URL: 'x' } }).ended;
  expect(stderr).toMatch(/DATABSE_URL: unknown setting; rename it to DATABASE_URL/);
  expect(code).toBeGreaterThan(0);
});

describe('a listening address that cannot be opened', () => {
  test('is reported as an error of PORT if another program uses the port', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    stopLater({ stop: async () => void taken.close() });
    const PORT = String((taken.address() as AddressInfo).port);
    const { code, said } = await startNode({ PORT });
    expect([code, said]).toEqual([1, `PORT: ${PORT} is taken by another program; stop it, or choose another PORT`]);
  });

  test.each([
    ['203.0.113.9', 'HOST: this machine has no address 203.0.113.9; choose one of its addresses, or 0.0.0.0 for all'],
    ['nowhere.invalid', 'HOST: nowhere.invalid is not a name of this machine; choose one of its addresses'],
  ])('is reported as an error of HOST if it belongs to another machine: %s', async (HOST, said) => {
    expect(await startNode({ HOST, SANDBOX_PASSWORD: 'twelve characters' })).toEqual({ code: 1, said });
  });
});

test('a node refuses a database that a release before 0.2.0 created', async () => {
  const old = await emptyDatabase();
  await querySql(old.url, `create table mikro_orm_migrations (id serial primary key, name text)`);
  await querySql(old.url, `insert into mikro_orm_migrations (name) values ('20261121_first_tables')`);
  expect(await startNode({ DATABASE_URL: old.url, SECRETS_KEYS })).toEqual({
    code: 1,
    said:
      'DATABASE_URL, DATA_DIR: this database was made before release 0.2.0 and cannot be upgraded; ' +
      'start with an empty database, or an empty DATA_DIR.',
  });
  await old.drop();
});

test('only its owner can read a new data folder, and the node names a damaged secrets.key', async () => {
  const dataDir = join(folder, 'new');
  await (await startEmbedded({ dataDir, durable: false })).stop();
  expect(statSync(dataDir).mode & 0o777).toBe(process.platform === 'linux' ? 0o700 : 0o711);
  writeFileSync(join(dataDir, 'secrets.key'), '');
  const { said } = await startNode({ DATA_DIR: dataDir });
  expect(said).toMatch(/^DATA_DIR: \S+secrets\.key is damaged\. Restore the file/);
});

describe('an unsupported version of Node.js', () => {
  const old = process.env['PATH']!.split(delimiter)
    .map((path) => join(path, 'node'))
    .find((node) => /^v(1\d|2[0-3])\./.test(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''));

  test.skipIf(!old)('prints one sentence and exits', () => {
    const { status, stderr } = spawnSync(old!, ['scripts/node-version.js'], { cwd: ROOT, encoding: 'utf8' });
    expect(stderr.trim()).toMatch(
      /^Balcão needs Node 24\.7 or newer, and this is v\d+\.\d+\.\d+: install Node 24, [^\n]+$/,
    );
    expect(status).toBe(1);
  });
});

describe('an installation without Vite', () => {
  /** `npm start` in a folder with the sources and these built files. */
  const prestart = (...built: string[]) => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    for (const file of built) {
      mkdirSync(join(empty, dirname(file)), { recursive: true });
      writeFileSync(join(empty, file), '');
    }
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/build.ts')], {
      cwd: empty,
      encoding: 'utf8',
    });
    return [status, stderr];
  };

  test('prints one sentence and exits if the gateway is not built', () => {
    const said = 'The gateway is not built, and Vite is not installed: run npm ci without --omit=dev first.\n';
    expect(prestart()).toEqual([1, said]);
    expect(prestart('dist/built')).toEqual([1, said]);
  });

  test('uses the files of an earlier build', () => {
    const files = ['dist/built', 'dist/server/main.js', `dist/downloads/${PLUGIN_FILE}`];
    expect(prestart(...files)).toEqual([0, '']);
  });
});
