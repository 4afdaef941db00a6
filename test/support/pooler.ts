// A PgBouncer of a test's own before the run's PostgreSQL, where the machine has one.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../server/database/embedded/start.ts';
import { until } from './app.ts';
import { stopLater } from './stop-later.ts';

/** As `1.18`; null: there is none. */
export const POOLER_VERSION = /PgBouncer (\d+\.\d+)/.exec(
  spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout ?? '',
)?.[1];

/** From 1.21 on prepared statements live through transactions. */
export const keepsPrepared = Number(POOLER_VERSION?.split('.')[1] ?? 0) >= 21;

export type Pooler = {
  /** Leads to the database of `url`, by its name. */
  urlOf(url: string): string;
  stop(): void;
};

type PoolerOptions = { mode: 'session' | 'transaction'; lines?: string[]; connectQuery?: string };

export async function startPooler(to: string, { mode, lines = [], connectQuery }: PoolerOptions): Promise<Pooler> {
  const { hostname, port, username, password } = new URL(to);
  const [own, dir] = [await freePort(), mkdtempSync(join(tmpdir(), 'balcao-pooler-'))];
  const query = connectQuery ? ` connect_query='${connectQuery}'` : '';
  const config = `
[databases]
* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}${query}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 15
${lines.join('\n')}
`;
  writeFileSync(join(dir, 'pgbouncer.ini'), config);
  // It refuses to be root.
  const asWhom = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  chmodSync(dir, 0o755);
  const child = spawn('pgbouncer', [...asWhom, join(dir, 'pgbouncer.ini')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk));
  const pooler = stopLater({
    urlOf: (url: string) => Object.assign(new URL(url), { host: `127.0.0.1:${own}` }).href,
    stop() {
      child.kill('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said}`);
    return new Promise<boolean>((resolve) => {
      const socket = connect(own, '127.0.0.1', () => (socket.destroy(), resolve(true)));
      socket.on('error', () => resolve(false));
    });
  }, 'PgBouncer listening');
  return pooler;
}
