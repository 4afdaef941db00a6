// The SMS rail of the bench (docs/rail.md): takes every message at once, and remembers when each came.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from '../child.ts';
import { openWallClock } from '../wall.ts';

/** When a message was there, whole. */
export type Carried = { to: string; at: number };

const wallMs = openWallClock();
let carried: Carried[] = [];
let reached: () => void = () => {};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => (body += text));
  request.on('end', () => {
    const at = wallMs();
    const { id, sender, to } = JSON.parse(body) as { id: string; sender: string; to: string };
    const now = new Date().toISOString();
    const told = JSON.stringify({ id, status: 'SENT', reason: null, sender, to, createdAt: now, decidedAt: null });
    response.writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': told.length }).end(told);
    carried.push({ to, at });
    reached();
  });
});
server.keepAliveTimeout = 75_000;

serveParent({
  async listen(): Promise<string> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  /** What came since the last time, once it is so much. */
  async collect({ count }: { count: number }): Promise<Carried[]> {
    while (carried.length < count) await new Promise<void>((resolve) => (reached = resolve));
    const all = carried;
    carried = [];
    return all;
  },
});
