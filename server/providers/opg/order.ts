// How one order is made and asked about in either dialect: ProxyPay shows the transaction, vPOS a request that becomes one.
import { NOTHING_HEARD, makeUnknown, parseAnswer, type RailAnswer } from '../ask.ts';
import type { RailOutcome } from '../provider.ts';
import type { OpgDialect } from './settings.ts';
import { readTransaction, readTransactionAnswer, type TransactionName } from './transaction.ts';
import { explainHeard, isSuccess, judgePost, readId, readLocation, type OpgWire } from './wire.ts';

/** Whose a transaction must be to be that of an order. */
type Whose = Omit<TransactionName, 'id'>;

export type OpgOrders = {
  /** @param key the same for the same order, which is sent once all the same */
  send(key: string, body: object, whose: Whose): Promise<RailOutcome>;
  query(railOrderId: string | null, whose: Whose): Promise<RailOutcome>;
};

/** The orders of one account. */
export function openOrders(dialect: OpgDialect, wire: OpgWire): OpgOrders {
  const fetchTransaction = async (id: string, whose: Whose) =>
    readTransactionAnswer(await wire.get(`/transactions/${encodeURIComponent(id)}`), { ...whose, id });

  const followRequest = async (id: string, whose: Whose): Promise<RailOutcome> => {
    const heard = await wire.get(`/requests/${encodeURIComponent(id)}`);
    if (!('status' in heard)) return { ...NOTHING_HEARD, details: explainHeard(heard) };
    if (heard.status === 200) return { ...NOTHING_HEARD, result: 'pending' };
    // After a lost answer only a notification names the order, and it names the transaction.
    if (heard.status === 404) return fetchTransaction(id, whose);
    if (heard.status !== 303) return { ...NOTHING_HEARD, details: explainHeard(heard) };
    const transactionId = readLocation(heard, 'transactions');
    return transactionId ? fetchTransaction(transactionId, whose) : makeUnknown('location_unreadable');
  };

  return {
    async send(key, body, whose) {
      const heard = await wire.post('/transactions', key, body);
      return isSuccess(heard) ? READ_SENDING[dialect](heard, whose) : { ...NOTHING_HEARD, ...judgePost(heard) };
    },
    async query(railOrderId, whose) {
      const id = readId(railOrderId);
      if (!id) return makeUnknown('no_rail_id');
      const outcome = await (dialect === 'vpos' ? followRequest : fetchTransaction)(id, whose);
      // Of vPOS it stays the request's: by that it is asked about again.
      return { ...outcome, railOrderId: id };
    },
  };
}

/** What the rail says when it took an order: ProxyPay shows the transaction, vPOS only where to ask for it. */
const READ_SENDING: Record<OpgDialect, (answer: RailAnswer, whose: Whose) => RailOutcome> = {
  proxypay: ({ body }, whose) => readTransaction(parseAnswer(body), { ...whose, id: null }),
  vpos: (answer) => {
    const railOrderId = readLocation(answer, 'requests');
    return railOrderId ? { ...NOTHING_HEARD, result: 'pending', railOrderId } : makeUnknown('location_unreadable');
  },
};
