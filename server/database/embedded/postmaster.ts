// Starts PostgreSQL, restarts it after a crash, and stops it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { nameFolder, postgresEnv, type Cluster } from './cluster.ts';
import { clearPidFile, markProcess, readPidFile, stopOrphan } from './data-folder-lock.ts';

type Postmaster = { port: number; stop(): Promise<void> };

type PostmasterOptions = {
  port: number | undefined;
  durable: boolean;
  onRestart: () => void;
  log: (message: string) => void;
};

type Running = { child: ChildProcess; gone: Promise<void>; isGone(): boolean; readLog(): string };

// Statements and row values stay out of the log file, because they may contain phone numbers and secrets.
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  jit: 'off',
  // Whole pages after a checkpoint are a third of the write-ahead log. This build has no faster compression.
  wal_compression: 'pglz',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};
// synchronous_commit stays on, because without fsync it costs little and commits survive kill -9.
// The log file may contain row values, because these settings are only for tests.
const fastSettings = { fsync: 'off', full_page_writes: 'off', log_error_verbosity: 'default' };

const maxLogBytes = 5 * 2 ** 20;

// Startup errors that pass: backends of a killed PostgreSQL still run, or another PostgreSQL was still starting.
const passingTrouble = /shared memory block|lock file/;

/** Starts PostgreSQL on the cluster, waits until it responds, and keeps it running on that port until stop(). */
export async function startPostmaster(cluster: Cluster, options: PostmasterOptions): Promise<Postmaster> {
  const { durable, onRestart, log } = options;
  const { port, running: first } = await launchFirst(cluster, options);
  let running = first;
  const stopping = new AbortController();

  async function keepRunning(): Promise<void> {
    for (let failures = 0; ; failures++) {
      const startedAt = performance.now();
      await running.gone;
      if (performance.now() - startedAt > 10_000) failures = 0;
      await pause(backoffMs(failures), undefined, { ref: false, signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      try {
        log(`PostgreSQL stopped; starting it again. ${running.readLog()}`);
        running = launch(cluster, port, durable);
        if (await becomesReady(cluster, running)) onRestart();
      } catch (error) {
        // A lack of memory or disk space may pass, so the restart is tried again.
        log(`PostgreSQL could not be started again: ${(error as Error).message}`);
      }
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await endRunning(running);
    await watch;
  }

  const watch = keepRunning();
  let stopped: Promise<void> | undefined;
  return { port, stop: () => (stopped ??= stop()) };
}

async function launchFirst(
  cluster: Cluster,
  { port, durable, log }: PostmasterOptions,
): Promise<{ port: number; running: Running }> {
  if ((fs.statSync(cluster.logFile, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes)
    fs.truncateSync(cluster.logFile);
  for (let attempt = 0; ; attempt++) {
    await stopOrphan(cluster.folder, log);
    const triedPort = port ?? (await freePort());
    const running = launch(cluster, triedPort, durable);
    if (await becomesReady(cluster, running)) return { port: triedPort, running };
    const reason = running.readLog();
    const isPassing = passingTrouble.test(reason) || (port === undefined && reason.includes('could not bind'));
    if (attempt === 30 || !isPassing) throw new Error(`PostgreSQL did not start: ${reason}`);
    await pause(backoffMs(attempt));
  }
}

function launch(cluster: Cluster, port: number, durable: boolean): Running {
  const { logFile } = cluster;
  clearPidFile(cluster.folder);
  // Output goes to a file, because a pipe would break if PostgreSQL outlives this process.
  const output = fs.openSync(logFile, 'a', 0o600);
  const logStart = fs.fstatSync(output).size;
  let child: ChildProcess;
  try {
    child = spawnPostgres(cluster, { ...settings, ...(durable ? {} : fastSettings), port }, output);
  } finally {
    fs.closeSync(output);
  }
  let isGone = false;
  const interrupt = () => void child.kill('SIGINT');
  process.once('exit', interrupt);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  }).then(() => {
    isGone = true;
    process.off('exit', interrupt);
  });
  const readLog = () => fs.readFileSync(logFile).subarray(logStart).toString().trim().split('\n').slice(-4).join(' | ');
  return { child, gone, isGone: () => isGone, readLog };
}

function spawnPostgres({ folder, binaries, account }: Cluster, chosen: object, output: number): ChildProcess {
  const args = Object.entries(chosen).map(([name, value]) => `--${name}=${value}`);
  return spawn(binaries.postgres, ['-D', nameFolder(folder), markProcess(folder), ...args], {
    ...account,
    cwd: folder,
    env: postgresEnv,
    stdio: ['ignore', output, output],
    detached: true, // Ctrl-C in the terminal reaches only this process, which then stops PostgreSQL.
  });
}

/**
 * Waits until PostgreSQL accepts connections. False if it ended.
 * A ready PostgreSQL does not keep this process alive.
 */
async function becomesReady({ folder }: Cluster, { child, isGone }: Running): Promise<boolean> {
  while (!isGone()) {
    const lines = readPidFile(folder);
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') {
      child.unref();
      return true;
    }
    await pause(10);
  }
  return false;
}

async function endRunning({ child, gone, isGone }: Running): Promise<void> {
  child.ref();
  child.kill('SIGINT');
  await Promise.race([gone, pause(15_000, undefined, { ref: false })]);
  if (!isGone()) child.kill('SIGQUIT');
  await gone;
}

function backoffMs(failures: number): number {
  return Math.min(50 * 2 ** failures, 1000);
}

/** Returns a free port on the loopback interface. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
