// A PostgreSQL of a test's own, to be killed and stopped: the run's shared one stays up for everybody else.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedded, type Embedded } from '../../server/database/embedded/start.ts';
import { readPidFile } from '../../server/database/embedded/data-folder-lock.ts';
import { SCRATCH } from './scratch.ts';

export type OwnPostgres = {
  url: string;
  /** Its data, with its own configuration. */
  folder: string;
  /** kill -9 of the postmaster; it is started again by itself, under the same url. */
  kill(): void;
  /** How often it has come back by itself. */
  restarts(): number;
  /** In order, and for as long as a test wants. */
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
};

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dataDir = mkdtempSync(join(SCRATCH, 'balcao-own-'));
  let restarts = 0;
  const open = (port?: number): Promise<Embedded> =>
    startEmbedded({ dataDir, durable: false, ...(port && { port }), onRestart: () => restarts++ });
  let running = await open();
  return {
    url: running.url,
    folder: join(dataDir, 'postgres'),
    kill: () => void process.kill(Number.parseInt(readPidFile(join(dataDir, 'postgres'))[0] ?? '', 10), 'SIGKILL'),
    restarts: () => restarts,
    stop: () => running.stop(),
    async start() {
      running = await open(running.port);
    },
    async remove() {
      await running.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
