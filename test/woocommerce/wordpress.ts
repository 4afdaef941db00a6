// Starts a WordPress of Debian on its own MariaDB, with the plug-in and the stand-in for WooCommerce.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../..');
const WORDPRESS = '/usr/share/wordpress';
const THEME = join(WORDPRESS, 'wp-content/themes/twentytwentythree');
const CACHE = join(ROOT, 'node_modules/.cache/woocommerce');
const WORKERS = 4;

const isRunnable = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

/** Names what this machine lacks for these tests. Empty: everything is here. With `CI=true` a lack throws. */
export function missingPrograms(): string {
  const lacks = ['php', 'mariadbd', 'mariadb-install-db'].filter((name) => !isRunnable(name));
  if (!lacks.includes('php') && spawnSync('php', ['-r', 'exit(extension_loaded("mysqli") ? 0 : 1);']).status !== 0)
    lacks.push('php-mysql');
  if (!existsSync(join(WORDPRESS, 'wp-load.php')) || !existsSync(THEME)) lacks.push('wordpress with its theme');
  if (lacks.length > 0 && process.env['CI'] === 'true') throw new Error(`missing: ${lacks.join(', ')}`);
  return lacks.join(', ');
}

const started = new Set<ChildProcess>();
process.once('exit', () => started.forEach(killGroup));

/** Ends a process and its children. The workers of PHP's server are children. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

function start(program: string, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  started.add(child);
  void once(child, 'exit').then(() => started.delete(child));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  killGroup(child);
  await ended;
}

function run(program: string, args: string[], env: Record<string, string> = {}): void {
  const { status, stdout, stderr } = spawnSync(program, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
}

/** MariaDB refuses to run as root without this option. */
const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];

/** A starting MariaDB deletes the temporary tables of its `tmpdir`, so each has a `tmpdir` of its own. */
const inFolder = (data: string) => ['--no-defaults', ...asRoot, `--datadir=${data}`, `--tmpdir=${data}`];

async function startMariaDb(data: string, socket: string): Promise<ChildProcess> {
  const fast = ['--innodb-flush-log-at-trx-commit=0', '--innodb-doublewrite=0', '--innodb-buffer-pool-size=64M'];
  const own = [...inFolder(data), `--socket=${socket}`, '--skip-networking'];
  const server = start('mariadbd', [...own, ...fast, '--innodb-log-file-size=16M', '--skip-log-bin'], {});
  const errors: string[] = [];
  server.stderr?.on('data', (chunk: Buffer) => errors.push(String(chunk)));
  for (let tries = 0; !existsSync(socket); tries++) {
    if (server.exitCode !== null || tries > 600) throw new Error(`mariadbd did not start: ${errors.join('')}`);
    await pause(50);
  }
  return server;
}

