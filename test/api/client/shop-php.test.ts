// Runs the sample shop in plain PHP (docs/shop/php) on MariaDB, and the first program of packages/php/README.md.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { startTestApp } from '../../support/app.ts';
import { startMariadb } from '../../support/mariadb.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';
import { SCRATCH } from '../../support/scratch.ts';
import { expectShipments, registerShop } from '../../support/shop-orders.ts';
import { ROOT } from '../../support/source.ts';
import { stopLater } from '../../support/stop-later.ts';

const PACKAGE = join(ROOT, 'packages/php');
const isInstalled = ['php', 'mariadbd'].every((program) => spawnSync(program, ['--version']).status === 0);

if (process.env['CI'] === 'true')
  test('the CI environment has PHP and MariaDB', () => {
    expect(isInstalled, 'install php-cli php-curl php-mysql mariadb-server').toBe(true);
  });

/** Makes a folder with the client's source as `balcao`. */
function makeFolder(): string {
  const folder = mkdtempSync(join(SCRATCH, 'balcao-php-'));
  symlinkSync(join(PACKAGE, 'src'), join(folder, 'balcao'));
  return stopLater({ folder, stop: () => rmSync(folder, { recursive: true, force: true }) }).folder;
}

describe.skipIf(!isInstalled)('the PHP package', () => {
  test('runs the first program of its page', async () => {
    // The client waits in real time.
    const app = await startTestApp({ clock: systemClock });
    const folder = makeFolder();
    const [, program = ''] = /```php\n(<\?php[^]*?)```/.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8'))!;
    const here = program.replace('../balcao/packages/php/src', 'balcao').replace('http://localhost:8080', app.url);
    writeFileSync(join(folder, 'first.php'), here);
    const { stdout } = await promisify(execFile)('php', ['first.php'], { cwd: folder });
    expect(stdout).toBe('PHP-1 is Paid: 1500.00 AOA\n');
  });

  test('has a sample shop that ships each order once, paid by push, QR code or reference', async () => {
    const [app, mariadb] = await Promise.all([
      startTestApp({ env: RECEIVER_ENV, clock: systemClock }),
      startMariadb('shop'),
    ]);
    const cwd = makeFolder();
    cpSync(join(ROOT, 'docs/shop/php/shop.php'), join(cwd, 'shop.php'));
    const { url, env: settings } = await registerShop(app);
    const DATABASE = `mysql:host=127.0.0.1;port=${mariadb.port};dbname=shop`;
    // Notifications and buyers come at the same time.
    const env = { ...process.env, ...settings, DATABASE, TMPDIR: cwd, PHP_CLI_SERVER_WORKERS: '6' };
    execFileSync('php', ['shop.php', 'install'], { cwd, env });
    const server = spawn('php', ['-S', new URL(url).host, 'shop.php'], { cwd, env, stdio: 'ignore', detached: true });
    const exited = once(server, 'exit');
    // The server's workers are processes of its group.
    stopLater({ stop: () => (process.kill(-server.pid!, 'SIGKILL'), exited) });
    await expectShipments(app, {
      url,
      readShipped: () => mariadb.query('select shipped from orders').flat(),
      readFeed: () => promisify(execFile)('php', ['shop.php', 'cron'], { cwd, env }),
    });
  });
});
