// The SMS rail over HTTP (docs/rail.md): signs, sends, and hands what comes back to its translator.
import type { OutgoingError } from '../../http/outgoing.ts';
import { createAsk, type RailOptions } from '../ask.ts';
import type { SmsRail } from '../provider.ts';
import type { Answer } from '../read.ts';
import { makeUnknown, readQuery, readSending, writeMessage } from './message.ts';

/** A client of one SMS rail. It keeps nothing: outcomes are for its caller to record. */
export function createSmsRail(options: RailOptions): SmsRail {
  const ask = createAsk(options);
  // Whether it was sent nobody can tell: its id may be sent again, and sends nothing twice.
  const miss = (error: OutgoingError) => makeUnknown(error.code);
  return {
    send(order) {
      const read = (answer: Answer) => readSending(answer, order.messageId);
      return ask({ method: 'POST', path: '/v1/messages', body: writeMessage(order), read, miss });
    },
    query(messageId) {
      const read = (answer: Answer) => readQuery(answer, messageId);
      return ask({ method: 'GET', path: `/v1/messages/${encodeURIComponent(messageId)}`, read, miss });
    },
  };
}
