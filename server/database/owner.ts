// Who owns a data folder: a lock that the system drops with its process, and a record for people and the command line.
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { identifyProcess } from './processes.ts';

type RunningDatabase = { port: number; database: string };

/** `database` is null while it starts. `startedAs` tells this process from a later one with the same pid. */
export type Owner = { pid: number; startedAs: string; database: RunningDatabase | null };

export type Claim = { announce(database: RunningDatabase): void; release(): void };

export class DataDirInUse extends Error {
  readonly code = 'data_dir_in_use';
  readonly pid: number | undefined;

  constructor(dataDir: string, pid: number | undefined) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super(`The data folder ${dataDir} is in use by ${holder}: stop it first, or choose another DATA_DIR.`);
    this.pid = pid;
  }
}

/** Makes this process the owner of the folder, or throws DataDirInUse; of several at once exactly one succeeds. */
export async function claimDataDir(dataDir: string): Promise<Claim> {
  const lock = lockDataDir(dataDir);
  if (!lock) throw new DataDirInUse(dataDir, await findHolder(dataDir));
  const owner: Owner = { pid: process.pid, startedAs: identifyProcess(process.pid) ?? '', database: null };
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

/** The owner on record if it is still that very process, else null. */
export function readOwner(dataDir: string): Owner | null {
  try {
    const owner = JSON.parse(readFileSync(ownerFile(dataDir), 'utf8')) as Owner;
    return identifyProcess(owner.pid) === owner.startedAs ? owner : null;
  } catch {
    return null; // none, or cut off by a crash
  }
}

/**
 * The write lock of an empty SQLite file: the one kernel lock Node can take. It ends with the process however that dies,
 * so there is no stale lock to judge and take over, and it holds between containers that share the folder.
 */
function lockDataDir(dataDir: string): DatabaseSync | null {
  const file = join(dataDir, 'owner.lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    chmodSync(file, 0o600); // who can open it can block it
    lock.exec('begin immediate');
    return lock;
  } catch (cause) {
    lock?.close();
    if ((cause as { errcode?: number }).errcode === 5) return null; // SQLITE_BUSY
    throw new Error(`This user cannot lock ${file}: ${(cause as Error).message}`, { cause });
  }
}

/** The winner writes its record just after it has the lock, so a loser that finds none looks again for a moment. */
async function findHolder(dataDir: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 40; attempt++) {
    const owner = readOwner(dataDir);
    if (owner) return owner.pid;
    await pause(25);
  }
  return undefined;
}

function writeOwner(dataDir: string, owner: Owner): void {
  const file = ownerFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function ownerFile(dataDir: string): string {
  return join(dataDir, 'owner.json');
}
