// The floor of streams: a bare node:http server that writes the gateway's bytes to every reader.
import { createServer, type ServerResponse } from 'node:http';
import { serveParent } from '../child.ts';
import { listenLocally } from '../http.ts';
import { openWallClock, runPaced, type PacedLoad } from '../load.ts';

const wallMs = openWallClock();
/** The readers of the bare server, by the number in the path. */
const readers = new Map<number, ServerResponse>();
let event = '';

const server = createServer(({ url = '' }, response) => {
  const stream = Number(url.slice(1));
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(event);
  readers.set(stream, response);
  response.on('close', () => readers.delete(stream));
});

serveParent({
  listen(options: { event: string }): Promise<string> {
    ({ event } = options);
    return listenLocally(server);
  },
  /** Writes one event to every reader. Returns the time before the first write. */
  writeToAll(): number {
    const startedAt = wallMs();
    for (const response of readers.values()) response.write(event);
    return startedAt;
  },
  /** Writes one event to each of `count` readers. Returns the time of each write. */
  async writeInTurn({ first, ...load }: PacedLoad & { first: number }): Promise<number[]> {
    const times: number[] = [];
    await runPaced(load, async (nth) => {
      times.push(wallMs());
      readers.get(first + nth)?.write(event);
    });
    return times;
  },
});
