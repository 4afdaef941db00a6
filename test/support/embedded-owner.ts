// A process of its own that owns or attaches to the embedded database of a data folder, for the tests to kill.
// Prints one line, its url or the code of its refusal, then lives until it is killed (`own`), or ends at once in the way it is told.
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
