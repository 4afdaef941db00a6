// Keeping a payer's screen true: the stream, the reads beside it when it is silent, and the order of what they bring.
import type { CheckoutSession } from './checkout.ts';

export type StreamListener = {
  session(session: CheckoutSession): void;
  /** The connection broke or was ended; `isClosed` when it will not come back by itself. */
  lost(isClosed: boolean): void;
};

export type WatchPorts = {
  openStream(listener: StreamListener): { close(): void };
  /** Rejects when the server cannot be reached; a word instead of a session when it can but has none to give. */
  readSession(): Promise<CheckoutSession | string>;
  /** Runs `act` after the delay; the returned function calls it off. */
  after(delayMs: number, act: () => void): () => void;
};

export type WatchListener = {
  /** A newer session than any before it. */
  session(session: CheckoutSession): void;
  /** Any word from the server, with the time there. */
  heard(serverTime: string): void;
  reachable(isReachable: boolean): void;
};

export type Watch = {
  /** A session that came another way (the answer to a pay): counts like the stream's. True when it was news. */
  accept(session: CheckoutSession): boolean;
  /** The page is back in sight or in reach: read at once and open the stream anew. Resolves when that read has ended. */
  wake(): Promise<void>;
  /** The page is being left, and may be kept for the Back button: an open stream would end that. `wake` opens another. */
  rest(): void;
  stop(): void;
};

const FIRST_WORD_MS = 6_000;
const READ_EVERY_MS = 3_000;
const READ_AT_LEAST_EVERY_MS = 10_000;
const SILENCE_MS = 30_000;
const ASK_AGAIN_MS = 4_000;

// A reference is paid within hours or days, and its page may stay open as long: what doubts its stream costs little.
const LONG_SILENCE_MS = 300_000;
const LONG_READ_AT_LEAST_EVERY_MS = 60_000;

/**
 * Follows one payment until it is final. The server alone ends a payment on screen: errors here only change how the next
 * word is asked for. A stream that says nothing in six seconds is doubled by reads; one that missed what a read saw is
 * deaf (a socket that died while the phone slept) and is opened anew.
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
      // Only the first error of a silence plans a read: those of every reconnection after it would put it off for ever.
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
    // A read that was overtaken may still bring news; its silence means nothing any more.
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

/** One stream at a time. */
function holdLine({ openStream }: WatchPorts, isOver: () => boolean, on: LineListener) {
  const line = {
    stream: null as { close(): void } | null,
    /** It has spoken since it was opened or last broke. */
    hasSpoken: false,
    /** In place of the one before. */
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

/** Over a socket that died while the phone slept a request says nothing for long: another one goes beside it. Null: no answer. */
function readBeside({ readSession, after }: WatchPorts, isStopped: () => boolean) {
  return new Promise<CheckoutSession | string | null>((resolve) => {
    const send = () => readSession().then(resolve, () => resolve(null));
    const callOff = after(ASK_AGAIN_MS, () => isStopped() || send());
    void send().then(callOff);
  });
}
