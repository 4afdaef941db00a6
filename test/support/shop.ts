// The guide's sample shop (docs/shop) as a process that can be killed and restarted on its files.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { until } from './app.ts';
import { makeProject, shellEnv } from './project.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type Order = { id: string; way: string; paymentId: string; reference: string };

export type Shop = Awaited<ReturnType<typeof startShop>>;

/** The oldest Node of this machine that the README supports, else the Node of this process. */
export const OLDEST_NODE = findOldestNode();

function findOldestNode(): { file: string; major: number } {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  const files = [process.execPath, ...onPath.filter((file) => existsSync(file))];
  const found = files.map((file) => {
    const { stdout } = spawnSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' });
    return { file, major: Number.parseInt(stdout, 10) };
  });
  const taken = found.filter(({ major }) => major >= 20).toSorted((one, other) => one.major - other.major);
  return taken[0] ?? { file: process.execPath, major: NaN };
}

/** A project of the guide with the sample shop. */
export async function makeShop(): Promise<string> {
  const project = await makeProject();
  cpSync(join(ROOT, 'docs/shop'), join(project, 'shop'), { recursive: true });
  return project;
}

/** Runs `command` in the project as the shop, on a free port and in a new folder. */
export async function startShop(
  project: string,
  env: Record<string, string>,
  command: (url: string) => [string, ...string[]] = () => [OLDEST_NODE.file, 'shop/server.mjs'],
) {
  const folder = await mkdtemp(join(tmpdir(), 'shop-'));
  const url = `http://localhost:${await freePort()}`;
  let output = '';
  const start = async () => {
    const [program, ...given] = command(url);
    const started = spawn(program, given, { cwd: project, env: { ...shellEnv(), SHOP: url, DATA: folder, ...env } });
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
  const data = env['DATA'] ?? folder;
  const fileOf = (table: string, key: string) => join(data, table, `${key}.json`);
  const read = (table: string, key: string): any => {
    const file = fileOf(table, key);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  };
  return {
    url,
    data,
    output: () => output,
    order: (id: string): Order => read('payments', id) ?? read('orders', id),
    /** Deletes the payment of an order, as if the shop had died before it stored the response. */
    forgetPayment({ id, paymentId, reference }: Order) {
      for (const name of [paymentId, reference]) rmSync(fileOf('known', name));
      rmSync(fileOf('payments', id));
    },
    /** Returns the shipped orders and the number of items in each. */
    readGoods() {
      const shipped = readdirSync(join(data, 'shipments')).map((file) => file.replace('.json', ''));
      const gone: number = shipped.reduce((sum, id) => sum + read('shipments', id).pieces, 0);
      return { shipped: shipped.toSorted(), gone };
    },
    /** Returns how many times this process has shipped the order. */
    countShipped: (id: string) => output.split('\n').filter((line) => line === `shipped: ${id}`).length,
    /** Reads the shop's stored position in the event feed. '0' if the shop has read nothing. */
    readCursor: (): string => read('feed', 'cursor')?.next ?? '0',
    /** Kills the shop's process with kill -9 and starts another on the same files. */
    async restart() {
      await kill(child);
      child = await start();
    },
    async stop() {
      await kill(child);
      await rm(folder, { recursive: true });
    },
  };
}
