// The host of a merchant's rail account, with responses of the test.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';
import { stopLater } from './stop-later.ts';

export type HostCall = { method: string; path: string; body: string };
export type HostileHost = Awaited<ReturnType<typeof startHost>>;

/** Starts the host, which stops after the file. A call that `answer` ignores has no response. */
export async function startHost(answer: (call: HostCall, res: ServerResponse) => void) {
  const calls: HostCall[] = [];
  const server = createServer(async (req: IncomingMessage, res) => {
    const chunks = await req.toArray().catch(() => []);
    const call = { method: req.method ?? '', path: req.url ?? '', body: Buffer.concat(chunks).toString() };
    calls.push(call);
    answer(call, res);
  });
  return stopLater({
    url: await listen(server),
    calls,
    stop: () => server.close().closeAllConnections(),
  });
}

/** Responds with JSON. */
export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(typeof value === 'string' ? value : JSON.stringify(value));
}
