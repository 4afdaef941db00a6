// Keeps a payer's screen current: reads the stream, and polls the session if the stream sends no messages.
import type { CheckoutSession } from './checkout.ts';

export type StreamListener = {
  session(session: CheckoutSession): void;
  /** The stream broke or the server ended it. `isClosed`: the browser will not reconnect it. */
  lost(isClosed: boolean): void;
};

export type WatchPorts = {
  openStream(listener: StreamListener): { close(): void };
  /** Rejects if the server is unreachable. Returns a string if the server's response is not a session. */
  readSession(): Promise<CheckoutSession | string>;
  /** Runs `act` after the delay. The returned function cancels the run. */
  after(delayMs: number, act: () => void): () => void;
};

export type WatchListener = {
  /** Receives each session that is newer than all earlier sessions. */
  session(session: CheckoutSession): void;
  /** Receives the server's time at each message from the server. */
  serverTime(serverTime: string): void;
  reachable(isReachable: boolean): void;
};

export type Watch = {
  /** Accepts a session from another response, such as a payment request's. Returns true if it is newer. */
  accept(session: CheckoutSession): boolean;
  /** For a page that is visible or online again: reads immediately and reopens the stream. Resolves after that read. */
  wake(): Promise<void>;
  /** Closes the stream of a page that the payer leaves, so that the browser can keep the page for its Back button. */
  rest(): void;
  stop(): void;
};

const FIRST_MESSAGE_MS = 6_000;
const READ_EVERY_MS = 3_000;
const LONGEST_READ_INTERVAL_MS = 10_000;
const SILENCE_MS = 30_000;
const SECOND_READ_MS = 4_000;

// The page of a reference may stay open for days, so it polls less often.
const REFERENCE_SILENCE_MS = 300_000;
const REFERENCE_READ_INTERVAL_MS = 60_000;

/**
 * Follows one payment until it is final. Only the server ends a payment on the screen.
 * Errors of a watched payment change only the time of the next read or reconnection.
 * If the stream sends no message for six seconds, the page also polls.
 * If a read returns a change that the stream missed, the stream is dead and is reopened.
 * A stream dies without an error when a phone sleeps and its socket is closed.
 */
export function watchSession(ports: WatchPorts, first: CheckoutSession, on: WatchListener): Watch {
  let latest = first;
  let waitMs = FIRST_MESSAGE_MS;
  let lastRead = 0;
  let isStopped = false;
  let cancelRead = () => {};

  const isOver = () => isStopped || latest.isFinal;
  const connection = createConnection(ports, isOver, {
    session(session) {
      waitMs = FIRST_MESSAGE_MS;
      on.reachable(true);
      accept(session);
    },
    lost(isClosed, hadSent) {
      // Only the first error schedules a read. The errors of later reconnections would postpone the read forever.
      if (!hadSent && !(isClosed && waitMs === FIRST_MESSAGE_MS)) return;
      waitMs = isClosed ? READ_EVERY_MS : FIRST_MESSAGE_MS;
      planRead();
    },
  });

  function accept(session: CheckoutSession): boolean {
    const isNewer = session.revision > latest.revision;
    on.serverTime(session.serverTime);
    if (isNewer) on.session((latest = session));
    if (isNewer) waitMs = READ_EVERY_MS;
    if (latest.isFinal) connection.close();
    planRead();
    return isNewer;
  }

  function planRead() {
    cancelRead();
    const { status, qr, ppr } = latest;
    if (isOver() || (connection.hasSent && status !== 'Processing' && !qr && !ppr)) return;
    cancelRead = ports.after(
      connection.hasSent ? (ppr?.isRegistered ? REFERENCE_SILENCE_MS : SILENCE_MS) : waitMs,
      read,
    );
  }

  async function read() {
    cancelRead();
    const mine = ++lastRead;
    const result = await readWithRetry(ports, () => isStopped);
    // A newer read has started, so this result counts only if it contains a session.
    if (isStopped || (!result && mine !== lastRead)) return;
    on.reachable(result !== null);
    const isNewer = result !== null && typeof result !== 'string' && accept(result);
    const longestMs = latest.ppr ? REFERENCE_READ_INTERVAL_MS : LONGEST_READ_INTERVAL_MS;
    waitMs = waitMs === FIRST_MESSAGE_MS ? READ_EVERY_MS : Math.min(waitMs * 1.5, longestMs);
    if (!connection.stream || (connection.hasSent && (isNewer || !result))) connection.open();
    planRead();
  }

  async function wake() {
    if (isStopped) return;
    waitMs = FIRST_MESSAGE_MS;
    connection.open();
    await read();
  }

  function stop() {
    isStopped = true;
    cancelRead();
    connection.close();
  }

  connection.open();
  planRead();
  return { accept, wake, rest: connection.close, stop };
}

/** Creates the connection to the server. It has at most one open stream. */
function createConnection({ openStream }: WatchPorts, isOver: () => boolean, on: ConnectionListener) {
  const connection = {
    stream: null as { close(): void } | null,
    /** True if the stream has sent a session since it was opened or last broke. */
    hasSent: false,
    /** Opens a stream and closes the previous one. */
    open() {
      connection.close();
      if (isOver()) return;
      connection.stream = openStream({
        session(session) {
          connection.hasSent = true;
          on.session(session);
        },
        lost(isClosed) {
          const { hasSent } = connection;
          if (isClosed) connection.close();
          connection.hasSent = false;
          on.lost(isClosed, hasSent);
        },
      });
    },
    close() {
      connection.stream?.close();
      connection.stream = null;
      connection.hasSent = false;
    },
  };
  return connection;
}

type ConnectionListener = { session(session: CheckoutSession): void; lost(isClosed: boolean, hadSent: boolean): void };

/** Reads the session. If the first request hangs on a dead socket, sends a second one. Null without a response. */
function readWithRetry({ readSession, after }: WatchPorts, isStopped: () => boolean) {
  return new Promise<CheckoutSession | string | null>((resolve) => {
    const send = () => readSession().then(resolve, () => resolve(null));
    const cancel = after(SECOND_READ_MS, () => isStopped() || send());
    void send().then(cancel);
  });
}
