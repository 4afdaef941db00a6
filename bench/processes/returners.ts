// Readers of many streams who come back as browsers do: when a node ends theirs, after as long as it said, to where a balancer sends them.
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../child.ts';

/** When each reader lost its stream and when it had its session again, in ms of this process. */
export type Return = { lostAt: number; backAt: number };

const OPENING_AT_ONCE = 64;
/** What a browser waits where it was not told. */
const UNTOLD_MS = 3_000;

const returns: Return[] = [];
let failed = 0;
let goTo = '';

serveParent({
  /** Opens a stream of each path and waits for the first event of all. */
  async open({ url, paths }: { url: string; paths: string[] }): Promise<void> {
    const left = [...paths];
    const openNext = async () => {
      for (let path = left.pop(); path; path = left.pop()) await openStream(url, path);
    };
    await Promise.all(Array.from({ length: OPENING_AT_ONCE }, openNext));
  },
  /** Who loses a stream from now on goes there. */
  send({ url }: { url: string }): void {
    goTo = url;
  },
  count: (): number => returns.length,
  collect: (): { returns: Return[]; failed: number } => ({ returns, failed }),
});

/** Resolves with its first event; comes back for ever. */
function openStream(url: string, path: string, lostAt: number | null = null): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setEncoding('latin1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
  let text = '';
  let isOpen = false;
  return new Promise((resolve) => {
    socket.on('data', (chunk: string) => {
      text = (text + chunk).slice(-4_096);
      if (isOpen || !text.includes('event: session')) return;
      isOpen = true;
      if (lostAt !== null) returns.push({ lostAt, backAt: performance.now() });
      resolve();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      const at = performance.now();
      if (!isOpen) failed++;
      const told = [...text.matchAll(/retry: (\d+)\n/g)].at(-1)?.[1];
      const waitMs = told === undefined ? UNTOLD_MS : Number(told);
      void pause(waitMs)
        .then(() => openStream(goTo || url, path, lostAt ?? at))
        .then(resolve);
    });
  });
}
