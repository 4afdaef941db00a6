import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { startTestApp, until } from '../../support/app.ts';
import { emptyDatabase } from '../../support/database.ts';
import { create, purchase, travelToStatus } from '../../support/payments.ts';
import { readScrape } from '../../support/scrape.ts';
import { stopLater } from '../../support/stop-later.ts';

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;

/** Starts PgBouncer before the server of a URL, and returns the URL of the same database behind it. */
async function startPooler(to: string): Promise<string> {
  const { hostname, port, username, password } = new URL(to);
  const [own, dir] = [await freePort(), mkdtempSync(join(tmpdir(), 'balcao-pooler-'))];
  const config = `
[databases]
* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = 20
`;
  writeFileSync(join(dir, 'pgbouncer.ini'), config);
  chmodSync(dir, 0o755);
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', [...user, join(dir, 'pgbouncer.ini')], { stdio: 'ignore' });
  stopLater({
    stop() {
      child.kill('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`);
    return new Promise<boolean>((resolve) => {
      const socket = connect(own, '127.0.0.1', () => (socket.destroy(), resolve(true)));
      socket.on('error', () => resolve(false));
    });
  }, 'PgBouncer listening');
  return Object.assign(new URL(to), { host: `127.0.0.1:${own}` }).href;
}

test.skipIf(!isInstalled)(
  'a gateway behind a session pooler migrates, creates a payment and keeps its settings',
  async () => {
    const empty = await emptyDatabase();
    const app = await startTestApp({ databaseUrl: await startPooler(empty.url) });
    const payment = await create(app, purchase('900000000'));
    await travelToStatus(app, payment.id, 'Paid');
    expect((await app.call('/api/payments.csv')).text).toContain(`;${payment.id};`);
    // Six connections: some of them are new.
    const settings = await Promise.all(
      Array.from({ length: 6 }, () =>
        app.sql(`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle, pg_sleep(0.02)`),
      ),
    );
    for (const [row] of settings) expect(row).toMatchObject({ statement: '10s', idle: '15s' });
    expect((await readScrape(app.url)).value('balcao_database_connections')).toBeGreaterThan(0);
    await app.stop();
    await empty.drop();
  },
);
