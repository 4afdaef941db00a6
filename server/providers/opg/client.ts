// The client of ProxyPay OPG and vPOS: pushes, refunds and QR codes. Status queries need the rail's own id.
import { toDecimal } from '../../../shared/money.ts';
import { UNKNOWN_OUTCOME, TERMINAL_UNSUPPORTED } from '../rail-call.ts';
import type { Charge, GpoRail, PushOrder, RailOrder, RefundOrder, RefundRail } from '../provider.ts';
import { createOrders } from './order.ts';
import { createOpgCodes } from './qrcode.ts';
import type { OpgAccount } from './settings.ts';
import { OPG_CURRENCY, type ExpectedTransaction } from './transaction.ts';
import { createOpgWire, UNSUPPORTED } from './wire.ts';

/** Creates the clients of one OPG account. The caller records the outcomes. */
export function createOpgRail(account: OpgAccount): { gpo: GpoRail; refunds: RefundRail } {
  // The rail writes the terminal's id as a JSON integer, without leading zeros.
  const posId = String(Number(account.settings.posId));
  const wire = createOpgWire(account);
  const orders = createOrders(account.settings.dialect, wire);
  const push: Omit<ExpectedTransaction, 'id'> = { posId, chargeId: null, parentId: null };
  const refundOf = ({ providerRef }: Charge) => ({ ...push, parentId: providerRef });

  const gpo: GpoRail = {
    async send(order) {
      if (!isPush(order)) return { ...UNKNOWN_OUTCOME, ...UNSUPPORTED };
      return orders.send(order.attemptId, writePush(order, posId), push);
    },
    async query({ kind, railOrderId }) {
      return kind === 'purchase' ? orders.query(railOrderId, push) : { ...UNKNOWN_OUTCOME, ...UNSUPPORTED };
    },
    ...createOpgCodes(account, wire, posId),
    moveTerminal: async () => TERMINAL_UNSUPPORTED,
    queryTerminal: async () => TERMINAL_UNSUPPORTED,
  };
  const refunds: RefundRail = {
    async refund(order) {
      if (!isFullRefund(order)) return { ...UNKNOWN_OUTCOME, ...UNSUPPORTED };
      return orders.send(order.attemptId, writeRefund(order), refundOf(order.charge));
    },
    queryRefund: ({ railOrderId, charge }) => orders.query(railOrderId, refundOf(charge)),
  };
  return { gpo, refunds };
}

/** True for a push that these rails support: a purchase in kwanzas with Multicaixa Express. */
function isPush(order: RailOrder): order is PushOrder {
  return order.kind === 'purchase' && order.currency === OPG_CURRENCY && order.wallet === null;
}

/** Writes the body of a push. The same order gives the same bytes. */
function writePush({ phone, amountMinor, currency, notifyUrl }: PushOrder, posId: string) {
  return {
    type: 'payment',
    pos_id: Number(posId),
    mobile: phone.replace(/^\+244/, ''),
    amount: toDecimal(amountMinor, currency),
    callback_url: notifyUrl,
  };
}

/** True for a refund of the whole amount. These rails have no partial refunds, since their refunds have no amount. */
function isFullRefund({ amountMinor, currency, charge }: RefundOrder): boolean {
  return currency === OPG_CURRENCY && amountMinor === charge.amountMinor;
}

function writeRefund({ charge, notifyUrl }: RefundOrder) {
  return { type: 'refund', parent_transaction_id: charge.providerRef, callback_url: notifyUrl };
}
