// The merchants of the bench: one server that confirms every callback and remembers when each came; some of its paths hang.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from '../child.ts';
import { openWallClock } from '../wall.ts';

/** When a callback was there, whole. */
export type Arrived = { id: string; path: string; at: number };

const TAKEN = JSON.stringify({ Success: true, Obs: 'ok', Id: '1' });
const HEADERS = { 'Content-Type': 'application/json', 'Content-Length': String(TAKEN.length) };

const wallMs = openWallClock();
let hanging = new Set<string>();
let arrived: Arrived[] = [];
let count = 0;
let reached: () => void = () => {};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => (body += text));
  request.on('end', () => {
    const path = request.url ?? '';
    const at = wallMs();
    if (!hanging.has(path)) response.writeHead(200, HEADERS).end(TAKEN);
    arrived.push({ id: /"(?:id|Id)":"([^"]+)"/.exec(body)?.[1] ?? '', path, at });
    count++;
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
  hang({ paths }: { paths: string[] }): void {
    hanging = new Set(paths);
  },
  /** What came since the last time, once it is so much. */
  async collect(options: { count: number }): Promise<Arrived[]> {
    while (arrived.length < options.count) await new Promise<void>((resolve) => (reached = resolve));
    const all = arrived;
    arrived = [];
    return all;
  },
  /** How many came so far. */
  count: (): number => count,
});
