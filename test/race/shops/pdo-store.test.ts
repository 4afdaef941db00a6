// `Balcao\PdoStore` of packages/php on MariaDB.
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startMariadb } from '../../support/mariadb.ts';
import { ROOT } from '../../support/source.ts';

const isInstalled = ['php', 'mariadbd'].every((program) => spawnSync(program, ['--version']).status === 0);

/** Runs the work of a payment once, in a process of PHP. The work writes a row, waits, and may throw. */
const PROGRAM = `
  require '${join(ROOT, 'packages/php/src/autoload.php')}';
  $pdo = new PDO("mysql:host=127.0.0.1;port=$argv[1];dbname=shop", 'root', '');
  $store = new Balcao\\PdoStore($pdo);
  $store->createTable();
  echo json_encode($store->once('payment', function () use ($pdo, $argv) {
      $pdo->exec('insert into shipments values (1)');
      usleep(50000);
      if ($argv[2] === 'throw') throw new Exception('the work failed');
  }));`;

const once = async (port: number, mode: string) =>
  (await promisify(execFile)('php', ['-r', PROGRAM, String(port), mode])).stdout;

describe.skipIf(!isInstalled)('PdoStore', () => {
  test('undoes the work that throws, and runs it once in eight concurrent processes', async () => {
    const mariadb = await startMariadb('shop');
    mariadb.query('create table shipments (pieces int)');
    const count = () => Number(mariadb.query('select count(*) from shipments')[0]![0]);
    await expect(once(mariadb.port, 'throw')).rejects.toThrow('the work failed');
    expect(count()).toBe(0);
    const ran = await Promise.all(Array.from({ length: 8 }, () => once(mariadb.port, 'work')));
    expect(ran.toSorted()).toEqual([...Array(7).fill('false'), 'true']);
    expect(count()).toBe(1);
  });
});
