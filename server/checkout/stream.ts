// A payment's session live: subscribe, then read, then send, so that no change falls in between; one read serves all streams
// of a payment.
import type { Context } from 'koa';
import type { Lang, Texts } from '../../shared/checkout.ts';
import type { Core } from '../core.ts';
import { writeEvent, type Stream, type Streams } from '../http/sse.ts';
import { findShown, makeSession } from './session.ts';

/** Opens the stream of a payment: a snapshot at once, then each change, until the payment is final. */
export type OpenStream = (ctx: Context, paymentId: string, lang: Lang) => void;

/** All streams of this node's checkouts. */
export function createCheckoutStreams(core: Core, streams: Streams, texts: Record<Lang, Texts>): OpenStream {
  const watches = new Map<string, Watch>();
  return (ctx, paymentId, lang) => {
    const stream = streams.open(ctx, paymentId);
    let watch = watches.get(paymentId);
    if (!watch) watches.set(paymentId, (watch = startWatch(core, paymentId, texts)));
    const { readers, refresh, stop } = watch;
    const reader: Reader = { stream, lang, sentRevision: -1 };
    readers.add(reader);
    stream.onClose(() => {
      readers.delete(reader);
      if (readers.size > 0) return;
      stop();
      watches.delete(paymentId);
    });
    refresh();
  };
}

type Reader = { stream: Stream; lang: Lang; sentRevision: number };
type Watch = { readers: Set<Reader>; refresh(): void; stop(): void };

function startWatch(core: Core, paymentId: string, texts: Record<Lang, Texts>): Watch {
  const readers = new Set<Reader>();
  let isReading = false;
  let isStale = false;
  const read = async () => {
    isReading = true;
    try {
      // Changes, and readers, that come while one is being read are served together after it.
      while (isStale) {
        isStale = false;
        await sendSession(core, paymentId, texts, readers);
      }
    } catch (error) {
      // The page reconnects and reads again: a broken stream is never a failed payment.
      core.log.warn({ err: error }, 'streams could not read their payment');
      for (const { stream } of readers) stream.close();
    } finally {
      isReading = false;
    }
  };
  const refresh = () => {
    isStale = true;
    if (!isReading) void read();
  };
  const hear = (revision?: number) => {
    const isNews = revision === undefined || [...readers].some(({ sentRevision }) => sentRevision < revision);
    if (isNews) refresh();
  };
  return { readers, refresh, stop: core.changes.subscribe(`payment:${paymentId}`, hear) };
}

/** The payment as it is now, to each reader who has not seen it so. */
async function sendSession(core: Core, id: string, texts: Record<Lang, Texts>, readers: Set<Reader>): Promise<void> {
  const payment = await findShown(core, id);
  if (!payment) throw new Error(`payment ${id} is gone`);
  const waiting = [...readers].filter(({ sentRevision }) => sentRevision < payment.revision);
  for (const lang of new Set(waiting.map((reader) => reader.lang))) {
    const session = await makeSession(core, payment, lang, texts[lang]);
    const event = writeEvent('session', JSON.stringify(session), String(session.revision));
    for (const reader of waiting) {
      if (reader.lang !== lang) continue;
      reader.sentRevision = session.revision;
      reader.stream.send(event);
      if (!session.isFinal) continue;
      reader.stream.send(END);
      reader.stream.close();
    }
  }
}

const END = writeEvent('end', '{}');
