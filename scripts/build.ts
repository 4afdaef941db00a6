// Builds the pages, the gateway and the plug-in for WordPress, or only the parts whose source files are newer.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGIN_FILE } from '../shared/woocommerce.ts';

const VITE = 'node_modules/vite/bin/vite.js';
const SETTINGS = ['vite.config.ts', 'package.json', 'package-lock.json'];

/** The parts of the build. A part writes its file `built` last. The first part includes the others. */
const PARTS = [
  { sources: ['checkout', 'console', 'sandbox/pages', 'widget', 'shared', ...SETTINGS], built: 'dist/built', mode: [] },
  {
    sources: ['server', 'sandbox', 'shared', ...SETTINGS],
    built: 'dist/server/main.js',
    mode: ['--mode', 'server'],
  },
  {
    sources: ['packages/woocommerce', 'packages/php/src', 'shared/woocommerce.ts'],
    built: `dist/downloads/${PLUGIN_FILE}`,
    mode: ['--mode', 'downloads'],
  },
];

if (existsSync(VITE)) buildStale();
// An installation without development packages uses the files of an earlier build.
else if (!PARTS.every(({ built }) => existsSync(built))) {
  console.error('The gateway is not built, and Vite is not installed: run npm ci without --omit=dev first.');
  process.exitCode = 1;
}

function buildStale(): void {
  const stale = PARTS.filter(({ sources, built }) => newestOf(sources) >= timeOf(built));
  const parts = stale[0] === PARTS[0] ? stale.slice(0, 1) : stale;
  for (const { mode } of parts) {
    const args = [VITE, 'build', '--app', '--logLevel', 'warn', ...mode];
    process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
    if (process.exitCode !== 0) return;
  }
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
