// The PPR rail over HTTP (docs/rail.md): signs, sends, and hands what comes back to its translators.
import type { OutgoingError } from '../../http/outgoing.ts';
import { createAsk, type RailOptions } from '../ask.ts';
import type { PprRail } from '../provider.ts';
import type { Answer } from '../read.ts';
import { readPage, UNKNOWN_PAGE } from './payment.ts';
import { makeUnknown, readReferenceAnswer, readRegistration, writeReference } from './reference.ts';

/** A Charging reference's answer lists its payments: 16,000 of them at some 500 bytes. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const PAGE_SIZE = 100;

/** A client of one PPR rail. It keeps nothing: outcomes are for its caller to record. */
export function createPprRail(options: RailOptions): PprRail {
  const ask = createAsk(options);
  const maxBytes = MAX_ANSWER_BYTES;
  const pathOf = (referenceId: string) => `/v1/references/${encodeURIComponent(referenceId)}`;
  // It may have been registered or may not: the same order is repeated until the rail says so.
  const miss = (error: OutgoingError) => makeUnknown(error.code, { error: error.message });
  return {
    register(order) {
      const { referenceId } = order;
      const read = (answer: Answer) => readRegistration(answer, referenceId);
      return ask({ method: 'PUT', path: pathOf(referenceId), body: writeReference(order), maxBytes, read, miss });
    },
    withdraw(referenceId) {
      const read = (answer: Answer) => readRegistration(answer, referenceId);
      return ask({ method: 'DELETE', path: pathOf(referenceId), maxBytes, read, miss });
    },
    query(referenceId) {
      const read = (answer: Answer) => readReferenceAnswer(answer, referenceId);
      const missQuery = () => ({ result: 'unknown' as const, payments: [] });
      return ask({ method: 'GET', path: pathOf(referenceId), maxBytes, read, miss: missQuery });
    },
    listPayments(after) {
      const query = new URLSearchParams({ ...(after !== null && { after }), limit: String(PAGE_SIZE) });
      return ask({ method: 'GET', path: `/v1/payments?${query}`, maxBytes, read: readPage, miss: () => UNKNOWN_PAGE });
    },
  };
}
