// The GPO rail over HTTP (docs/rail.md): signs, sends, and hands what comes back to its translators.
import type { OutgoingError } from '../../http/outgoing.ts';
import { createAsk, type RailOptions } from '../ask.ts';
import type { GpoRail } from '../provider.ts';
import type { Answer } from '../read.ts';
import { makeUnknown, readOrderAnswer, writeOrder } from './orders.ts';
import { makeUnknownQr, readQrAnswer, writeQrCode } from './qrcode.ts';
import { makeUnknownTerminal, readTerminalAnswer, writeTerminalMove } from './terminal.ts';

/** A code's answer lists its scans: 10,000 of them at some 500 bytes. */
const MAX_QR_BYTES = 8 * 1024 * 1024;
/** The merchant waits for the code's image (decisions §3). */
const QR_TIMEOUT_MS = 10_000;

/** A client of one GPO rail. It keeps nothing: outcomes are for its caller to record. */
export function createGpoRail(options: RailOptions): GpoRail {
  const ask = createAsk(options);
  // Money may have moved or may not: only the rail can tell, when it is asked again.
  const miss = (error: OutgoingError) => makeUnknown(error.code, { error: error.message });
  const missQr = (error: OutgoingError) => makeUnknownQr(error.code, { error: error.message });
  return {
    send(order) {
      const { kind, attemptId } = order;
      const read = (answer: Answer) => readOrderAnswer(answer, kind, attemptId, 'POST');
      return ask({ method: 'POST', path: `/v1/${kind}s`, body: writeOrder(order), read, miss });
    },
    query(kind, attemptId) {
      const read = (answer: Answer) => readOrderAnswer(answer, kind, attemptId, 'GET');
      return ask({ method: 'GET', path: `/v1/${kind}s/${encodeURIComponent(attemptId)}`, read, miss });
    },
    createQrCode(order) {
      const read = (answer: Answer) => readQrAnswer(answer, order.attemptId, 'POST');
      const timeoutMs = Math.min(options.timeoutMs, QR_TIMEOUT_MS);
      const [body, maxBytes] = [writeQrCode(order), MAX_QR_BYTES];
      return ask({ method: 'POST', path: '/v1/qrcodes', body, timeoutMs, maxBytes, read, miss: missQr });
    },
    queryQrCode(attemptId) {
      const read = (answer: Answer) => readQrAnswer(answer, attemptId, 'GET');
      const path = `/v1/qrcodes/${encodeURIComponent(attemptId)}`;
      return ask({ method: 'GET', path, maxBytes: MAX_QR_BYTES, read, miss: missQr });
    },
    moveTerminal(order) {
      const read = (answer: Answer) => readTerminalAnswer(answer, order.posId);
      const path = `/v1/terminals/${encodeURIComponent(order.posId)}/${order.action}`;
      return ask({ method: 'POST', path, body: writeTerminalMove(order), read, miss: missTerminal });
    },
    queryTerminal(posId) {
      const read = (answer: Answer) => readTerminalAnswer(answer, posId);
      return ask({ method: 'GET', path: `/v1/terminals/${encodeURIComponent(posId)}`, read, miss: missTerminal });
    },
  };
}

function missTerminal(error: OutgoingError) {
  const unknown = makeUnknownTerminal(error.code, { error: error.message });
  return error.code === 'unreachable' ? { ...unknown, result: 'unreached' as const } : unknown;
}
