// Opens a test's own server on this machine.
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Opens the server on a free port, unless `port` is given, and returns its URL. */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
