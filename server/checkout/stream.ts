// The payment's session live: subscribe, then read, then send, so that no change falls in between.
import type { Context } from 'koa';
import type { Lang, Texts } from '../../shared/checkout.ts';
import type { Core } from '../core.ts';
import type { Streams } from '../http/sse.ts';
import type { Payment } from '../payments/entities.ts';
import { Payment as Payments } from '../payments/entities.ts';
import { readSession } from './session.ts';

/** Opens the stream of a payment: a snapshot at once, then each change, until the payment is final. */
export function openStream(
  core: Core,
  streams: Streams,
  ctx: Context,
  payment: Payment,
  lang: Lang,
  texts: Texts,
): void {
  const stream = streams.open(ctx, payment.id);
  let isReading = false;
  let isStale = false;
  let sentRevision = -1;
  const send = async (current: Payment) => {
    if (current.revision <= sentRevision) return;
    sentRevision = current.revision;
    const session = await readSession(core, current, lang, texts);
    stream.send('session', JSON.stringify(session), String(session.revision));
    if (!session.isFinal) return;
    stream.send('end', '{}');
    stream.close();
  };
  const refresh = async (first: Payment | null) => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    try {
      // Changes that come while one is being read are read together after it.
      for (let next = first; isStale; next = null) {
        isStale = false;
        await send(next ?? (await core.orm.em.fork().findOneOrFail(Payments, payment.id)));
      }
    } catch (error) {
      // The page reconnects and reads again: a broken stream is never a failed payment.
      core.log.warn({ err: error }, 'stream could not read its payment');
      stream.close();
    } finally {
      isReading = false;
    }
  };
  stream.onClose(core.changes.subscribe(`payment:${payment.id}`, () => void refresh(null)));
  void refresh(null);
}
