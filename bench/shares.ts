// The same share of the processor for each of several programs, so that what another of them adds can be told on one machine.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** `each`: what each of them has, in words. */
export type Shares = { each: string; end(): void };

/** Cores that everybody else needs beside them: a database, and whoever brings the load. */
const OTHERS = 2;
const PERIOD_US = 10_000;
const SHARE = 0.3;
const GROUPS = '/sys/fs/cgroup/cpu';

/**
 * A core each, and the rest for everything else that this process has started (taskset); where there are not so many, three tenths of
 * any (control groups, as root). @throws where there is no way
 */
export function shareOut(pids: number[]): Shares {
  if (availableParallelism() >= pids.length + OTHERS) return pinEach(pids);
  const folders = pids.map((pid) => {
    const folder = `${GROUPS}/balcao-bench-${pid}`;
    mkdirSync(folder);
    writeFileSync(`${folder}/cpu.cfs_period_us`, String(PERIOD_US));
    writeFileSync(`${folder}/cpu.cfs_quota_us`, String(PERIOD_US * SHARE));
    writeFileSync(`${folder}/cgroup.procs`, String(pid));
    return folder;
  });
  // Once they have ended: a group with somebody in it stays.
  return { each: `${SHARE * 100} % of a core each`, end: () => folders.forEach((folder) => rmdirSync(folder)) };
}

function pinEach(pids: number[]): Shares {
  const pin = (pid: number, cores: string) => {
    const { status } = spawnSync('taskset', ['-a', '-p', '-c', cores, String(pid)]);
    if (status !== 0) throw new Error('taskset (util-linux) is not installed');
  };
  for (const pid of descendantsOf(process.pid)) pin(pid, `${pids.length}-${availableParallelism() - 1}`);
  for (const [core, pid] of pids.entries()) pin(pid, String(core));
  return { each: 'pinned to a core each', end: () => {} };
}

/** All that it started, they in turn, and itself. */
function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    const parent = /^PPid:\s+(\d+)/m.exec(readStatus(name))?.[1];
    return parent ? [{ pid: Number(name), parent: Number(parent) }] : [];
  });
  const find = (of: number): number[] => [of, ...parents.flatMap((one) => (one.parent === of ? find(one.pid) : []))];
  return find(pid);
}

/** Of what has ended meanwhile: nothing. */
function readStatus(name: string): string {
  try {
    return /^\d+$/.test(name) ? readFileSync(`/proc/${name}/status`, 'utf8') : '';
  } catch {
    return '';
  }
}
