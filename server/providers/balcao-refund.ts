// The refunds of our own rail protocol (docs/rail.md). GPO rails and PPR rails use the same operations.
import { toDecimal } from '../../shared/money.ts';
import { createSignedCall, makeUnknown, type CallFailure, type RailAnswer, type RailOptions } from './rail-call.ts';
import type { NotificationItem } from './connector.ts';
import { readNotification, readOrderAnswer } from './gpo/client.ts';
import type { RefundOrder, RefundRail } from './provider.ts';

/** Creates a client for refunds of our own rail protocol. The caller records the outcomes. */
export function createRefundRail(options: RailOptions): RefundRail {
  const call = createSignedCall(options);
  // The rail may have refunded the payment: only a later query shows it.
  const onFailure = (error: CallFailure) => makeUnknown(error.code, { error: error.message });
  return {
    refund(order) {
      const read = (answer: RailAnswer) => readOrderAnswer(answer, 'refund', order.attemptId, 'POST');
      return call({ method: 'POST', path: '/v1/refunds', body: writeRefund(order), read, onFailure });
    },
    queryRefund({ attemptId }) {
      const read = (answer: RailAnswer) => readOrderAnswer(answer, 'refund', attemptId, 'GET');
      return call({ method: 'GET', path: `/v1/refunds/${encodeURIComponent(attemptId)}`, read, onFailure });
    },
  };
}

/** Writes the body of a refund. The same order gives the same bytes, so that the rail recognizes a repeat. */
export function writeRefund(order: RefundOrder): string {
  const { attemptId: id, gpoMerchantId, charge, amountMinor, currency, description } = order;
  return JSON.stringify({
    id,
    merchantId: gpoMerchantId || null,
    transactionId: charge.providerRef,
    amount: toDecimal(amountMinor, currency),
    currency,
    description,
  });
}

/** Reads a PPR rail's notification about a refund, or returns null for any other notification. */
export function readRefundNotification(rawBody: string): NotificationItem | null {
  const item = readNotification(rawBody);
  return item?.about === 'order' && item.kind === 'refund' ? item : null;
}
