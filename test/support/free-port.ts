// Free ports for servers that start later than the test chooses the port, or that start again on it.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The kernel gives ports from 32768 on to sockets without a chosen port, so it gives no port of this range away. */
const FIRST = 12_000;
/** Each worker of a run has ports of its own. */
const OF_WORKER = 2_000;
const WORKER = Number(process.env['VITEST_POOL_ID'] ?? 0) % 10;

let nth = randomInt(OF_WORKER);

/** Returns a free port on the loopback interface. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + WORKER * OF_WORKER + (nth++ % OF_WORKER);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
