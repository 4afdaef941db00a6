// Keeps a payer's screen current: reads the stream, and polls the session if the stream is silent.
import type { CheckoutSession } from './checkout.ts';

export type StreamListener = {
  session(session: CheckoutSession): void;
  /** The connection broke or the server ended it. `isClosed`: the browser will not reconnect it. */
  lost(isClosed: boolean): void;
};

export type WatchPorts = {
  openStream(listener: StreamListener): { close(): void };
  /** Rejects if the server is unreachable. Returns a string if the server responds without a session. */
  readSession(): Promise<CheckoutSession | string>;
  /** Runs `act` after the delay. The returned function cancels it. */
  after(delayMs: number, act: () => void): () => void;
};

export type WatchListener = {
  /** Receives each session that is newer than all before it. */
  session(session: CheckoutSession): void;
  /** Receives the server's time at each message from the server. */
  heard(serverTime: string): void;
  reachable(isReachable: boolean): void;
};

export type Watch = {
  /** Takes a session from another response, such as the one to a payment request. True if it is newer. */
  accept(session: CheckoutSession): boolean;
  /** For a page that is visible or online again: reads at once and reopens the stream. Resolves after that read. */
  wake(): Promise<void>;
  /** Closes the stream of a page that the payer leaves, so that the browser can keep the page for its Back button. */
  rest(): void;
  stop(): void;
};

const FIRST_WORD_MS = 6_000;
const READ_EVERY_MS = 3_000;
const READ_AT_LEAST_EVERY_MS = 10_000;
const SILENCE_MS = 30_000;
const ASK_AGAIN_MS = 4_000;

// The page of a reference may stay open for days, so it polls less often.
const LONG_SILENCE_MS = 300_000;
const LONG_READ_AT_LEAST_EVERY_MS = 60_000;

/**
 * Follows one payment until it is final. Only the server ends a payment on the screen.
 * Errors only change the next read or reconnection.
 * If the stream sends nothing for six seconds, reads run in addition to it.
 * If a read returns a change that the stream missed, the stream is dead and is reopened.
 * This happens when a phone sleeps and its socket dies.
 */
export function watchSession(ports: WatchPorts, first: CheckoutSession, on: WatchListener): Watch {
  let latest = first;
  let waitMs = FIRST_WORD_MS;
  let lastRead = 0;
  let isStopped = false;
  let cancelRead = () => {};

  const isOver = () => isStopped || latest.isFinal;
  const line = holdLine(ports, isOver, {
    session(session) {
      waitMs = FIRST_WORD_MS;
      on.reachable(true);
      accept(session);
    },
    lost(isClosed, hadSpoken) {
      // Only the first error plans a read. The errors of later reconnections would postpone the read for ever.
      if (!hadSpoken && !(isClosed && waitMs === FIRST_WORD_MS)) return;
      waitMs = isClosed ? READ_EVERY_MS : FIRST_WORD_MS;
      planRead();
    },
  });

  function accept(session: CheckoutSession): boolean {
    const isNews = session.revision > latest.revision;
    on.heard(session.serverTime);
    if (isNews) on.session((latest = session));
    if (isNews) waitMs = READ_EVERY_MS;
    if (latest.isFinal) line.close();
    planRead();
    return isNews;
  }

  function planRead() {
    cancelRead();
    const { status, qr, ppr } = latest;
    if (isOver() || (line.hasSpoken && status !== 'Processing' && !qr && !ppr)) return;
    cancelRead = ports.after(line.hasSpoken ? (ppr?.isRegistered ? LONG_SILENCE_MS : SILENCE_MS) : waitMs, read);
  }

  async function read() {
    cancelRead();
    const mine = ++lastRead;
    const answer = await readBeside(ports, () => isStopped);
    // A newer read has started. This result counts only if it contains a session.
    if (isStopped || (!answer && mine !== lastRead)) return;
    on.reachable(answer !== null);
    const isNews = answer !== null && typeof answer !== 'string' && accept(answer);
    const atLeastMs = latest.ppr ? LONG_READ_AT_LEAST_EVERY_MS : READ_AT_LEAST_EVERY_MS;
    waitMs = waitMs === FIRST_WORD_MS ? READ_EVERY_MS : Math.min(waitMs * 1.5, atLeastMs);
    if (!line.stream || (line.hasSpoken && (isNews || !answer))) line.open();
    planRead();
  }

  async function wake() {
    if (isStopped) return;
    waitMs = FIRST_WORD_MS;
    line.open();
    await read();
  }

  function stop() {
    isStopped = true;
    cancelRead();
    line.close();
  }

  line.open();
  planRead();
  return { accept, wake, rest: line.close, stop };
}

/** Holds at most one open stream. */
function holdLine({ openStream }: WatchPorts, isOver: () => boolean, on: LineListener) {
  const line = {
    stream: null as { close(): void } | null,
    /** True if the stream has sent a session since it was opened or last broke. */
    hasSpoken: false,
    /** Opens a stream and closes the one before it. */
    open() {
      line.close();
      if (isOver()) return;
      line.stream = openStream({
        session(session) {
          line.hasSpoken = true;
          on.session(session);
        },
        lost(isClosed) {
          const { hasSpoken } = line;
          if (isClosed) line.close();
          line.hasSpoken = false;
          on.lost(isClosed, hasSpoken);
        },
      });
    },
    close() {
      line.stream?.close();
      line.stream = null;
      line.hasSpoken = false;
    },
  };
  return line;
}

type LineListener = { session(session: CheckoutSession): void; lost(isClosed: boolean, hadSpoken: boolean): void };

/** Reads the session, and sends a second request if the first hangs on a dead socket. Null without a response. */
function readBeside({ readSession, after }: WatchPorts, isStopped: () => boolean) {
  return new Promise<CheckoutSession | string | null>((resolve) => {
    const send = () => readSession().then(resolve, () => resolve(null));
    const callOff = after(ASK_AGAIN_MS, () => isStopped() || send());
    void send().then(callOff);
  });
}
