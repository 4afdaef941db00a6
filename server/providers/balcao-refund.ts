// Refunds of our own protocol (docs/rail.md), the same at its GPO rail and at its PPR rail.
import { toDecimal } from '../../shared/money.ts';
import { createAsk, makeUnknown, type Missed, type RailAnswer, type RailOptions } from './ask.ts';
import type { RailNews } from './connector.ts';
import { readNotification, readOrderAnswer } from './gpo/client.ts';
import type { RefundOrder, RefundRail } from './provider.ts';

/** A client of one rail's refunds. It keeps nothing: outcomes are for its caller to record. */
export function createRefundRail(options: RailOptions): RefundRail {
  const ask = createAsk(options);
  // Money may have been given back or may not: only the rail can tell, when it is asked again.
  const miss = (error: Missed) => makeUnknown(error.code, { error: error.message });
  return {
    refund(order) {
      const read = (answer: RailAnswer) => readOrderAnswer(answer, 'refund', order.attemptId, 'POST');
      return ask({ method: 'POST', path: '/v1/refunds', body: writeRefund(order), read, miss });
    },
    queryRefund({ attemptId }) {
      const read = (answer: RailAnswer) => readOrderAnswer(answer, 'refund', attemptId, 'GET');
      return ask({ method: 'GET', path: `/v1/refunds/${encodeURIComponent(attemptId)}`, read, miss });
    },
  };
}

/** The body of a refund: the same bytes for the same order, so that it may be repeated. */
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

/** What a PPR rail's notification says of a refund, or null when it is about anything else. */
export function readRefundNotification(rawBody: string): RailNews | null {
  const news = readNotification(rawBody);
  return news?.about === 'order' && news.kind === 'refund' ? news : null;
}
