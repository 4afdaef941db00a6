// One server at a time owns a data folder. It holds a lock and writes a record.
// The next owner stops a PostgreSQL process that a dead owner left running.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { CannotStart } from '../../config.ts';

type RunningDatabase = { port: number; database: string };

/**
 * The owner of a data folder. `database`: null while it starts.
 * `gatewayUrl`: the URL of an owner that is a gateway.
 */
type Owner = { pid: number; database: RunningDatabase | null; gatewayUrl?: string };

type Claim = { announce(database: RunningDatabase): void; release(): void };

export class DataDirInUse extends CannotStart {
  readonly code = 'data_dir_in_use';
  readonly pid: number | undefined;

  constructor(dataDir: string, pid: number | undefined) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super(`The data folder ${dataDir} is in use by ${holder}: stop it first, or choose another DATA_DIR.`);
    this.pid = pid;
  }
}

/**
 * Makes this process the owner of the data folder. Exactly one of several concurrent callers succeeds.
 * @throws DataDirInUse
 */
export async function claimDataDir(dataDir: string, gatewayUrl?: string): Promise<Claim> {
  // Readers hold the lock for a moment, and a new owner needs a moment to write its record, so the caller waits 250 ms.
  const lock = lockDataDir(dataDir, 250);
  if (!lock) throw new DataDirInUse(dataDir, readOwner(dataDir)?.pid);
  const owner: Owner = { pid: process.pid, database: null, ...(gatewayUrl && { gatewayUrl }) };
  writeOwner(dataDir, owner);
  return {
    announce: (database) => writeOwner(dataDir, { ...owner, database }),
    release() {
      if (!lock.isOpen) return;
      rmSync(ownerFile(dataDir), { force: true });
      lock.close();
    },
  };
}

/** Returns the record of the owner that holds the lock. Null without an owner. */
export function readOwner(dataDir: string): Owner | null {
  try {
    const owner = JSON.parse(readFileSync(ownerFile(dataDir), 'utf8')) as Owner;
    const lock = lockDataDir(dataDir, 0);
    lock?.close();
    return lock ? null : owner;
  } catch {
    return null; // The record is missing, incomplete after a crash, or in another user's folder.
  }
}

/**
 * Takes the write lock of an empty SQLite file, the only kernel lock that Node can take.
 * The lock ends with its process, so it is never stale. It also works between containers that share the folder.
 */
function lockDataDir(dataDir: string, timeout: number): DatabaseSync | null {
  const file = join(dataDir, 'owner.lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout });
    chmodSync(file, 0o600); // The file is private, because every user who can open it can take the lock.
    lock.exec('begin immediate');
    return lock;
  } catch (cause) {
    lock?.close();
    if ((cause as { errcode?: number }).errcode === 5) return null; // 5 is SQLITE_BUSY: another process holds the lock.
    throw new Error(`This user cannot lock ${file}: ${(cause as Error).message}`, { cause });
  }
}

function writeOwner(dataDir: string, owner: Owner): void {
  const file = ownerFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function ownerFile(dataDir: string): string {
  return join(dataDir, 'owner.json');
}

/** Stops a PostgreSQL process that still runs on this folder. Signals no other process. */
export async function stopOrphan(folder: string, log: (message: string) => void): Promise<void> {
  const pid = readPid(folder);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isPostmasterOf(folder, pid)) return;
    log(`stopping the PostgreSQL (process ${pid}) that a killed process left running`);
    interruptProcess(pid, signal);
    for (let waitedMs = 0; waitedMs < 15_000 && isPostmasterOf(folder, pid); waitedMs += 20) await pause(20);
  }
  if (isPostmasterOf(folder, pid)) throw new Error(`PostgreSQL (process ${pid}) runs on ${folder} and does not stop.`);
}

/**
 * Removes a pid file that does not name this folder's own PostgreSQL process.
 * PostgreSQL would not start while any process has the pid in the file.
 * Backends of a dead PostgreSQL still prevent a start, because they hold its shared memory.
 */
export function clearPidFile(folder: string): void {
  if (!isPostmasterOf(folder, readPid(folder))) rmSync(join(folder, 'postmaster.pid'), { force: true });
}

/** Returns the lines of PostgreSQL's pid file: the pid is the first, the state the eighth. Empty without a file. */
export function readPidFile(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Returns the process argument that names a PostgreSQL's folder. A moved folder keeps it, a copy has another one. */
export function markProcess(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `--balcao.cluster=${dev}-${ino}`;
}

function isPostmasterOf(folder: string, pid: number): boolean {
  return readArguments(pid).includes(markProcess(folder));
}

function readPid(folder: string): number {
  return Number.parseInt(readPidFile(folder)[0] ?? '', 10);
}

function interruptProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // The process has just ended.
  }
}

/** Returns the arguments of a process. Empty if the process has ended, or if the system does not list them. */
function readArguments(pid: number): string[] {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (process.platform === 'win32') return [];
    const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' };
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { env, encoding: 'utf8' })
      .trim()
      .split(' ');
  } catch {
    return [];
  }
}
