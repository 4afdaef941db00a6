// Builds the pages of the working folder where something they are made of is newer than what was built: `npm start` and `npm run check` wait for it only then.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = [
  'checkout',
  'console',
  'sandbox/pages',
  'widget',
  'shared',
  'vite.config.ts',
  'package.json',
  'package-lock.json',
];
/** Written last. */
const BUILT = 'dist/built';

if (newestOf(SOURCES) >= timeOf(BUILT)) {
  const vite = spawnSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--app', '--logLevel', 'warn'], {
    stdio: 'inherit',
  });
  process.exitCode = vite.status ?? 1;
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
