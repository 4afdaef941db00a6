// Builds what is older than something it is made of, the pages and the gateway or the gateway alone: `npm start`, `npm run check` and
// tests wait for it only then.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SETTINGS = ['vite.config.ts', 'package.json', 'package-lock.json'];

/** `built` is written last. The first builds the second too. */
const PARTS = [
  { sources: ['checkout', 'console', 'sandbox/pages', 'widget', 'shared', ...SETTINGS], built: 'dist/built', mode: [] },
  {
    sources: ['server', 'sandbox', 'shared', ...SETTINGS],
    built: 'dist/server/main.js',
    mode: ['--mode', 'server'],
  },
];

if (!existsSync('node_modules/vite/bin/vite.js')) {
  console.error('The packages are not installed: run npm ci first.');
  process.exit(1);
}

const stale = PARTS.find(({ sources, built }) => newestOf(sources) >= timeOf(built));
if (stale) {
  const args = ['node_modules/vite/bin/vite.js', 'build', '--app', '--logLevel', 'warn', ...stale.mode];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}

/** A folder's own time counts too: it changes when a file is removed. */
function newestOf(paths: string[]): number {
  const times = paths.flatMap((path) => {
    const entries = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }) : [];
    return [path, ...entries.map((entry) => join(path, String(entry)))].map(timeOf);
  });
  return Math.max(...times);
}

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
