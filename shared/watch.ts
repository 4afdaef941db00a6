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
  let stream: { close(): void } | null = null;
  /** The stream has spoken since it was opened or last broke. */
  let hasSpoken = false;
  let cancelRead = () => {};

  function openStream() {
    closeStream();
    if (isStopped || latest.isFinal) return;
    stream = ports.openStream({
      session(session) {
        hasSpoken = true;
        waitMs = FIRST_WORD_MS;
        on.reachable(true);
        accept(session);
      },
      lost(isClosed) {
        // Only the first error of a silence plans a read: those of every reconnection after it would put it off for ever.
        const isFirst = hasSpoken || (isClosed && waitMs === FIRST_WORD_MS);
        hasSpoken = false;
        if (isClosed) closeStream();
        if (!isFirst) return;
        waitMs = isClosed ? READ_EVERY_MS : FIRST_WORD_MS;
        planRead();
      },
    });
  }

  function closeStream() {
    stream?.close();
    stream = null;
    hasSpoken = false;
  }

  function accept(session: CheckoutSession): boolean {
    const isNews = session.revision > latest.revision;
    on.heard(session.serverTime);
    if (isNews) on.session((latest = session));
    if (latest.isFinal) closeStream();
    planRead();
    return isNews;
  }

  function planRead() {
    cancelRead();
    const { isFinal, status, qr, ppr } = latest;
    if (isStopped || isFinal || (hasSpoken && status !== 'Processing' && !qr && !ppr)) return;
    cancelRead = ports.after(hasSpoken ? (ppr?.isRegistered ? LONG_SILENCE_MS : SILENCE_MS) : waitMs, read);
  }

  /** Over a socket that died while the phone slept a request says nothing for long: another one goes beside it. */
  function ask() {
    return new Promise<CheckoutSession | string | null>((resolve) => {
      const send = () => ports.readSession().then(resolve, () => resolve(null));
      const callOff = ports.after(ASK_AGAIN_MS, () => isStopped || send());
      void send().then(callOff);
    });
  }

  async function read() {
    cancelRead();
    const mine = ++lastRead;
    const answer = await ask();
    // A read that was overtaken may still bring news; its silence means nothing any more.
    if (isStopped || (!answer && mine !== lastRead)) return;
    on.reachable(answer !== null);
    const isNews = answer !== null && typeof answer !== 'string' && accept(answer);
    const atLeastMs = latest.ppr ? LONG_READ_AT_LEAST_EVERY_MS : READ_AT_LEAST_EVERY_MS;
    waitMs = waitMs === FIRST_WORD_MS ? READ_EVERY_MS : Math.min(waitMs * 1.5, atLeastMs);
    if (!stream || (hasSpoken && (isNews || !answer))) openStream();
    planRead();
  }

  async function wake() {
    if (isStopped) return;
    waitMs = FIRST_WORD_MS;
    openStream();
    await read();
  }

  function stop() {
    isStopped = true;
    cancelRead();
    closeStream();
  }

  openStream();
  planRead();
  return { accept, wake, stop };
}
