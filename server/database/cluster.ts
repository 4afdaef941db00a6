// The folder the embedded database keeps its data in: made once and whole, owned by the account that runs it.
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findBinaries, postgresEnv, type Account, type Binaries } from './binaries.ts';

export const superuser = 'postgres';

export type Cluster = { folder: string; logFile: string; binaries: Binaries; account: Account | undefined };

/**
 * How PostgreSQL is told where its data is. On Linux it is started inside the folder and finds it through /proc, which
 * asks for no right on the folders above: so a checkout under a 0700 home works for root too, whose database runs as
 * another user.
 */
export function nameFolder(folder: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

/** The cluster of this data folder, made where there is none. Only for the folder's owner. */
export async function openCluster(dataDir: string, durable: boolean, log: (message: string) => void): Promise<Cluster> {
  const folder = join(dataDir, 'postgres');
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

/** Made beside its place and moved there when complete, so that a crash in between leaves nothing that looks like a cluster. */
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
  if (exitCode !== 0) throw new Error(`initdb could not make a database in ${folder}: ${complaint}`);
  fs.renameSync(draft, folder);
}

/** PostgreSQL refuses to run as root: then it runs as the one whose data it is, at first as `postgres` or `nobody`. */
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

/** Also mends a data folder that root copied and thereby took. What already belongs to someone else is left alone. */
function giveAway(path: string, account: Account | undefined): void {
  const found = fs.lstatSync(path);
  if (!account || found.uid !== 0) return;
  if (found.isDirectory()) for (const name of fs.readdirSync(path)) giveAway(join(path, name), account);
  fs.lchownSync(path, account.uid, account.gid);
}
