// PostgreSQL as a child process of the bench, so that it stops even if the bench is killed.
import { startEmbedded, type Embedded } from '../../../server/database/embedded/start.ts';
import { serveParent } from '../child.ts';

let embedded: Embedded | null = null;

async function stop(): Promise<void> {
  await embedded?.stop();
  embedded = null;
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop().finally(() => process.exit()));

serveParent({
  async start(options: { dataDir: string }): Promise<string> {
    embedded = await startEmbedded(options);
    return embedded.url;
  },
  stop,
});
