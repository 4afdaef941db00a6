// Starts a PostgreSQL that one test may kill and stop. The shared PostgreSQL keeps running for the other tests.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, existsSync, mkdirSync, openSync, closeSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  nameFolder,
  openCluster,
  postgresEnv,
  readPassword,
  superuser,
} from '../../server/database/embedded/cluster.ts';
import { readPidFile } from '../../server/database/embedded/data-folder-lock.ts';
import { startEmbedded, type Embedded } from '../../server/database/embedded/start.ts';
import { freePort } from './free-port.ts';
import { SCRATCH } from './scratch.ts';

export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;

export async function startOwnPostgres() {
  const dataDir = mkdtempSync(join(SCRATCH, 'balcao-own-'));
  let restarts = 0;
  const open = (port: number): Promise<Embedded> =>
    startEmbedded({ dataDir, durable: false, port, onRestart: () => restarts++ });
  let running = await open(await freePort());
  return {
    url: running.url,
    /** The folder of the instance with its data and its configuration. */
    folder: join(dataDir, 'postgres'),
    /** Kills the postmaster with -9 and restarts it under the same URL. */
    kill: () => void process.kill(Number.parseInt(readPidFile(join(dataDir, 'postgres'))[0] ?? '', 10), 'SIGKILL'),
    /** The number of starts after a kill. */
    restarts: () => restarts,
    /** Stops the instance cleanly until `start`. */
    stop: () => running.stop(),
    async start() {
      running = await open(running.port);
    },
    async remove() {
      await running.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

type Instance = { name: string; dataDir: string; port: number; child: ChildProcess | null };

export type Pair = Awaited<ReturnType<typeof startPair>>;

const DATABASE = 'balcao';

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 100,
  jit: 'off',
  wal_keep_size: '512MB',
  // A killed instance leaves these files in its folder.
  dynamic_shared_memory_type: 'mmap',
};

/** Starts a primary with an empty database and its standby. */
export async function startPair(folder: string, isSync: boolean) {
  const make = async (name: string): Promise<Instance> => {
    const dataDir = join(folder, name);
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
    return { name, dataDir, port: await freePort(), child: null };
  };
  const [one, two] = [await make('one'), await make('two')];
  await openCluster(one.dataDir, true, () => {});
  writeFileSync(join(two.dataDir, 'postgres.password'), readFileSync(join(one.dataDir, 'postgres.password')));
  const urlAt = (port: number, database = DATABASE) =>
    `postgres://${superuser}:${readPassword(one.dataDir)}@127.0.0.1:${port}/${database}`;
  let [primary, standby]: [Instance | null, Instance] = [one, two];
  await launch(one, urlAt(one.port, 'postgres'));
  await run(urlAt(one.port, 'postgres'), `create database ${DATABASE}`);
  const pair = {
    instances: [one, two] as const,
    /** The instance that accepts writes, or null. */
    primary: (): Instance | null => primary,
    /** The database URL with another port, for instance of a proxy. */
    urlAt: (port: number) => urlAt(port),
    /** Stops the replication to the standby, as a broken network does. */
    async cutLink() {
      await run(urlAt(standby.port), `alter system set primary_conninfo = ''`);
      await run(urlAt(standby.port), 'select pg_reload_conf()');
    },
    /** Kills the primary and all its backends with -9. */
    async kill() {
      const dead = primary as Instance;
      primary = null;
      await killAll(dead);
    },
    /** Makes the standby the primary. Resolves when it accepts writes. */
    async promote() {
      await run(urlAt(standby.port), 'select pg_promote()');
      const dead = one === standby ? two : one;
      [primary, standby] = [standby, dead];
    },
    /** Starts the killed instance as the standby. If `isInSync`, each later commit waits for it. */
    async rejoin(isInSync: boolean) {
      const source = primary as Instance;
      await copyRunning(source, standby, urlAt(source.port));
      await launch(standby, urlAt(standby.port));
      await follow(urlAt(source.port), isInSync);
    },
    async stop() {
      await Promise.all([one, two].map(end));
    },
  };
  await pair.rejoin(isSync);
  return pair;
}

async function run<T>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

/** Resolves when the PostgreSQL instance responds. */
async function launch(instance: Instance, url: string): Promise<void> {
  const { folder, logFile, binaries, account } = await openCluster(instance.dataDir, true, () => {});
  const output = openSync(logFile, 'a', 0o600);
  const settings = Object.entries({ ...SETTINGS, port: instance.port }).map(([name, value]) => `--${name}=${value}`);
  const options = { ...account, cwd: folder, env: postgresEnv, detached: true };
  const child = spawn(binaries.postgres, ['-D', nameFolder(folder), ...settings], {
    ...options,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  instance.child = child;
  process.once('exit', () => child.kill('SIGQUIT'));
  for (;;) {
    const isUp = await run(url, 'select 1').then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (child.exitCode !== null)
      throw new Error(`PostgreSQL did not start: ${readFileSync(logFile, 'utf8').slice(-500)}`);
    await pause(20);
  }
}

/** Stops the postmaster first, so that it starts no further backend. Then it kills all of them. */
async function killAll(instance: Instance): Promise<void> {
  const { child } = instance;
  if (!child?.pid) return;
  const gone = once(child, 'exit');
  child.kill('SIGSTOP');
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const backends = processes.map((line) => line.trim().split(/\s+/)).filter(([, parent]) => parent === `${child.pid}`);
  for (const pid of [child.pid, ...backends.map(([pid]) => Number(pid))]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
  await gone;
  instance.child = null;
}

async function end(instance: Instance): Promise<void> {
  const { child } = instance;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGINT');
  await gone;
  instance.child = null;
}

/** Files that each instance creates for itself, so that the copy excludes them. */
const LEFT_OUT = new RegExp(
  '^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)/' +
    String.raw`|^postmaster\.|^postgresql\.auto\.conf$|^standby\.signal$`,
);

/** Copies like pg_basebackup, which the embedded database does not have. */
async function copyRunning(source: Instance, target: Instance, url: string): Promise<void> {
  const [from, to] = [source, target].map(({ dataDir }) => join(dataDir, 'postgres')) as [string, string];
  // The folder itself stays, because PostgreSQL finds its shared memory by it.
  for (const name of existsSync(to) ? await readdir(to) : []) rmSync(join(to, name), { recursive: true, force: true });
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`select pg_backup_start('a standby', true)`);
    await copyFolder(from, to, '');
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  const password = readPassword(target.dataDir);
  const primary =
    `host=127.0.0.1 port=${source.port} user=${superuser} password=${password} ` + `application_name=${target.name}`;
  writeFileSync(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
  writeFileSync(join(to, 'standby.signal'), '');
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '--reference', from, to]);
}

async function copyFolder(from: string, to: string, path: string): Promise<void> {
  await mkdir(join(to, path), { recursive: true, mode: 0o700 });
  for (const entry of await readdir(join(from, path), { withFileTypes: true })) {
    const name = path ? `${path}/${entry.name}` : entry.name;
    if (entry.isDirectory()) await copyFolder(from, to, name);
    else if (!LEFT_OUT.test(name)) {
      // The primary may delete a file during the copy.
      await copyFile(join(from, name), join(to, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }
}

/** Resolves when the standby has all of the primary's data, and commits wait for it if `isSync`. */
async function follow(url: string, isSync: boolean): Promise<void> {
  const names = isSync ? 'ANY 1 (one, two)' : '';
  const isFollowing = `select from pg_stat_replication
    where state = 'streaming' and replay_lag < interval '1 s' is not false`;
  while ((await run(url, isFollowing)).length === 0) await pause(50);
  await run(url, `alter system set synchronous_standby_names = '${names}'`);
  await run(url, 'select pg_reload_conf()');
  const isAsked = `select from pg_stat_replication where sync_state = '${isSync ? 'quorum' : 'async'}'`;
  while ((await run(url, isAsked)).length === 0) await pause(50);
}
