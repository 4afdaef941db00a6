// Runs the sample shop in plain Python (docs/shop/python), and the first program of packages/python/README.md.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { startTestApp } from '../../support/app.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';
import { SCRATCH } from '../../support/scratch.ts';
import { expectShipments, registerShop } from '../../support/shop-orders.ts';
import { ROOT } from '../../support/source.ts';
import { stopLater } from '../../support/stop-later.ts';

const PYTHON = '/usr/bin/python3';
const PACKAGE = join(ROOT, 'packages/python');
const isInstalled = spawnSync(PYTHON, ['--version']).status === 0;

function makeFolder(): string {
  const folder = mkdtempSync(join(SCRATCH, 'balcao-python-'));
  return stopLater({ folder, stop: () => rmSync(folder, { recursive: true, force: true }) }).folder;
}

/** Builds the package's wheel by its own backend, and returns the wheel's path. Python can import from a wheel. */
function buildWheel(folder: string): string {
  const build = `import sys
sys.path.insert(0, 'build_backend')
import backend
print(backend.build_wheel(sys.argv[1]))`;
  const options = { cwd: PACKAGE, encoding: 'utf8', env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } } as const;
  return join(folder, execFileSync(PYTHON, ['-c', build, folder], options).trim());
}

describe.skipIf(!isInstalled)('the Python package', () => {
  test('runs the first program of its page from the built wheel', async () => {
    // The client waits in real time.
    const app = await startTestApp({ clock: systemClock });
    const folder = makeFolder();
    const [, program = ''] = /```python\n(from balcao [^]*?)```/.exec(
      readFileSync(join(PACKAGE, 'README.md'), 'utf8'),
    )!;
    writeFileSync(join(folder, 'first.py'), program.replace('http://localhost:8080', app.url));
    const options = { cwd: folder, env: { ...process.env, PYTHONPATH: buildWheel(folder) } };
    const { stdout } = await promisify(execFile)(PYTHON, ['first.py'], options);
    expect(stdout).toBe('PY-1 is Paid 1500.00 AOA\n');
  });

  test('sends an exact Decimal as a number, and any other Decimal as text', () => {
    const program = `from decimal import Decimal
from balcao import amounts
exact, price = Decimal('1500.00') * Decimal('1.00'), Decimal('0.50')
print(amounts.encode({'amount': exact, 'items': [{'amount': Decimal('0.005')}], 'custom': {'price': price}}).decode())`;
    const env = { ...process.env, PYTHONPATH: join(PACKAGE, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
    const sent = JSON.parse(execFileSync(PYTHON, ['-c', program], { encoding: 'utf8', env }));
    expect(sent).toEqual({ amount: 1500, items: [{ amount: '0.005' }], custom: { price: '0.50' } });
  });

  test('has a sample shop that ships each order once, paid by push, QR code or reference', async () => {
    const app = await startTestApp({ env: RECEIVER_ENV, clock: systemClock });
    const folder = makeFolder();
    const { url, env: settings } = await registerShop(app);
    const database = join(folder, 'shop.sqlite');
    const paths = { PYTHONPATH: join(PACKAGE, 'src'), PYTHONDONTWRITEBYTECODE: '1', DATABASE: database };
    const env = { ...process.env, ...paths, ...settings };
    const shop = [join(ROOT, 'docs/shop/python/shop.py')];
    const server = spawn(PYTHON, shop, { env, stdio: 'ignore' });
    const exited = once(server, 'exit');
    stopLater({ stop: () => (server.kill('SIGKILL'), exited) });
    const count = `import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute('select group_concat(shipped) from orders').fetchone()[0])`;
    await expectShipments(app, {
      url,
      readShipped: () => execFileSync(PYTHON, ['-c', count, database], { encoding: 'utf8' }).trim().split(','),
      readFeed: () => promisify(execFile)(PYTHON, [...shop, 'read-feed'], { env }),
    });
  });
});
