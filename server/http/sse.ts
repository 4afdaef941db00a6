// Server-sent events on the raw response. One timer sends the heartbeats of all streams. Slow readers are disconnected.
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { Clock } from '../clock.ts';
import { tryLater } from './problem.ts';

export type Stream = {
  /** Sends the text of an event (`writeEvent`). Several streams may share one text. */
  send(event: string): void;
  /** Resolves when the socket has accepted all sent events, or the reader disconnects. Await it between many events. */
  flushed(): Promise<void>;
  close(): void;
  /** Calls the listener once, when the reader disconnects or the stream is closed. */
  onClose(listener: () => void): void;
};

const HEARTBEAT_MS = 15_000;
/** The time in which the reader of an ended stream must read the rest. */
const LEFT_UNREAD_MS = 10_000;
/**
 * The shortest wait before readers of a stopping node reconnect.
 * A random time of up to two and a half seconds is added.
 */
const RECONNECT_MIN_MS = 500;
const RECONNECT_SPREAD_MS = 2_500;
/** The most unread bytes. A reader with more is disconnected. It reconnects and reads the events again. */
const MAX_UNREAD_BYTES = 65_536;
/** While fewer bytes than this are unread, `flushed` resolves immediately. */
const FLUSHED_FROM = 16_384;

export type Streams = {
  /**
   * Opens a stream.
   * @throws Problem service_unavailable if a limit is reached; the reader then polls
   */
  open(ctx: Context, shares: readonly Share[]): Stream;
  count(): number;
  /** Ends all streams within this time, one by one, so that readers reconnect gradually. `hurry` ends the wait. */
  drain(withinMs: number, hurry: AbortSignal): Promise<void>;
  /** Ends all streams now. Each reader receives a different delay before it reconnects. */
  closeAll(): void;
};

/** The limit of streams on this node for a payment, merchant, person or IP address (`of`). `most` 0: no limit. */
export type Share = { of: string; most: number };

/** Creates the registry of this node's open streams, which share one heartbeat. */
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
  /** Ends a response once. A reader that does not read the rest is disconnected. */
  const end = (response: ServerResponse, last: string) => {
    if (response.writableEnded || response.destroyed) return;
    response.end(last);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void clock.wait(LEFT_UNREAD_MS, gone.signal).then(() => response.destroy());
  };
  /** Ends a stream and closes its connection to this node. A new connection reaches a node that keeps running. */
  const endWithRetry = (response: ServerResponse) => {
    const { socket } = response;
    response.once('finish', () => socket?.end());
    end(response, `retry: ${RECONNECT_MIN_MS + Math.floor(Math.random() * RECONNECT_SPREAD_MS)}\n\n`);
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
      // If the node began to stop while it prepared the request, `closeAll` has run already.
      if (stopping.aborted) endWithRetry(res);
      // The random delay spreads the reconnections of readers that lose the same node.
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
    async drain(withinMs, hurry) {
      // In the first fifth of the time, load balancers have not noticed the stop: readers would reconnect to this node.
      const restMs = withinMs * 0.8;
      await clock.wait(withinMs - restMs, hurry);
      for (const response of responses) void clock.wait(Math.random() * restMs).then(() => endWithRetry(response));
      await clock.wait(restMs, hurry);
    },
    closeAll() {
      for (const response of responses) endWithRetry(response);
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

/** Returns the text of a server-sent event. @param data a text without line breaks (JSON) */
export function writeEvent(event: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

/** The headers of a stream. The route's own headers take precedence. */
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  Connection: 'keep-alive',
};

/** Calls the listener when the response closes, or immediately if it is already closed. */
function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.closed) listener();
  else response.once('close', listener);
}

/** Writes a comment to the stream. Resolves when the socket has accepted all bytes before it. */
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
