// What a killed owner leaves behind: a PostgreSQL that still runs, or its pid file naming a process that is none of ours.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readArguments } from './processes.ts';

/** Stops the PostgreSQL that still runs on this folder, if one does. No other process is touched. */
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
 * Removes a pid file that does not name this folder's own PostgreSQL: that would refuse to start for as long as any process
 * has the pid, be it an innocent one or its own predecessor's zombie. Backends of a dead one that are still at work keep it
 * from starting all the same, by the shared memory they hold.
 */
export function clearPidFile(folder: string): void {
  if (!isPostmasterOf(folder, readPid(folder))) fs.rmSync(join(folder, 'postmaster.pid'), { force: true });
}

/** The lines PostgreSQL writes about itself (pid first, state eighth); none where there is no file. */
export function readPidFile(folder: string): string[] {
  try {
    return fs.readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** The argument by which a PostgreSQL says whose folder it runs on: it stays true when the folder is moved, false for a copy. */
export function markProcess(folder: string): string {
  const { dev, ino } = fs.statSync(folder, { bigint: true });
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
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // ended just now
  }
}
