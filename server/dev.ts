// npm run dev: rebuilds the pages when they change and restarts the server when anything it runs changes.
import { spawn, type ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What a change in each folder asks for. */
const FOLDERS = {
  server: 'restart',
  sandbox: 'build',
  shared: 'build',
  checkout: 'build',
  console: 'build',
  widget: 'build',
} as const;

let server: ChildProcess | null = null;
let wanted: 'build' | 'restart' | null = 'build';
let isBusy = false;

/** Builds if asked to, then starts the server anew; changes meanwhile are taken together after it. */
async function renew(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  while (wanted) {
    const job = wanted;
    wanted = null;
    if (job === 'build' && (await run('node_modules/vite/bin/vite.js', 'build', '--app', '--logLevel', 'warn')) !== 0)
      continue;
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
    if (!file || !/\.(tsx?|css)$/.test(file)) return;
    wanted = job === 'build' || wanted === 'build' ? 'build' : 'restart';
    // Editors write in several steps: one renewal for all of them.
    setTimeout(() => void renew(), 80);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopServer().then(() => process.exit(0)));
await renew();
