// Readers of many event streams. For each whole event, the arrival time is recorded.
import { connect, type Socket } from 'node:net';
import { serveParent } from '../child.ts';
import { openWallClock, runCounted } from '../load.ts';

/** The arrival of an event. Streams are numbered in the order in which `open` opened them. */
export type StreamArrival = { stream: number; at: number };

const OPENING_CONCURRENCY = 64;

const wallMs = openWallClock();
const sockets: Socket[] = [];
let arrivals: StreamArrival[] = [];
let onArrival: () => void = () => {};

serveParent({
  /** Opens a stream for each path, and waits for the first event of each stream. */
  async open({ url, paths }: { url: string; paths: string[] }): Promise<void> {
    const load = { concurrency: OPENING_CONCURRENCY, count: paths.length };
    await runCounted(load, (nth) => openStream(url, paths[nth] as string, nth));
    arrivals = [];
  },
  /** Returns the events since the last call, as soon as there are `count`. */
  async collect({ count }: { count: number }): Promise<StreamArrival[]> {
    while (arrivals.length < count) await new Promise<void>((resolve) => (onArrival = resolve));
    return arrivals.splice(0, count);
  },
  close(): void {
    for (const socket of sockets.splice(0)) socket.destroy();
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
        arrivals.push({ stream, at: wallMs() });
        onArrival();
        resolve();
      }
    });
    const fail = (): void => reject(new Error(`stream ${stream} was refused or cut: ${unread.slice(0, 100)}`));
    socket.on('error', fail);
    socket.on('close', fail);
  });
}
