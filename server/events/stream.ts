// A stream of events to one client: first all events after its cursor, then new events, until its token expires.
import type { Core } from '../core.ts';
import { writeEvent, type Stream } from '../http/sse.ts';
import { readFeed } from './feed.ts';
import { viewEvent, type DescribeEvents } from './view.ts';

export type FeedStream = {
  core: Core;
  describe: DescribeEvents;
  stream: Stream;
  merchantId: string;
  after: number;
  /** True if the token that opened the stream may still read events. False or an error of the check ends the stream. */
  mayRead(): Promise<boolean>;
};

const PAGE = 50;
/** The interval of token checks, which is the longest time for which a revoked client still receives events. */
const RECHECK_MS = 30_000;

/** Resolves when the stream has ended. An error ends the stream, and the client reconnects after its last event. */
export async function streamFeed({ core, stream, merchantId, mayRead, ...rest }: FeedStream): Promise<void> {
  const ended = new AbortController();
  let wake: () => void = () => {};
  let hasChanged = true;
  const unsubscribe = core.changes.subscribe(`events:${merchantId}`, () => {
    hasChanged = true;
    wake();
  });
  stream.onClose(() => {
    ended.abort();
    wake();
  });
  void endWithToken(core, ended.signal, mayRead, () => stream.close());
  try {
    let { after } = rest;
    while (!ended.signal.aborted && !core.stopping.aborted) {
      hasChanged = false;
      after = await sendNewEvents({ core, stream, merchantId, ...rest, after }, ended.signal);
      if (!hasChanged)
        await new Promise<void>((resolve) => (hasChanged || ended.signal.aborted ? resolve() : (wake = resolve)));
    }
  } catch (error) {
    core.log.warn({ err: error }, 'event stream failed');
  } finally {
    unsubscribe();
    stream.close();
  }
}

type Page = Pick<FeedStream, 'core' | 'describe' | 'stream' | 'merchantId' | 'after'>;

/** Sends all events after the cursor. Returns the cursor of the last event. */
async function sendNewEvents({ core, describe, stream, merchantId, after }: Page, ended: AbortSignal): Promise<number> {
  for (;;) {
    const events = await readFeed(core, merchantId, after, PAGE);
    const payments = await describe(events);
    for (const [nth, event] of events.entries()) {
      if (ended.aborted) return after;
      const data = { ...viewEvent(event, payments[nth] ?? null), cursor: String(event.position) };
      stream.send(writeEvent('message', JSON.stringify(data), data.cursor));
      after = event.position;
      await stream.flushed();
    }
    if (events.length < PAGE) return after;
  }
}

async function endWithToken(core: Core, ended: AbortSignal, mayRead: () => Promise<boolean>, end: () => void) {
  while (!ended.aborted) {
    await core.clock.wait(RECHECK_MS, ended);
    // The stream stays open if the token check fails because the database is unavailable.
    const isRevoked = !ended.aborted && !(await mayRead().catch((error: unknown) => !isRefusal(error)));
    if (isRevoked) return end();
  }
}

function isRefusal(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'invalid_token';
}
