// The GPO rail over HTTP (docs/rail.md): signs, sends, and hands what comes back to translate.
import type { Agent } from 'node:http';
import type { Clock } from '../../clock.ts';
import { OutgoingError, sendRequest } from '../../http/outgoing.ts';
import { signMessage } from '../../http/signature.ts';
import type { GpoRail, PurchaseOutcome } from '../provider.ts';
import { makeUnknown, readAnswer, writePurchase } from './translate.ts';

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

/** A client of one GPO rail. It keeps nothing: outcomes are for its caller to record. */
export function createGpoRail({ url, key, timeoutMs, clock, agent }: GpoRailOptions): GpoRail {
  const base = url.replace(/\/+$/, '');
  const ask = async (attemptId: string, method: 'GET' | 'POST', path: string, body = ''): Promise<PurchaseOutcome> => {
    const headers = {
      Accept: 'application/json',
      ...(body && { 'Content-Type': 'application/json' }),
      ...signMessage(key, { method, path, body }, clock.now()),
    };
    const request = { url: base + path, method, headers, body, timeoutMs, maxBytes: MAX_ANSWER_BYTES, clock };
    try {
      return readAnswer(await sendRequest(agent ? { ...request, agent } : request), attemptId, method);
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      // Money may have moved or may not: only the rail can tell, when it is asked again.
      return makeUnknown(error.code, { error: error.message });
    }
  };
  return {
    purchase: (order) => ask(order.attemptId, 'POST', '/v1/purchases', writePurchase(order)),
    query: (attemptId) => ask(attemptId, 'GET', `/v1/purchases/${encodeURIComponent(attemptId)}`),
  };
}
