// Refunds through AppyPay, by the id of the charge. AppyPay accepts no id of ours for a refund.
// A query cannot find a refund whose answer was lost, so such a refund stays unknown.
import type { FailureCode } from '../../../shared/status.ts';
import { UNKNOWN_OUTCOME, makeUnknown, readFields, readText, type CallFailure, type RailAnswer } from '../rail-call.ts';
import type { Charge, RailOutcome, RefundOrder, RefundQuery, RefundRail } from '../provider.ts';
import { createAppyPayCall } from './access.ts';
import {
  explainError,
  explainFailure,
  judgeStatus,
  keyOf,
  parseCharge,
  readDetails,
  writeAmount,
  writeDescription,
} from './charges.ts';
import { readStatus } from './codes.ts';
import type { AppyPayAccount } from './settings.ts';

/** AppyPay refuses refunds of this amount and less. */
const MIN_REFUND_MINOR = 100;

/** Creates the refund client of one AppyPay account. */
export function createRefunds(account: AppyPayAccount): RefundRail {
  const call = createAppyPayCall(account);
  return {
    async refund(order) {
      if (order.charge.kind === 'reference') return { ...REFUSED, details: { reason: 'unsupported' } };
      if (order.amountMinor <= MIN_REFUND_MINOR) return { ...REFUSED, details: { reason: 'amount_too_low' } };
      return call({
        method: 'POST',
        path: `/refunds/${encodeURIComponent(order.charge.providerRef)}`,
        body: writeRefund(order),
        read: (answer) => readRefundAnswer(answer, order),
        onFailure: onRefundFailure,
      });
    },
    queryRefund: (query) =>
      call({
        method: 'GET',
        path: `/charges/${encodeURIComponent(query.charge.providerRef)}`,
        read: (answer) => readRefundEvent(answer, query),
        onFailure: (error) => ({ ...UNKNOWN_OUTCOME, details: explainFailure(error) }),
      }),
  };
}

function writeRefund({ amountMinor, currency, description }: RefundOrder): string {
  const plain = writeDescription(description);
  return JSON.stringify({ amount: writeAmount(amountMinor, currency), ...(plain && { description: plain }) });
}

/** Creates the outcome of a failed refund call. Without a token no refund was sent; other failures may have made it. */
function onRefundFailure(error: CallFailure): RailOutcome {
  const details = explainFailure(error);
  return error.code === 'token_refused'
    ? { ...UNKNOWN_OUTCOME, result: 'declined', failureCode: 'acquirer_setup', details }
    : { ...UNKNOWN_OUTCOME, details };
}

/** Codes of a refused refund: 720 unknown charge, 760 and 761 too little money left. A 5xx never refuses. */
const REFUSALS: ReadonlyMap<string | undefined, FailureCode> = new Map([
  ['720', 'issuer_refused'],
  ['760', 'limit_exceeded'],
  ['761', 'limit_exceeded'],
]);

function readRefundAnswer(answer: RailAnswer, order: RefundOrder): RailOutcome {
  const { id, responseStatus } = parseCharge(answer.body);
  const { code, railDetails } = readStatus(responseStatus);
  const refusal = code && answer.status < 500 ? REFUSALS.get(code) : null;
  if (refusal) return { ...UNKNOWN_OUTCOME, result: 'declined', failureCode: refusal, details: railDetails };
  if (answer.status !== 200 && answer.status !== 202) return { ...UNKNOWN_OUTCOME, details: explainError(answer) };
  const named = readText(id);
  // If the answer has the charge's own id, the refund has no id for later status queries.
  const railOrderId = named === order.charge.providerRef ? null : named;
  return judgeRefund(responseStatus, order, railOrderId, {});
}

/** Failures that prove that no money was refunded. Others, such as a timeout, prove nothing. */
const FINAL_REFUSALS: readonly (FailureCode | null)[] = [
  'insufficient_funds',
  'limit_exceeded',
  'issuer_refused',
  'acquirer_setup',
];

/** Translates a refund's status. It has no amount, so an approved refund counts with the requested amount. */
function judgeRefund(
  status: unknown,
  { attemptId, charge, amountMinor, currency }: Pick<RefundOrder, 'attemptId' | 'charge' | 'amountMinor' | 'currency'>,
  railOrderId: string | null,
  details: Record<string, string>,
): RailOutcome {
  const judged = judgeStatus(readStatus(status), false);
  const outcome = { ...UNKNOWN_OUTCOME, ...judged, railOrderId, details: { ...details, ...judged.details } };
  if (judged.result === 'approved') {
    const providerRef = railOrderId ?? buildRefundId(charge, attemptId);
    return { ...outcome, providerRef, amountMinor, currency };
  }
  if (judged.result === 'declined' && !FINAL_REFUSALS.includes(judged.failureCode)) {
    return {
      ...outcome,
      result: 'unknown',
      failureCode: null,
      details: { ...outcome.details, reason: 'code_unknown' },
    };
  }
  return outcome;
}

/** Builds an id for a refund without one. A charge may have many refunds, so the charge's id alone is not unique. */
function buildRefundId({ providerRef }: Charge, attemptId: string): string {
  return `${providerRef}:${keyOf(attemptId)}`;
}

/** Finds a refund among the charge's events, by the id in its answer. Other events may belong to other refunds. */
function readRefundEvent(answer: RailAnswer, query: RefundQuery): RailOutcome {
  const { railOrderId, charge } = query;
  const unproven = (reason: string) => ({ ...makeUnknown(reason), railOrderId });
  if (answer.status !== 200) return { ...UNKNOWN_OUTCOME, railOrderId, details: explainError(answer) };
  const payment = readFields(parseCharge(answer.body).payment);
  if (readText(payment.id) !== charge.providerRef) return unproven(payment.id ? 'other_charge' : 'unreadable');
  if (railOrderId === null) return unproven('refund_unproven');
  const events = Array.isArray(payment.transactionEvents) ? payment.transactionEvents.map(readFields) : [];
  const event = events.findLast(({ id, transactionId }) => id === railOrderId || transactionId === railOrderId);
  if (!event) return unproven('refund_unproven');
  return judgeRefund(event.responseStatus, query, railOrderId, readDetails({ transactionEvents: [event] }));
}

const REFUSED: RailOutcome = { ...UNKNOWN_OUTCOME, result: 'declined', failureCode: 'issuer_refused' };
