// Streams a payment's session. Each stream subscribes before its first read, so that it misses no change.
// One database read serves all streams of a payment.
import type { Context } from 'koa';
import type { Lang, Texts } from '../../shared/checkout.ts';
import type { Core } from '../core.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';
import { clientAddress } from '../http/limits.ts';
import { writeEvent, type Stream, type Streams } from '../http/sse.ts';
import type { ChangeDetails } from '../changes/notify.ts';
import { findCheckoutPayment, checkoutPaymentOf, type CheckoutPayment } from './payment.ts';
import { makeSession } from './session.ts';

/** Opens the stream of a payment: sends a snapshot immediately, then each change, until the payment is final. */
export type OpenStream = (ctx: Context, paymentId: string, lang: Lang) => void;

export function createCheckoutStreams(core: Core, streams: Streams, texts: Record<Lang, Texts>): OpenStream {
  const watches = new Map<string, Watch>();
  return (ctx, paymentId, lang) => {
    const { STREAMS_PER_PAYMENT, RATE_LIMIT_PUBLIC } = core.config;
    const stream = streams.open(ctx, [
      { of: paymentId, most: STREAMS_PER_PAYMENT },
      // Limits the streams of one IP address, over all payments.
      { of: `checkouts of ${clientAddress(ctx)}`, most: RATE_LIMIT_PUBLIC },
    ]);
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

/** Minimum wait after a lost database connection. A random factor spreads the reads of the streams. */
const AGAIN_MS = 500;

function startWatch(core: Core, paymentId: string, texts: Record<Lang, Texts>): Watch {
  const readers = new Set<Reader>();
  let isReading = false;
  let isStale = false;
  const giveUp = (error: unknown) => {
    // The page reconnects and reads again, so a broken stream is not shown as a failed payment.
    core.log.warn({ err: error }, 'could not refresh checkout streams');
    for (const { stream } of readers) stream.close();
  };
  const show = async () => {
    const payment = await findCheckoutPayment(core, paymentId);
    if (!payment) throw new Error(`payment ${paymentId} is gone`);
    await sendSession(core, payment, texts, readers);
  };
  /** Keeps the streams open while the database is away, because a page shows the payer that its stream has ended. */
  const waitForDatabase = async (error: unknown) => {
    if (!isDatabaseUnavailable(error)) throw error;
    await core.clock.wait(AGAIN_MS * (0.5 + Math.random()), core.stopping);
    isStale = readers.size > 0 && !core.stopping.aborted;
  };
  const read = async () => {
    isReading = true;
    try {
      // One further read serves all changes and readers that arrive during the running read.
      while (isStale) {
        isStale = false;
        await show().catch(waitForDatabase);
      }
    } catch (error) {
      giveUp(error);
    } finally {
      isReading = false;
    }
  };
  const refresh = () => {
    isStale = true;
    if (!isReading) void read();
  };
  const onChange = (change: ChangeDetails) => {
    const { revision } = change;
    const isNewer = revision === undefined || [...readers].some(({ sentRevision }) => sentRevision < revision);
    if (!isNewer) return;
    const shown = checkoutPaymentOf(change);
    const again = (error: unknown) => (isDatabaseUnavailable(error) ? refresh() : giveUp(error));
    if (shown) void sendSession(core, shown, texts, readers).catch(again);
    else refresh();
  };
  return { readers, refresh, stop: core.changes.subscribe(`payment:${paymentId}`, onChange) };
}

/** Sends the payment's session to each reader that has an older revision. */
async function sendSession(
  core: Core,
  payment: CheckoutPayment,
  texts: Record<Lang, Texts>,
  readers: Set<Reader>,
): Promise<void> {
  const waiting = [...readers].filter(({ sentRevision }) => sentRevision < payment.revision);
  for (const lang of new Set(waiting.map((reader) => reader.lang))) {
    const session = await makeSession(core, payment, lang, texts[lang]);
    const event = writeEvent('session', JSON.stringify(session), String(session.revision));
    for (const reader of waiting) {
      if (reader.lang !== lang || reader.sentRevision >= session.revision) continue;
      reader.sentRevision = session.revision;
      reader.stream.send(event);
      if (!session.isFinal) continue;
      reader.stream.send(END);
      reader.stream.close();
    }
  }
}

const END = writeEvent('end', '{}');
