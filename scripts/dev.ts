// `npm run dev` rebuilds the pages when they change, and restarts the server when its source files change.
import { spawn, type ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const VITE_BUILD = ['node_modules/vite/bin/vite.js', 'build', '--app', '--logLevel', 'warn'];
/** The job that a file change starts, by folder. A build includes a restart. */
const FOLDERS = {
  server: 'restart',
  sandbox: 'build',
  shared: 'build',
  checkout: 'build',
  console: 'build',
  widget: 'build',
} as const;

let server: ChildProcess | null = null;
let pending: 'build' | 'restart' | null = 'build';
let isBusy = false;

/** Runs the pending job, then restarts the server. Changes during a job start one more job. */
async function refresh(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  while (pending) {
    const job = pending;
    pending = null;
    if (job === 'build' && (await run(...VITE_BUILD)) !== 0) continue;
    await stopServer();
    server = spawn(process.execPath, ['server/main.ts'], { cwd: ROOT, stdio: 'inherit' });
  }
  isBusy = false;
}

function run(...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  return new Promise((resolve) => child.once('exit', resolve));
}

async function stopServer(): Promise<void> {
  const running = server;
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  await new Promise((resolve) => {
    running.once('exit', resolve);
    running.kill('SIGTERM');
  });
}

for (const [folder, job] of Object.entries(FOLDERS)) {
  watch(`${ROOT}/${folder}`, { recursive: true }, (_event, file) => {
    if (!file || !/\.(tsx?|css|sql)$/.test(file)) return;
    pending = job === 'build' || pending === 'build' ? 'build' : 'restart';
    // Editors write a file in several steps, so a short delay collects them for one refresh.
    setTimeout(() => void refresh(), 80);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopServer().then(() => process.exit(0)));
await refresh();
