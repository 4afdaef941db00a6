// A PostgreSQL of one test, which it kills and stops. The shared one stays up for the other tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedded, type Embedded } from '../../server/database/embedded/start.ts';
import { readPidFile } from '../../server/database/embedded/data-folder-lock.ts';
import { SCRATCH } from './scratch.ts';

export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;

export async function startOwnPostgres() {
  const dataDir = mkdtempSync(join(SCRATCH, 'balcao-own-'));
  let restarts = 0;
  const open = (port?: number): Promise<Embedded> =>
    startEmbedded({ dataDir, durable: false, ...(port && { port }), onRestart: () => restarts++ });
  let running = await open();
  return {
    url: running.url,
    /** Its data, with its own configuration. */
    folder: join(dataDir, 'postgres'),
    /** Kills the postmaster with -9. It starts again by itself under the same URL. */
    kill: () => void process.kill(Number.parseInt(readPidFile(join(dataDir, 'postgres'))[0] ?? '', 10), 'SIGKILL'),
    /** The number of starts after a kill. */
    restarts: () => restarts,
    /** Stops it in order until `start`. */
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
