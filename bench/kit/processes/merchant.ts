// The merchants' server: confirms every webhook and callback, and records the arrival time of each.
import { createServer } from 'node:http';
import { serveParent } from '../child.ts';
import { listenLocally } from '../http.ts';
import { openWallClock } from '../load.ts';

/** A delivery by the id of its payment or transaction, and the arrival time of its last byte. */
export type Arrival = { id: string; at: number };

const CONFIRMED = JSON.stringify({ Success: true, Obs: 'ok', Id: '1' });
const HEADERS = { 'Content-Type': 'application/json', 'Content-Length': String(CONFIRMED.length) };

const wallMs = openWallClock();
let arrivals: Arrival[] = [];
let onArrival: () => void = () => {};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => (body += text));
  request.on('end', () => {
    const at = wallMs();
    response.writeHead(200, HEADERS).end(CONFIRMED);
    const id = /"paymentId":"([^"]+)"/.exec(body) ?? /"id":"([^"]+)"/i.exec(body);
    arrivals.push({ id: id?.[1] ?? '', at });
    onArrival();
  });
});

serveParent({
  listen: () => listenLocally(server),
  /** Returns the deliveries since the last call, as soon as there are `count`. */
  async collect({ count }: { count: number }): Promise<Arrival[]> {
    while (arrivals.length < count) await new Promise<void>((resolve) => (onArrival = resolve));
    const collected = arrivals;
    arrivals = [];
    return collected;
  },
});
