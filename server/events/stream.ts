// One reader's stream of events: caught up first, then each as it is committed, for as long as its token holds.
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
  /** Whether the token that opened it still may; false or a refusal ends the stream. */
  mayRead(): Promise<boolean>;
};

const PAGE = 50;
/** A revoked client hears nothing more after this (decisions §5). */
const RECHECK_MS = 30_000;

/** Resolves when the stream has ended; a failure ends it, and the reader comes back to where it was. */
export async function streamFeed({ core, stream, merchantId, mayRead, ...rest }: FeedStream): Promise<void> {
  const ended = new AbortController();
  let wake: () => void = () => {};
  let hasNews = true;
  const unsubscribe = core.changes.subscribe(`events:${merchantId}`, () => {
    hasNews = true;
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
      hasNews = false;
      after = await sendNew({ core, stream, merchantId, ...rest, after }, ended.signal);
      if (!hasNews)
        await new Promise<void>((resolve) => (hasNews || ended.signal.aborted ? resolve() : (wake = resolve)));
    }
  } catch (error) {
    core.log.warn({ err: error }, 'a stream of events ended early');
  } finally {
    unsubscribe();
    stream.close();
  }
}

type Page = Pick<FeedStream, 'core' | 'describe' | 'stream' | 'merchantId' | 'after'>;

/** Sends everything there is after the cursor; answers the cursor then. */
async function sendNew({ core, describe, stream, merchantId, after }: Page, ended: AbortSignal): Promise<number> {
  for (;;) {
    const events = await readFeed(core, merchantId, after, PAGE);
    const told = await describe(events);
    for (const [nth, event] of events.entries()) {
      if (ended.aborted) return after;
      const data = { ...viewEvent(event, told[nth] ?? null), cursor: String(event.position) };
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
    // A database that is away for a moment is no reason to hang up.
    const isOver = !ended.aborted && !(await mayRead().catch((error: unknown) => !isRefusal(error)));
    if (isOver) return end();
  }
}

function isRefusal(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'invalid_token';
}
