// scripts/build.ts builds stale parts only, and compresses each file that a browser loads.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../support/source.ts';

/** Replaces Vite. Records a build of everything (a) or of the gateway (g). It fails if the file `broken` exists. */
const VITE = `const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
const isGateway = process.argv.join(' ').endsWith('--mode server');
appendFileSync('runs', isGateway ? 'g' : 'a');
if (existsSync('broken')) process.exit(3);
mkdirSync('dist/server', { recursive: true });
if (!isGateway) writeFileSync('dist/built', '');
writeFileSync('dist/server/main.js', '');`;

const SOURCES = [
  'checkout/main.tsx',
  'checkout/screens/Form.tsx',
  'console/render.tsx',
  'sandbox/pages/phone.tsx',
  'sandbox/rails/book.ts',
  'widget/main.ts',
  'shared/money.ts',
  'server/http/pages.ts',
  'packages/woocommerce/balcao.php',
  'packages/php/src/Client.php',
];

/** Creates a project of a few files with the same modification time. */
function makeProject() {
  const folder = mkdtempSync(join(tmpdir(), 'balcao-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text = '') => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const path of [...SOURCES, 'vite.config.ts', 'package.json', 'package-lock.json']) write(path);
  write('node_modules/vite/bin/vite.js', VITE);
  const build = () => {
    const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { cwd: folder });
    const runs = existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs'), 'utf8') : '';
    return { status, runs };
  };
  let minutes = 0;
  /** Makes a file newer than all others. */
  const touch = (path: string) => {
    const later = new Date(Date.now() + ++minutes * 60_000);
    utimesSync(join(folder, path), later, later);
  };
  return { folder, write, build, touch };
}

test('a build runs only if a source is newer than the built file', () => {
  const { build, touch } = makeProject();
  expect(build()).toEqual({ status: 0, runs: 'a' });
  expect(build()).toEqual({ status: 0, runs: 'a' });
  const changes = {
    'checkout/screens/Form.tsx': 'a',
    // The removal of a file changes the modification time of its folder.
    shared: 'a',
    'package-lock.json': 'a',
    'server/http/pages.ts': 'g',
    'sandbox/rails/book.ts': 'g',
    'packages/woocommerce/balcao.php': 'a',
    'packages/php/src/Client.php': 'a',
  };
  for (const [path, run] of Object.entries(changes)) {
    const before = build().runs;
    touch(path);
    expect([path, build().runs]).toEqual([path, before + run]);
    for (const built of ['dist/built', 'dist/server/main.js']) touch(built);
  }
});

test('a failed build exits with the code of Vite, and runs again the next time', () => {
  const { build, write } = makeProject();
  write('broken');
  expect(build()).toEqual({ status: 3, runs: 'a' });
  expect(build()).toEqual({ status: 3, runs: 'aa' });
});

test.each(['dist/client/assets', 'dist/widget', 'dist/widget/widget', 'dist/downloads'])(
  'every file of %s has a Brotli and a gzip twin',
  (folder) => {
    const names = readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && !/\.(br|gz)$/.test(entry.name) ? [join(ROOT, folder, entry.name)] : [],
    );
    expect(names).not.toEqual([]);
    for (const file of names) {
      expect(brotliDecompressSync(readFileSync(`${file}.br`))).toEqual(readFileSync(file));
      expect(gunzipSync(readFileSync(`${file}.gz`))).toEqual(readFileSync(file));
    }
  },
);
