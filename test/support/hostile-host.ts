// The host of a merchant's rail account, with responses of the test.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopLater } from './stop-later.ts';

export type HostCall = { method: string; path: string; body: string };
export type HostileHost = { url: string; calls: HostCall[]; stop(): Promise<void> };

/** Starts the host, which stops after the file. A call that `answer` ignores has no response. */
export async function startHost(answer: (call: HostCall, res: ServerResponse) => void): Promise<HostileHost> {
  const calls: HostCall[] = [];
  const server = createServer(async (req: IncomingMessage, res) => {
    const chunks = await req.toArray().catch(() => []);
    const call = { method: req.method ?? '', path: req.url ?? '', body: Buffer.concat(chunks).toString() };
    calls.push(call);
    answer(call, res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return stopLater({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  });
}

/** Responds with JSON. */
export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(typeof value === 'string' ? value : JSON.stringify(value));
}
