// Server-sent events on the raw response. One heartbeat serves all streams, and slow readers are dropped.
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { Clock } from '../clock.ts';
import { tryLater } from './problem.ts';

export type Stream = {
  /** Sends an event as `writeEvent` made it, perhaps for many readers. */
  send(event: string): void;
  /** Resolves when the socket has taken all sent events, or the reader is gone. A sender of many events awaits it. */
  flushed(): Promise<void>;
  close(): void;
  /** Called once when the reader is gone or the stream was closed. */
  onClose(listener: () => void): void;
};

const HEARTBEAT_MS = 15_000;
/** The reader of an ended stream has this long to read the rest. */
const LEFT_UNREAD_MS = 10_000;
/** Released readers reconnect after half a second at least, spread over the next two and a half. */
const BACK_AFTER_MS = 500;
const BACK_WITHIN_MS = 2_500;
/** A reader that leaves this much unread is dropped; it reconnects and re-reads. */
const MAX_UNREAD_BYTES = 65_536;
/** Fewer unread bytes delay no sender. */
const FLUSHED_FROM = 16_384;

export type Streams = {
  /** @throws Problem service_unavailable when one of the shares is full: the reader polls instead */
  open(ctx: Context, shares: readonly Share[]): Stream;
  count(): number;
  /** Ends the readers one by one within this time, so that they reconnect to other nodes gradually. `hurry` ends the wait. */
  letGo(withinMs: number, hurry: AbortSignal): Promise<void>;
  /** Ends every stream with a hint to reconnect, each after another delay. */
  closeAll(): void;
};

/** A payment, merchant, person or address, and how many streams it may hold on this node (0: any number). */
export type Share = { of: string; most: number };

/** All open streams of this node, under one heartbeat. */
export function createStreams(clock: Clock, stopping: AbortSignal): Streams {
  const held = new Map<string, number>();
  const responses = new Set<ServerResponse>();
  void beat();
  async function beat(): Promise<void> {
    while (!stopping.aborted) {
      await clock.wait(HEARTBEAT_MS, stopping);
      for (const response of responses) write(response, ':\n\n');
    }
  }
  /** Ends a response once. A reader who does not take the rest is disconnected. */
  const end = (response: ServerResponse, last: string) => {
    if (response.writableEnded || response.destroyed) return;
    response.end(last);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void clock.wait(LEFT_UNREAD_MS, gone.signal).then(() => response.destroy());
  };
  /** Closes the connection too, because it leads to this node. A new one leads to a node that stays. */
  const sendAway = (response: ServerResponse) => {
    const { socket } = response;
    response.once('finish', () => socket?.end());
    end(response, `retry: ${BACK_AFTER_MS + Math.floor(Math.random() * BACK_WITHIN_MS)}\n\n`);
  };
  return {
    open(ctx, shares) {
      const isFull = shares.some(({ of, most }) => most > 0 && (held.get(of) ?? 0) >= most);
      if (isFull) throw tryLater('service_unavailable', 10);
      count(held, shares, 1);
      ctx.respond = false;
      const { res } = ctx;
      res.statusCode = 200;
      for (const [name, value] of Object.entries(STREAM_HEADERS)) if (!res.hasHeader(name)) res.setHeader(name, value);
      ctx.req.socket.setNoDelay(true);
      ctx.req.socket.setTimeout(0);
      res.flushHeaders();
      // The node may have begun to stop while the request was prepared. `closeAll` has run already.
      if (stopping.aborted) sendAway(res);
      // The retry hint spreads out readers who all lost the same node.
      write(res, `retry: ${1000 + Math.floor(Math.random() * 2000)}\n\n`);
      responses.add(res);
      whenClosed(res, () => {
        responses.delete(res);
        count(held, shares, -1);
      });
      return {
        send: (event) => write(res, event),
        flushed: () => drained(res),
        close: () => end(res, ''),
        onClose: (listener) => whenClosed(res, listener),
      };
    },
    count: () => responses.size,
    async letGo(withinMs, hurry) {
      // In the first fifth no balancer has noticed the stop, so readers would come back to this node.
      const restMs = withinMs * 0.8;
      await clock.wait(withinMs - restMs, hurry);
      for (const response of responses) void clock.wait(Math.random() * restMs).then(() => sendAway(response));
      await clock.wait(restMs, hurry);
    },
    closeAll() {
      for (const response of responses) sendAway(response);
    },
  };
}

function count(held: Map<string, number>, shares: readonly Share[], change: 1 | -1): void {
  for (const { of } of shares) {
    const now = (held.get(of) ?? 0) + change;
    if (now > 0) held.set(of, now);
    else held.delete(of);
  }
}

/** One event's bytes; data is a string without line breaks (JSON). */
export function writeEvent(event: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

/** Headers of a stream, unless the route has set others. */
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  Connection: 'keep-alive',
};

/** Calls the listener at once if the reader has left already, because no further event reports it. */
function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.closed) listener();
  else response.once('close', listener);
}

/** Writes a comment. Its callback runs when the socket has taken everything before it. */
function drained(response: ServerResponse): Promise<void> {
  if (response.writableLength < FLUSHED_FROM || response.writableEnded || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write(':\n\n', () => {
      response.off('close', resolve);
      resolve();
    });
  });
}

function write(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return;
  response.write(text);
  if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
}