/** Returns a prepared site and database folder. It makes them again if a file of the installation changes. */
async function prepare(): Promise<string> {
  const hash = createHash('sha256')
    .update(ROOT)
    .update(readFileSync(join(WORDPRESS, 'wp-includes/version.php')));
  const files = ['wordpress.ts', 'install.php', 'prepare.php', 'wp-config.php', 'stand-in/store.php'];
  for (const file of files) hash.update(readFileSync(join(HERE, file)));
  const ready = join(CACHE, hash.digest('hex').slice(0, 16));
  if (existsSync(ready)) return ready;
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(join(CACHE, 'new-'));
  const site = join(made, 'site');
  mkdirSync(site);
  // Languages stay outside, and the folder of contents is new.
  for (const name of readdirSync(WORDPRESS)) {
    if (name === '.htaccess' || name === 'wp-config.php' || name === 'wp-content') continue;
    cpSync(join(WORDPRESS, name), join(site, name), { recursive: true, dereference: true });
  }
  for (const folder of ['themes', 'plugins', 'mu-plugins'])
    mkdirSync(join(site, 'wp-content', folder), { recursive: true });
  cpSync(THEME, join(site, 'wp-content/themes/twentytwentythree'), { recursive: true, dereference: true });
  symlinkSync(join(ROOT, 'packages/woocommerce'), join(site, 'wp-content/plugins/balcao'));
  symlinkSync(join(HERE, 'stand-in'), join(site, 'wp-content/plugins/woocommerce'));
  symlinkSync(join(HERE, 'control.php'), join(site, 'wp-content/mu-plugins/control.php'));
  cpSync(join(HERE, 'wp-config.php'), join(site, 'wp-config.php'));
  const data = join(made, 'data');
  run('mariadb-install-db', [
    ...inFolder(data),
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--innodb-log-file-size=16M',
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'wp-'));
  const socket = join(folder, 'db.sock');
  const database = await startMariaDb(data, socket);
  run('php', ['-r', `(new mysqli('localhost', 'root', '', '', 0, '${socket}'))->query('create database wordpress');`]);
  const env = { WORDPRESS_SOCKET: socket, WORDPRESS_URL: 'http://127.0.0.1', WORDPRESS_MAILS: '/dev/null' };
  run('php', [join(HERE, 'install.php'), site], env);
  run('php', [join(HERE, 'prepare.php'), site], env);
  const stopped = once(database, 'exit');
  database.kill('SIGTERM');
  await stopped;
  rmSync(folder, { recursive: true });
  for (const name of readdirSync(CACHE)) {
    const isOld = statSync(join(CACHE, name)).mtimeMs < Date.now() - 86_400_000;
    if (isOld && join(CACHE, name) !== made) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
  try {
    renameSync(made, ready);
  } catch {
    // Another worker was first.
    rmSync(made, { recursive: true });
  }
  return ready;
}

export type WordPress = Awaited<ReturnType<typeof startWordPress>>;

/** Starts the site on a copy of the prepared database. `storage`: tables of their own for orders, or posts. */
export async function startWordPress({ port, storage = 'hpos' }: { port?: number; storage?: 'hpos' | 'posts' } = {}) {
  const prepared = await prepare();
  const folder = mkdtempSync(join(tmpdir(), 'wp-'));
  const [socket, mails, log] = ['db.sock', 'mails', 'log'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  cpSync(join(prepared, 'data'), join(folder, 'data'), { recursive: true });
  const database = await startMariaDb(join(folder, 'data'), socket);
  const own = port ?? (await freePort());
  const url = `http://127.0.0.1:${own}`;
  const env = {
    PHP_CLI_SERVER_WORKERS: String(WORKERS),
    WORDPRESS_SOCKET: socket,
    WORDPRESS_URL: url,
    WORDPRESS_MAILS: mails,
    WORDPRESS_LOG: log,
  };
  const site = join(prepared, 'site');
  const cached = ['-d', 'opcache.enable_cli=1', '-d', 'opcache.validate_timestamps=0', '-d', 'error_log=' + log];
  const server = start('php', [...cached, '-S', `127.0.0.1:${own}`, '-t', site, join(HERE, 'router.php')], env);
  server.stderr?.resume();
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${url}/wp-json/`).catch(() => null);
    if (answer?.ok) break;
    if (tries > 1_200 || server.exitCode !== null)
      throw new Error(`WordPress does not answer: ${await answer?.text()}`);
    await pause(50);
  }
  /** Runs a command of control.php. */
  async function control<T = any>(command: { do: string; [name: string]: unknown }): Promise<T> {
    const answer = await fetch(`${url}/?control`, { method: 'POST', body: JSON.stringify(command) });
    const text = await answer.text();
    const read = text.startsWith('{')
      ? (JSON.parse(text) as { result?: T; error?: string })
      : { error: text.slice(0, 500) };
    if (read.error !== undefined) throw new Error(`${command.do}: ${read.error}`);
    return read.result as T;
  }
  await control({
    do: 'options',
    options: { woocommerce_custom_orders_table_enabled: storage === 'hpos' ? 'yes' : 'no' },
  });
  return {
    url,
    control,
    /** The mails that the site has sent. */
    mails: (): { to: string; subject: string; message: string }[] =>
      existsSync(mails)
        ? readFileSync(mails, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    /** The notices, warnings and errors of PHP, and the log of the plug-in. */
    log: () => (existsSync(log) ? readFileSync(log, 'utf8') : '').replace(/^.*\/wp-(includes|admin)\/.*\n/gm, ''),
    async stop() {
      await end(server);
      await end(database);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
