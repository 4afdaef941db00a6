// Readers of many streams at once: each notes when an event has arrived whole.
import { connect, type Socket } from 'node:net';
import { serveParent } from '../child.ts';
import { openWallClock } from '../wall.ts';

/** When an event of a stream arrived; streams are numbered in the order they were opened. */
export type Arrival = { stream: number; revision: number; at: number };

const OPENING_AT_ONCE = 64;

const wallMs = openWallClock();
const sockets: Socket[] = [];
let arrivals: Arrival[] = [];
let waiting: { count: number; resolve(): void } | null = null;

serveParent({
  /** Opens a stream of each path and waits for the first event of all. */
  async open({ url, paths }: { url: string; paths: string[] }): Promise<void> {
    const left = paths.map((path, nth) => ({ path, stream: sockets.length + nth })).reverse();
    const openNext = async (): Promise<void> => {
      for (let next = left.pop(); next; next = left.pop()) await openStream(url, next.path, next.stream);
    };
    await Promise.all(Array.from({ length: OPENING_AT_ONCE }, openNext));
    arrivals = [];
  },
  /** Answers the next arrivals, once there are so many. */
  async collect({ count }: { count: number }): Promise<Arrival[]> {
    if (arrivals.length < count) await new Promise<void>((resolve) => (waiting = { count, resolve }));
    return arrivals.splice(0, count);
  },
  /** Lets go of all streams but the first so many. */
  close({ keep }: { keep: number }): void {
    for (const socket of sockets.splice(keep)) socket.destroy();
  },
});

function openStream(url: string, path: string, stream: number): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  sockets[stream] = socket;
  socket.setEncoding('latin1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
  let unread = '';
  return new Promise((resolve, reject) => {
    socket.on('data', (text: string) => {
      unread += text;
      for (let end = unread.indexOf('\n\n'); end !== -1; end = unread.indexOf('\n\n')) {
        const event = unread.slice(0, end);
        unread = unread.slice(end + 2);
        if (!event.includes('event: session')) continue;
        noteArrival({ stream, revision: Number(/id: (\d+)/.exec(event)?.[1]), at: wallMs() });
        resolve();
      }
    });
    const fail = (): void => reject(new Error(`stream ${stream} was refused or cut: ${unread.slice(0, 100)}`));
    socket.on('error', fail);
    socket.on('close', fail);
  });
}

function noteArrival(arrival: Arrival): void {
  arrivals.push(arrival);
  if (!waiting || arrivals.length < waiting.count) return;
  waiting.resolve();
  waiting = null;
}
