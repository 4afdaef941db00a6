// How any rail is asked: one signed request, one whole answer in time and not too large, or a reason why there is none.
import type { Clock } from '../clock.ts';
import { OutgoingError, sendRequest } from '../http/outgoing.ts';
import { signMessage } from '../http/signature.ts';
import type { Answer, Method } from './read.ts';

export type RailOptions = {
  /** Base address: `/v1/…` follows it. */
  url: string;
  key: string;
  timeoutMs: number;
  clock: Clock;
};

export type Question<T> = {
  method: Method;
  /** With its query: both are signed. */
  path: string;
  body?: string;
  timeoutMs?: number;
  maxBytes?: number;
  read(answer: Answer): T;
  /** What it means that no whole answer came. */
  miss(error: OutgoingError): T;
};

/** Far above most answers of a rail; what is larger is none. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** A way to ask one rail; it never throws for what the rail or the network does. */
export function createAsk({ url, key, timeoutMs, clock }: RailOptions) {
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
      return read(await sendRequest(request));
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      return miss(error);
    }
  };
}
