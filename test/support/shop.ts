// The guide's sample shop (docs/shop) as a process of its own: started, killed, started again on what it had written.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../server/database/embedded/start.ts';
import { until } from './app.ts';
import { shellEnv } from './shell.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** On its shelf at the start. */
export const STOCK = 1000;

export type Order = { id: string; way: string; payment_id: string; reference: string };

export type Shop = {
  url: string;
  /** The file of its database. */
  database: string;
  /** Everything it wrote. */
  output(): string;
  order(id: string): Order;
  /** Changes what the shop has written. */
  write(sql: string, ...values: string[]): void;
  /** Orders that were shipped, and what is missing on the shelf because of them. */
  readGoods(): { shipped: string[]; gone: number };
  /** How far it has read the feed; '0': not at all. */
  readCursor(): string;
  /** kill -9, and started again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Runs `command` as the shop, on a port and a database file of its own. */
export async function startShop(
  env: Record<string, string>,
  command: (url: string) => [string, ...string[]] = () => [process.execPath, 'docs/shop/server.mjs'],
): Promise<Shop> {
  const folder = await mkdtemp(join(tmpdir(), 'shop-'));
  const file = join(folder, 'shop.db');
  const url = `http://localhost:${await freePort()}`;
  let output = '';
  const start = async () => {
    const [program, ...given] = command(url);
    const started = spawn(program, given, { cwd: ROOT, env: { ...shellEnv(), SHOP: url, DATABASE: file, ...env } });
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    await until(async () => {
      if (started.exitCode !== null) throw new Error(`the shop ended: ${output}`);
      return fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
    }, 'the shop being open');
    return started;
  };
  const kill = async (running: ChildProcess) => {
    const gone = once(running, 'exit');
    running.kill('SIGKILL');
    await gone;
  };
  let child = await start();
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const one = (sql: string, ...values: string[]): any => database.prepare(sql).get(...values);
  return {
    url,
    database: file,
    output: () => output,
    write: (sql, ...values) => void database.prepare(sql).run(...values),
    order: (id) => one('select * from orders where id = ?', id),
    readGoods: () => ({
      shipped: database
        .prepare('select order_id from shipments order by 1')
        .all()
        .map((row) => String(row['order_id'])),
      gone: STOCK - one("select pieces from stock where product = 'coffee'").pieces,
    }),
    readCursor: () => one('select next from feed')?.next ?? '0',
    async restart() {
      await kill(child);
      child = await start();
    },
    async stop() {
      await kill(child);
      database.close();
      await rm(folder, { recursive: true });
    },
  };
}
