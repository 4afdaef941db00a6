// The GPO rail over HTTP (docs/rail.md): signs, sends, and hands what comes back to its translators.
import type { Agent } from 'node:http';
import type { Clock } from '../../clock.ts';
import { OutgoingError, sendRequest } from '../../http/outgoing.ts';
import { signMessage } from '../../http/signature.ts';
import type { GpoRail } from '../provider.ts';
import { makeUnknown, readOrderAnswer, writeOrder } from './orders.ts';
import { makeUnknownQr, readQrAnswer, writeQrCode } from './qrcode.ts';
import { makeUnknownTerminal, readTerminalAnswer, writeTerminalMove } from './terminal.ts';
import type { Answer, Method } from './translate.ts';

export type GpoRailOptions = {
  /** Base address: `/v1/purchases` follows it. */
  url: string;
  key: string;
  timeoutMs: number;
  clock: Clock;
  agent?: Agent;
};

/** Far above any answer of the rail; what is larger is not one. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** A code's answer lists its scans: 10,000 of them at some 500 bytes. */
const MAX_QR_BYTES = 8 * 1024 * 1024;
/** The merchant waits for the code's image (decisions §3). */
const QR_TIMEOUT_MS = 10_000;

type Question<T> = {
  method: Method;
  path: string;
  body?: string;
  timeoutMs?: number;
  maxBytes?: number;
  read(answer: Answer): T;
  /** What it means that no whole answer came. */
  miss(error: OutgoingError): T;
};

/** A client of one GPO rail. It keeps nothing: outcomes are for its caller to record. */
export function createGpoRail(options: GpoRailOptions): GpoRail {
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

function createAsk({ url, key, timeoutMs, clock, agent }: GpoRailOptions) {
  const base = url.replace(/\/+$/, '');
  return async <T>(question: Question<T>): Promise<T> => {
    const { method, path, body = '', read, miss } = question;
    const headers = {
      Accept: 'application/json',
      ...(body && { 'Content-Type': 'application/json' }),
      ...signMessage(key, { method, path, body }, clock.now()),
    };
    const limits = { timeoutMs: question.timeoutMs ?? timeoutMs, maxBytes: question.maxBytes ?? MAX_ANSWER_BYTES };
    const request = { url: base + path, method, headers, body, ...limits, clock };
    try {
      return read(await sendRequest(agent ? { ...request, agent } : request));
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      return miss(error);
    }
  };
}
