// Sends and queries OPG orders in both dialects. ProxyPay answers with the transaction.
// vPOS answers with a request, which later becomes a transaction.
import { UNKNOWN_OUTCOME, makeUnknown, parseAnswer, type RailAnswer } from '../rail-call.ts';
import type { RailOutcome } from '../provider.ts';
import type { OpgDialect } from './settings.ts';
import { readTransaction, readTransactionAnswer, type ExpectedTransaction } from './transaction.ts';
import { explainResponse, isSuccess, judgePost, readId, readLocation, type OpgWire } from './wire.ts';

/** The terminal, charge and parent that the transaction of an order must have. */
type ExpectedOwner = Omit<ExpectedTransaction, 'id'>;

export type OpgOrders = {
  /** Sends an order once. @param key the Idempotency-Key, the same for the same order */
  send(key: string, body: object, expected: ExpectedOwner): Promise<RailOutcome>;
  query(railOrderId: string | null, expected: ExpectedOwner): Promise<RailOutcome>;
};

/** Creates the functions that send and query the orders of one OPG account. */
export function createOrders(dialect: OpgDialect, wire: OpgWire): OpgOrders {
  const fetchTransaction = async (id: string, expected: ExpectedOwner) =>
    readTransactionAnswer(await wire.get(`/transactions/${encodeURIComponent(id)}`), { ...expected, id });

  const followRequest = async (id: string, expected: ExpectedOwner): Promise<RailOutcome> => {
    const response = await wire.get(`/requests/${encodeURIComponent(id)}`);
    if (!('status' in response)) return { ...UNKNOWN_OUTCOME, details: explainResponse(response) };
    if (response.status === 200) return { ...UNKNOWN_OUTCOME, result: 'pending' };
    // After a lost answer, a notification gives the only known id, which is the transaction's id.
    if (response.status === 404) return fetchTransaction(id, expected);
    if (response.status !== 303) return { ...UNKNOWN_OUTCOME, details: explainResponse(response) };
    const transactionId = readLocation(response, 'transactions');
    return transactionId ? fetchTransaction(transactionId, expected) : makeUnknown('location_unreadable');
  };

  return {
    async send(key, body, expected) {
      const response = await wire.post('/transactions', key, body);
      return isSuccess(response)
        ? READ_SENDING[dialect](response, expected)
        : { ...UNKNOWN_OUTCOME, ...judgePost(response) };
    },
    async query(railOrderId, expected) {
      const id = readId(railOrderId);
      if (!id) return makeUnknown('no_rail_id');
      const outcome = await (dialect === 'vpos' ? followRequest : fetchTransaction)(id, expected);
      // For vPOS the order keeps the request's id, since the next status query needs this id.
      return { ...outcome, railOrderId: id };
    },
  };
}

/** Readers of the answer to an order. ProxyPay returns the transaction, and vPOS the URL of the request. */
const READ_SENDING: Record<OpgDialect, (answer: RailAnswer, expected: ExpectedOwner) => RailOutcome> = {
  proxypay: ({ body }, expected) => readTransaction(parseAnswer(body), { ...expected, id: null }),
  vpos: (answer) => {
    const railOrderId = readLocation(answer, 'requests');
    return railOrderId ? { ...UNKNOWN_OUTCOME, result: 'pending', railOrderId } : makeUnknown('location_unreadable');
  },
};
