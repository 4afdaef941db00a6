// A process that owns the embedded database of a data folder or attaches to it. Tests kill it.
// The process prints the database URL or the error code. With `own` it runs until a test kills it, else it ends.
import { attachEmbedded, startEmbedded } from '../../server/database/embedded/start.ts';

const [dataDir = '', mode = 'own'] = process.argv.slice(2);

if (mode === 'attach') {
  console.log((await attachEmbedded(dataDir))?.url ?? 'none');
} else {
  const started = await startEmbedded({ dataDir, durable: false }).catch((error: { code?: string }) => error);
  console.log('url' in started ? started.url : started.code);
  if ('url' in started && mode === 'own') setInterval(() => {}, 60_000);
  if (mode === 'crash') throw new Error('a crash on purpose');
}
