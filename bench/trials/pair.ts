// Two PostgreSQL servers as a child process of the bench, so that both stop even if the bench is killed.
import { serveParent } from '../kit/child.ts';
import { startPair, type Pair } from '../../test/support/own-postgres.ts';

let pair: Pair | null = null;

for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => void Promise.resolve(pair?.stop()).finally(() => process.exit()));

serveParent({
  /** Returns a URL with the addresses of both servers. It connects to the server that accepts writes. */
  async start({ folder }: { folder: string }): Promise<string> {
    pair = await startPair(folder, true);
    const [first, second] = pair.instances.map(({ port }) => port);
    const url = pair.urlAt(first ?? 0).replace(`:${first}/`, `:${first},127.0.0.1:${second}/`);
    return `${url}?target_session_attrs=read-write`;
  },
  kill: () => pair?.kill(),
  promote: () => pair?.promote(),
  rejoin: () => pair?.rejoin(true),
  primaryUrl: () => pair?.urlAt(pair.primary()?.port ?? 0),
});
