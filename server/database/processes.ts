// What the system knows of a process: enough to tell it from another one that got the same pid later.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A text that no other process of this machine shares, or null when the pid is not running. */
export function identifyProcess(pid: number): string | null {
  try {
    if (process.platform === 'linux') return identifyOnLinux(pid);
    process.kill(pid, 0);
    return process.platform === 'win32' ? 'running' : askPs(pid, 'lstart=');
  } catch {
    return null;
  }
}

/** The arguments a process was started with; none when it is gone or nothing tells. */
export function readArguments(pid: number): string[] {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return process.platform === 'win32' ? [] : askPs(pid, 'command=').split(' ');
  } catch {
    return [];
  }
}

function identifyOnLinux(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the command's name may hold spaces and brackets
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return null;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${startTicks}`;
}

function askPs(pid: number, column: string): string {
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' };
  return execFileSync('ps', ['-ww', '-o', column, '-p', String(pid)], { env, encoding: 'utf8' }).trim();
}
