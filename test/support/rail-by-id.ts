// Clients of our own protocol with queries by our id alone, which the protocol needs only.
import type { SmsRail } from '../../server/providers/message.ts';
import type { GpoRail, OrderKind, PprRail } from '../../server/providers/provider.ts';

const NEVER = { railOrderId: null, sentAt: new Date(0) };

export function gpoById(rail: GpoRail) {
  return {
    ...rail,
    query: (kind: OrderKind, attemptId: string) => rail.query({ kind, attemptId, ...NEVER }),
    queryQrCode: (attemptId: string) => rail.queryQrCode({ attemptId, ...NEVER }),
  };
}

export function pprById(rail: PprRail) {
  const keyOf = (referenceId: string) => ({ referenceId, entity: '', reference: '' });
  return {
    ...rail,
    withdraw: (referenceId: string) => rail.withdraw(keyOf(referenceId)),
    query: (referenceId: string) => rail.query(keyOf(referenceId)),
  };
}

export function smsById(rail: SmsRail) {
  return {
    ...rail,
    query: (messageId: string) => rail.query({ messageId, to: '', text: '', railMessageId: null, sentAt: null }),
  };
}
