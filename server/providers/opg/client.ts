// Pushes and refunds over ProxyPay OPG and vPOS: each is made and asked about by the rail's own id. Nothing else is asked of these rails.
import { toDecimal } from '../../../shared/money.ts';
import { NOTHING_HEARD, TERMINAL_UNSUPPORTED } from '../ask.ts';
import type { Charge, GpoRail, PushOrder, RailOrder, RefundOrder, RefundRail } from '../provider.ts';
import { openOrders } from './order.ts';
import { createOpgCodes } from './qrcode.ts';
import type { OpgAccount } from './settings.ts';
import { OPG_CURRENCY, type TransactionName } from './transaction.ts';
import { createOpgWire, UNSUPPORTED } from './wire.ts';

/** The clients of one account. They keep nothing: outcomes are for their caller to record. */
export function createOpgRail(account: OpgAccount): { gpo: GpoRail; refunds: RefundRail } {
  // As a JSON integer says it: without the zeros before it.
  const posId = String(Number(account.settings.posId));
  const wire = createOpgWire(account);
  const orders = openOrders(account.settings.dialect, wire);
  const push: Omit<TransactionName, 'id'> = { posId, chargeId: null, parentId: null };
  const refundOf = ({ providerRef }: Charge) => ({ ...push, parentId: providerRef });

  const gpo: GpoRail = {
    async send(order) {
      if (!isPush(order)) return { ...NOTHING_HEARD, ...UNSUPPORTED };
      return orders.send(order.attemptId, writePush(order, posId), push);
    },
    async query({ kind, railOrderId }) {
      return kind === 'purchase' ? orders.query(railOrderId, push) : { ...NOTHING_HEARD, ...UNSUPPORTED };
    },
    ...createOpgCodes(account, wire, posId),
    moveTerminal: async () => TERMINAL_UNSUPPORTED,
    queryTerminal: async () => TERMINAL_UNSUPPORTED,
  };
  const refunds: RefundRail = {
    async refund(order) {
      if (!isWhole(order)) return { ...NOTHING_HEARD, ...UNSUPPORTED };
      return orders.send(order.attemptId, writeRefund(order), refundOf(order.charge));
    },
    queryRefund: ({ railOrderId, charge }) => orders.query(railOrderId, refundOf(charge)),
  };
  return { gpo, refunds };
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

/** A refund names no amount there: a part of the money cannot be asked for. */
function isWhole({ amountMinor, currency, charge }: RefundOrder): boolean {
  return currency === OPG_CURRENCY && amountMinor === charge.amountMinor;
}

function writeRefund({ charge, notifyUrl }: RefundOrder) {
  return { type: 'refund', parent_transaction_id: charge.providerRef, callback_url: notifyUrl };
}
