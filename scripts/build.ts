// Builds the pages and the gateway, or only the gateway if no other source file is newer.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const VITE = 'node_modules/vite/bin/vite.js';
const PAGES = ['checkout', 'console', 'sandbox/pages', 'widget'];
/** The archive of the plug-in for WordPress is one of the files that the gateway sends. */
const PLUGIN = ['packages/woocommerce', 'packages/php/src'];
const SETTINGS = ['vite.config.ts', 'package.json', 'package-lock.json'];

/** The parts of the build. A part writes its file `built` last. The first part includes the others. */
const PARTS = [
  { sources: [...PAGES, ...PLUGIN, 'shared', ...SETTINGS], built: 'dist/built', mode: [] },
  {
    sources: ['server', 'sandbox', 'shared', ...SETTINGS],
    built: 'dist/server/main.js',
    mode: ['--mode', 'server'],
  },
];

if (existsSync(VITE)) buildStale();
// An installation without development packages uses the files of an earlier build.
else if (!PARTS.every(({ built }) => existsSync(built))) {
  console.error('The gateway is not built, and Vite is not installed: run npm ci without --omit=dev first.');
  process.exitCode = 1;
}

function buildStale(): void {
  const stale = PARTS.find(({ sources, built }) => newestOf(sources) >= timeOf(built));
  if (!stale) return;
  const args = [VITE, 'build', '--app', '--logLevel', 'warn', ...stale.mode];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}

/** The newest modification time below these paths. A folder's own time changes when a file is removed. */
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
