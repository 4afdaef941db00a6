// Starts MariaDB with an empty folder on a free port. Tests of shops in PHP and Python use it.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './app.ts';
import { SCRATCH } from './scratch.ts';
import { stopLater } from './stop-later.ts';

/** Starts MariaDB and creates `database`. The user `root` has no password and reaches it from this machine only. */
export async function startMariadb(database: string) {
  const folder = mkdtempSync(join(SCRATCH, 'balcao-mariadb-'));
  const data = join(folder, 'data');
  const port = await freePort();
  const user = `--user=${userInfo().username}`;
  // A starting MariaDB deletes the temporary tables of its `tmpdir`, so each has a `tmpdir` of its own.
  const own = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${folder}`, user];
  const setUp = [...own, '--auth-root-authentication-method=normal', '--skip-test-db'];
  execFileSync('mariadb-install-db', setUp, { stdio: ['ignore', 'ignore', 'pipe'] });
  const settings = ['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${join(folder, 's')}`, '--skip-log-bin'];
  const fast = ['--innodb-flush-log-at-trx-commit=2', '--innodb-buffer-pool-size=32M', '--innodb-log-file-size=8M'];
  const server = spawn('mariadbd', [...own, ...settings, ...fast], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  server.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const mysql = (sql: string, ...more: string[]) =>
    spawnSync('mariadb', ['--no-defaults', '-h127.0.0.1', `-P${port}`, '-uroot', '-N', '-B', ...more, '-e', sql], {
      encoding: 'utf8',
    });
  await until(async () => {
    if (server.exitCode !== null) throw new Error(`MariaDB ended: ${output}`);
    return mysql(`create database if not exists ${database}`).status === 0;
  }, 'MariaDB being ready');
  return stopLater({
    port,
    /** Runs a query and returns its rows, each with its values as text. */
    query(sql: string): string[][] {
      const { status, stdout, stderr } = mysql(sql, database);
      if (status !== 0) throw new Error(`MariaDB: ${stderr}`);
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((row) => row.split('\t'));
    },
    async stop() {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  });
}
