// Keeping a payer's screen true: the stream, the reads beside it when it is silent, and the order of what they bring.
import type { CheckoutSession } from './checkout.ts';

export type StreamListener = {
  session(session: CheckoutSession): void;
  /** The server has nothing more to say. */
  end(): void;
  /** The connection broke; `isClosed` when it will not come back by itself. */
  lost(isClosed: boolean): void;
};

export type WatchPorts = {
  openStream(listener: StreamListener): { close(): void };
  /** Rejects when the server cannot be reached; `busy` when it can but has no answer now; `gone` when the link is over. */
  readSession(): Promise<CheckoutSession | 'busy' | 'gone'>;
  /** Runs `act` after the delay; the returned function calls it off. */
  after(delayMs: number, act: () => void): () => void;
};

export type WatchListener = {
  /** A newer session than any before it. */
  session(session: CheckoutSession): void;
  /** Any word from the server, with the time there. */
  heard(serverTime: string): void;
  reachable(isReachable: boolean): void;
  gone(): void;
};

export type Watch = {
  /** A session that came another way (the answer to a pay): counts as news like the stream's. */
  accept(session: CheckoutSession): void;
  /** The page is back in sight or in reach: read at once and open the stream anew. Resolves when that read has ended. */
  wake(): Promise<void>;
  stop(): void;
};

const FIRST_WORD_MS = 6_000;
const READ_EVERY_MS = 3_000;
const READ_AT_LEAST_EVERY_MS = 10_000;
const SILENCE_MS = 30_000;

/**
 * Follows one payment until it is final. The server alone ends a payment on screen: errors here only change how the next
 * word is asked for. A stream that says nothing in six seconds is doubled by reads; one that missed what a read saw is
 * deaf (a socket that died while the phone slept) and is opened anew.
 */
export function watchSession(ports: WatchPorts, first: CheckoutSession, on: WatchListener): Watch {
  let latest = first;
  let stream: { close(): void } | null = null;
  let hasSpoken = false;
  let waitMs = FIRST_WORD_MS;
  let lastRead = 0;
  let isStopped = false;
  let cancelRead = () => {};

  function accept(session: CheckoutSession): boolean {
    if (isStopped) return false;
    on.heard(session.serverTime);
    if (session.revision <= latest.revision) return false;
    latest = session;
    on.session(session);
    if (session.isFinal) closeStream();
    planRead();
    return true;
  }

  function closeStream() {
    stream?.close();
    stream = null;
    hasSpoken = false;
  }

  function openStream() {
    closeStream();
    if (isStopped || latest.isFinal) return;
    let isCurrent = true;
    const opened = ports.openStream({
      session(session) {
        if (!isCurrent) return;
        hasSpoken = true;
        waitMs = FIRST_WORD_MS;
        on.reachable(true);
        if (!accept(session)) planRead();
      },
      end() {
        if (!isCurrent) return;
        closeStream();
        planRead();
      },
      lost(isClosed) {
        if (!isCurrent) return;
        // Only the first error of a silence plans a read: those of every reconnection after it would put it off for ever.
        const isNew = hasSpoken || (isClosed && waitMs === FIRST_WORD_MS);
        hasSpoken = false;
        if (isClosed) closeStream();
        if (!isNew) return;
        waitMs = isClosed ? READ_EVERY_MS : FIRST_WORD_MS;
        planRead();
      },
    });
    stream = { close: () => ((isCurrent = false), opened.close()) };
  }

  function planRead() {
    cancelRead();
    if (isStopped || latest.isFinal) return;
    const isQuietFine = hasSpoken && latest.status !== 'Processing';
    if (!isQuietFine) cancelRead = ports.after(hasSpoken ? SILENCE_MS : waitMs, () => void read());
  }

  async function read() {
    cancelRead();
    const mine = ++lastRead;
    const answer = await ports.readSession().catch(() => null);
    if (isStopped) return;
    if (answer === 'gone') return (stop(), on.gone());
    // The answer of a read that was overtaken still counts; only its silence does not.
    if (answer || mine === lastRead) on.reachable(answer !== null);
    const wasStreaming = hasSpoken;
    const isNews = answer !== null && answer !== 'busy' && accept(answer);
    if (mine !== lastRead) return;
    if (answer === null) hasSpoken = false;
    waitMs = waitMs === FIRST_WORD_MS ? READ_EVERY_MS : Math.min(waitMs * 1.5, READ_AT_LEAST_EVERY_MS);
    if (!stream || (wasStreaming && isNews)) openStream();
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
  return { accept: (session) => void accept(session), wake, stop };
}
