// Pushes over ProxyPay OPG and vPOS: one payment is made and asked about by the rail's own id. Nothing else is asked of these rails.
import { toDecimal } from '../../../shared/money.ts';
import { NOTHING_HEARD, parseExact, type RailAnswer } from '../ask.ts';
import type { GpoRail, PushOrder, RailOrder, RailOutcome, TerminalOutcome } from '../provider.ts';
import { createOpgCodes } from './qrcode.ts';
import type { OpgAccount, OpgDialect } from './settings.ts';
import { makeUnknown, OPG_CURRENCY, readTransaction, readTransactionAnswer } from './transaction.ts';
import { createOpgWire, explainHeard, isSuccess, judgePost, readId, readLocation, UNSUPPORTED } from './wire.ts';

/** A client of one account. It keeps nothing: outcomes are for its caller to record. */
export function createOpgRail(account: OpgAccount): GpoRail {
  const { dialect } = account.settings;
  // As a JSON integer says it: without the zeros before it.
  const posId = String(Number(account.settings.posId));
  const wire = createOpgWire(account);

  const fetchTransaction = async (id: string) =>
    readTransactionAnswer(await wire.get(`/transactions/${encodeURIComponent(id)}`), { id, posId, chargeId: null });

  const followRequest = async (id: string): Promise<RailOutcome> => {
    const heard = await wire.get(`/requests/${encodeURIComponent(id)}`);
    if (!('status' in heard)) return { ...NOTHING_HEARD, details: explainHeard(heard) };
    if (heard.status === 200) return { ...NOTHING_HEARD, result: 'pending' };
    // After a lost answer only a notification names the order, and it names the transaction.
    if (heard.status === 404) return fetchTransaction(id);
    if (heard.status !== 303) return { ...NOTHING_HEARD, details: explainHeard(heard) };
    const transactionId = readLocation(heard, 'transactions');
    return transactionId ? fetchTransaction(transactionId) : makeUnknown('location_unreadable');
  };

  return {
    async send(order) {
      if (!isPush(order)) return { ...NOTHING_HEARD, ...UNSUPPORTED };
      const heard = await wire.post('/transactions', order.attemptId, writePush(order, posId));
      return isSuccess(heard) ? READ_SENDING[dialect](heard, posId) : { ...NOTHING_HEARD, ...judgePost(heard) };
    },
    async query({ kind, railOrderId }) {
      if (kind !== 'purchase') return { ...NOTHING_HEARD, ...UNSUPPORTED };
      const id = readId(railOrderId);
      if (!id) return makeUnknown('no_rail_id');
      const outcome = await (dialect === 'vpos' ? followRequest(id) : fetchTransaction(id));
      // Of vPOS it stays the request's: by that it is asked about again.
      return { ...outcome, railOrderId: id };
    },
    ...createOpgCodes(account, wire, posId),
    moveTerminal: async () => NO_TERMINAL,
    queryTerminal: async () => NO_TERMINAL,
  };
}

/** Purchases in kwanzas out of a Multicaixa Express wallet are all there is. */
function isPush(order: RailOrder): order is PushOrder {
  return order.kind === 'purchase' && order.currency === OPG_CURRENCY && order.wallet === null;
}

/** The body of a push: the same bytes for the same order. */
function writePush({ phone, amountMinor, currency, notifyUrl }: PushOrder, posId: string) {
  return {
    type: 'payment',
    pos_id: Number(posId),
    mobile: phone.replace(/^\+244/, ''),
    amount: toDecimal(amountMinor, currency),
    callback_url: notifyUrl,
  };
}

/** What the rail says when it took a push: ProxyPay shows the transaction, vPOS only where to ask for it. */
const READ_SENDING: Record<OpgDialect, (answer: RailAnswer, posId: string) => RailOutcome> = {
  proxypay: ({ body }, posId) => readTransaction(parseExact(body), { id: null, posId, chargeId: null }),
  vpos: (answer) => {
    const railOrderId = readLocation(answer, 'requests');
    return railOrderId ? { ...NOTHING_HEARD, result: 'pending', railOrderId } : makeUnknown('location_unreadable');
  },
};

const NO_TERMINAL: TerminalOutcome = {
  result: 'refused',
  status: null,
  period: null,
  supervisorRequired: null,
  refusal: null,
  details: { reason: 'unsupported' },
};
