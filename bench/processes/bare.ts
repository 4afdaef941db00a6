// The floor of the streams: node:http and nothing else, writing the gateway's bytes to every reader.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { once } from 'node:events';
import { serveParent } from '../child.ts';
import { openWallClock } from '../wall.ts';

const readers = new Set<ServerResponse>();
let event = '';

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(event);
  readers.add(response);
  response.on('close', () => readers.delete(response));
});

const wallMs = openWallClock();

serveParent({
  async listen(options: { event: string }): Promise<string> {
    event = options.event;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  /** One event at every reader; answers when the first was about to be written. */
  writeToAll(): number {
    const startedAt = wallMs();
    for (const response of readers) response.write(event);
    return startedAt;
  },
  /** So many events a second, each at one reader in turn; answers when each was written, by reader. */
  async writeInTurn({ perSecond }: { perSecond: number }): Promise<number[]> {
    const writtenAt: number[] = [];
    const startedAt = performance.now();
    for (const response of readers) {
      const waitMs = startedAt + (writtenAt.length * 1000) / perSecond - performance.now();
      if (waitMs > 0) await pause(waitMs);
      writtenAt.push(wallMs());
      response.write(event);
    }
    return writtenAt;
  },
});
