// Opens a test's own server on this machine.
import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { freePort } from './free-port.ts';

/**
 * Opens the server on a free port, unless `port` is given, and returns its URL.
 * The kernel could choose the port of a server that has stopped, and a node may still call that server.
 */
export async function listen(server: Server, port?: number): Promise<string> {
  // Like the gateway, the server keeps idle connections open, so that they do not close during their next use.
  if (server instanceof HttpServer) server.keepAliveTimeout = 75_000;
  server.listen(port ?? (await freePort()), '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
