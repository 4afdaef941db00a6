// Refunds over AppyPay, by the id of the charge. It takes no id of ours and lists none, so what it did not answer nobody can prove.
import type { FailureCode } from '../../../shared/status.ts';
import { NOTHING_HEARD, makeUnknown, readFields, readText, type Missed, type RailAnswer } from '../ask.ts';
import type { Charge, RailOutcome, RefundOrder, RefundQuery, RefundRail } from '../provider.ts';
import { createAccess } from './access.ts';
import {
  explainError,
  explainMiss,
  judgeStatus,
  keyOf,
  parseCharge,
  readDetails,
  writeAmount,
  writeDescription,
} from './charges.ts';
import { readStatus } from './codes.ts';
import type { AppyPayAccount } from './settings.ts';

/** What is given back must be more than that. */
const MIN_MINOR = 100;

/** The refunds of one account. */
export function createRefunds(account: AppyPayAccount): RefundRail {
  const ask = createAccess(account);
  return {
    async refund(order) {
      if (order.charge.kind === 'reference') return { ...REFUSED, details: { reason: 'unsupported' } };
      if (order.amountMinor <= MIN_MINOR) return { ...REFUSED, details: { reason: 'amount_too_low' } };
      return ask({
        method: 'POST',
        path: `/refunds/${encodeURIComponent(order.charge.providerRef)}`,
        body: writeRefund(order),
        read: (answer) => readRefundAnswer(answer, order),
        miss: missRefund,
      });
    },
    queryRefund: (asked) =>
      ask({
        method: 'GET',
        path: `/charges/${encodeURIComponent(asked.charge.providerRef)}`,
        read: (answer) => readRefundEvent(answer, asked),
        miss: (error) => ({ ...NOTHING_HEARD, details: explainMiss(error) }),
      }),
  };
}

function writeRefund({ amountMinor, currency, description }: RefundOrder): string {
  const plain = writeDescription(description);
  return JSON.stringify({ amount: writeAmount(amountMinor, currency), ...(plain && { description: plain }) });
}

/** Without a token nothing was asked; with any other miss the money may have been given back or may not. */
function missRefund(error: Missed): RailOutcome {
  const details = explainMiss(error);
  return error.code === 'token_refused'
    ? { ...NOTHING_HEARD, result: 'declined', failureCode: 'acquirer_setup', details }
    : { ...NOTHING_HEARD, details };
}

/** Numbers that refuse a refund before it is one, whatever the HTTP status: the charge is not known, or less is left of it. */
const REFUSALS: ReadonlyMap<string | undefined, FailureCode> = new Map([
  ['720', 'issuer_refused'],
  ['760', 'limit_exceeded'],
  ['761', 'limit_exceeded'],
]);

function readRefundAnswer(answer: RailAnswer, order: RefundOrder): RailOutcome {
  const { id, responseStatus } = parseCharge(answer.body);
  const { code, words } = readStatus(responseStatus);
  const refusal = code && answer.status < 500 ? REFUSALS.get(code) : null;
  if (refusal) return { ...NOTHING_HEARD, result: 'declined', failureCode: refusal, details: words };
  if (answer.status !== 200 && answer.status !== 202) return { ...NOTHING_HEARD, details: explainError(answer) };
  const named = readText(id);
  // Where it answers with the charge's own id, the refund has none to be asked about by.
  const railOrderId = named === order.charge.providerRef ? null : named;
  return judgeRefund(responseStatus, order, railOrderId, {});
}

/** What says that money is not given back; any other refusal (a payer's, or time that ran out) is no sure word about it. */
const SURE: readonly (FailureCode | null)[] = [
  'insufficient_funds',
  'limit_exceeded',
  'issuer_refused',
  'acquirer_setup',
];

/** A refund's status names no amount: that it succeeded means what was asked for. */
function judgeRefund(
  status: unknown,
  { attemptId, charge, amountMinor, currency }: Pick<RefundOrder, 'attemptId' | 'charge' | 'amountMinor' | 'currency'>,
  railOrderId: string | null,
  details: Record<string, string>,
): RailOutcome {
  const judged = judgeStatus(readStatus(status), false);
  const outcome = { ...NOTHING_HEARD, ...judged, railOrderId, details: { ...details, ...judged.details } };
  if (judged.result === 'approved') {
    const providerRef = railOrderId ?? nameRefund(charge, attemptId);
    return { ...outcome, providerRef, amountMinor, currency };
  }
  if (judged.result === 'declined' && !SURE.includes(judged.failureCode)) {
    return {
      ...outcome,
      result: 'unknown',
      failureCode: null,
      details: { ...outcome.details, reason: 'code_unknown' },
    };
  }
  return outcome;
}

/** As the rail names it by nothing but its charge, which may have others. */
function nameRefund({ providerRef }: Charge, attemptId: string): string {
  return `${providerRef}:${keyOf(attemptId)}`;
}

/** Only an event that bears the id of the refund's answer is this refund's: others of the charge may be anybody's. */
function readRefundEvent(answer: RailAnswer, asked: RefundQuery): RailOutcome {
  const { railOrderId, charge } = asked;
  const unproven = (reason: string) => ({ ...makeUnknown(reason), railOrderId });
  if (answer.status !== 200) return { ...NOTHING_HEARD, railOrderId, details: explainError(answer) };
  const payment = readFields(parseCharge(answer.body).payment);
  if (readText(payment.id) !== charge.providerRef) return unproven(payment.id ? 'other_charge' : 'unreadable');
  if (railOrderId === null) return unproven('refund_unproven');
  const events = Array.isArray(payment.transactionEvents) ? payment.transactionEvents.map(readFields) : [];
  const event = events.findLast(({ id, transactionId }) => id === railOrderId || transactionId === railOrderId);
  if (!event) return unproven('refund_unproven');
  return judgeRefund(event.responseStatus, asked, railOrderId, readDetails({ transactionEvents: [event] }));
}

const REFUSED: RailOutcome = { ...NOTHING_HEARD, result: 'declined', failureCode: 'issuer_refused' };
