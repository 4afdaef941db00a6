// `npm run release [-- folder]` writes balcao-<version>.tgz, for an operator who supplies Node and PostgreSQL.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXTERNAL } from '../vite.config.ts';

type Manifest = {
  name: string;
  version: string;
  license: string;
  engines: object;
  dependencies?: Record<string, string>;
};
/** One entry of the license lists that Vite writes. */
type License = { name: string; version: string; identifier?: string; text?: string };

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The parts of a release: the built gateway, and the documentation pages for operators. */
const BUILT = ['client', 'downloads', 'server', 'ssr', 'widget'].map((folder) => `dist/${folder}`);
const PAGES = ['deploy', 'docs', 'CHANGELOG.md', 'LICENSE'];
/** Data files that the built gateway reads at their path in the source tree. */
const DATA = /\.(sql|json)$/;
/** Files that a release omits. All license lists become one file, and images and source maps are for developers. */
const LEFT_OUT = /\/licenses\.\w+\.json$|\/docs\/screens$|\.map$/;

/** The scripts of a release's package.json, so that the documented commands work in an unpacked release. */
const SCRIPTS = { start: 'node server.js', balcao: 'node balcao.js' };

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

const { name, version, license, engines, dependencies } = readJson(join(ROOT, 'package.json')) as Manifest;
const target = resolve(process.argv[2] ?? '.');
const built = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);

const draft = mkdtempSync(join(tmpdir(), 'balcao-release-'));
try {
  const folder = join(draft, `${name}-${version}`);
  for (const path of [...BUILT, ...PAGES, ...findData(), ...findPackages(EXTERNAL)]) copy(path, folder);
  writeEntries(folder);
  const external = Object.entries(dependencies ?? {}).filter(([dependency]) => EXTERNAL.includes(dependency));
  const manifest = { name, version, license, private: true, type: 'module', engines, scripts: SCRIPTS };
  write(folder, 'package.json', JSON.stringify({ ...manifest, dependencies: Object.fromEntries(external) }, null, 2));
  write(folder, 'THIRD-PARTY-LICENSES.txt', gatherLicenses());
  mkdirSync(target, { recursive: true });
  const archive = join(target, `${name}-${version}.tgz`);
  const packed = spawnSync('tar', ['-czf', archive, '-C', draft, `${name}-${version}`], { stdio: 'inherit' });
  if (packed.status !== 0) throw new Error('The program tar could not write the archive.');
  console.log(archive);
} finally {
  rmSync(draft, { recursive: true });
}

function copy(path: string, folder: string): void {
  const filter = (source: string) => !LEFT_OUT.test(source);
  cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter, preserveTimestamps: true });
}

function findData(): string[] {
  const files = readdirSync(join(ROOT, 'server'), { recursive: true }) as string[];
  return files.filter((file) => DATA.test(file)).map((file) => join('server', file));
}

function write(folder: string, file: string, text: string, mode = 0o644): void {
  writeFileSync(join(folder, file), `${text}\n`, { mode });
}

/** Writes the two programs of a release. They check Node's version before an old Node reads other files. */
function writeEntries(folder: string): void {
  cpSync(join(ROOT, 'scripts/node-version.js'), join(folder, 'node-version.js'));
  const start = (file: string) => `import './node-version.js';\nawait import('./dist/server/${file}');`;
  write(folder, 'server.js', start('main.js'));
  write(folder, 'balcao.js', `#!/usr/bin/env node\n${start('balcao.js')}`, 0o755);
}

/** Finds the folders of these packages and of all their dependencies. */
function findPackages(names: readonly string[], from = '', found = new Set<string>()): Set<string> {
  for (const dependency of names) {
    const path = findPackage(dependency, from);
    if (found.has(path)) continue;
    found.add(path);
    const manifest = readJson(join(ROOT, path, 'package.json')) as Manifest;
    findPackages(Object.keys(manifest.dependencies ?? {}), path, found);
  }
  return found;
}

/** Finds the nearest folder of a package, as Node resolves it. */
function findPackage(dependency: string, from: string): string {
  const path = join(from, 'node_modules', dependency);
  if (existsSync(join(ROOT, path))) return path;
  if (from === '') throw new Error(`The package ${dependency} is not installed: run npm ci first.`);
  return findPackage(dependency, dirname(from) === '.' ? '' : dirname(from));
}

/** Collects the licenses of all bundled packages. Packages in `node_modules` contain their own license files. */
function gatherLicenses(): string {
  const files = ['client', 'server', 'ssr'].flatMap((folder) =>
    readdirSync(join(ROOT, 'dist', folder))
      .filter((file) => /^licenses\.\w+\.json$/.test(file))
      .map((file) => join(ROOT, 'dist', folder, file)),
  );
  const entries = files.flatMap((file) => readJson(file) as License[]);
  const texts = entries.map(
    (entry) => `${entry.name} ${entry.version} (${entry.identifier ?? 'no identifier'})\n\n${entry.text ?? ''}`,
  );
  return [...new Set(texts)].toSorted().join(`\n\n${'-'.repeat(80)}\n\n`);
}
