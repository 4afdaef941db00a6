// Reads a transaction of ProxyPay OPG or vPOS: whether it belongs to the order, its result, and the amount taken.
import { toReceivedMinor } from '../../../shared/money.ts';
import type { FailureCode } from '../../../shared/status.ts';
import { UNKNOWN_OUTCOME, makeUnknown, parseAnswer, pickTexts, readFields, readText, readTime } from '../rail-call.ts';
import type { RailOutcome } from '../provider.ts';
import { explainResponse, readId, type OpgResponse } from './wire.ts';

/** The only currency of ProxyPay OPG and vPOS, whose messages have no currency. */
export const OPG_CURRENCY = 'AOA';

/**
 * Identifies the transaction of an order.
 * - `id`: the rail's id of the transaction. Null: the transaction that the order just created.
 * - `chargeId`: the charge (QR code) that the transaction paid. Null: no QR code.
 * - `parentId`: the transaction that this one refunds. Null: the transaction is a payment.
 */
export type ExpectedTransaction = {
  id: string | null;
  posId: string;
  chargeId: string | null;
  parentId: string | null;
};

/** Known reason codes of a rejected transaction. Any other code becomes `issuer_refused`. */
const FAILURES: ReadonlyMap<string, FailureCode> = new Map([
  ['1000', 'rail_unavailable'],
  ['2000', 'rail_unavailable'],
  ['2001', 'insufficient_funds'],
  ['2002', 'issuer_refused'],
  ['2003', 'limit_exceeded'],
  ['2004', 'timed_out'],
  ['3000', 'customer_refused'],
]);

/** Reads the answer to `GET /transactions/{id}`. */
export function readTransactionAnswer(response: OpgResponse, expected: ExpectedTransaction): RailOutcome {
  if ('status' in response && response.status === 200) return readTransaction(parseAnswer(response.body), expected);
  return { ...UNKNOWN_OUTCOME, details: explainResponse(response) };
}

/** Reads a transaction from the answer to an order or to a status query. */
export function readTransaction(value: unknown, expected: ExpectedTransaction): RailOutcome {
  const transaction = readFields(value);
  const id = readId(transaction.id);
  if (!id) return makeUnknown('unreadable');
  const status = readText(transaction.status);
  const isDecided = status === 'accepted' || status === 'rejected';
  if ((expected.id !== null && id !== expected.id) || !isOurs(transaction, expected, isDecided)) {
    return makeUnknown('other_purchase', { railId: id });
  }
  const details = pickTexts(transaction, { clearingPeriod: 'clearing_period' });
  const rawDetails = { ...details, ...pickTexts(transaction, { railStatus: 'status', railReason: 'status_reason' }) };
  const base = { ...UNKNOWN_OUTCOME, railOrderId: id, details: rawDetails };
  const reason = readText(transaction.status_reason) ?? '';
  const occurredAt = readTime(transaction.status_datetime);
  // An acceptance with a rejection code contradicts itself. The next query may resolve the contradiction.
  if (status === 'accepted' && !FAILURES.has(reason)) {
    return { ...base, ...readAcceptedMoney(transaction.amount, id, details), occurredAt };
  }
  if (status !== 'rejected' || !/^\d{1,6}$/.test(reason)) return { ...base, result: 'pending' };
  return { ...base, result: 'declined', failureCode: FAILURES.get(reason) ?? 'issuer_refused', occurredAt };
}

/** Reads the amount of an accepted transaction. An unreadable amount leaves the order unknown. */
function readAcceptedMoney(amount: unknown, id: string, details: Record<string, string>): Partial<RailOutcome> {
  const taken = toReceivedMinor(readText(amount) ?? '', OPG_CURRENCY);
  if ('fault' in taken) {
    return { details: { ...details, railAmount: readText(amount) ?? '', reason: 'amount_unreadable' } };
  }
  return { result: 'approved', providerRef: id, amountMinor: taken.minor, currency: OPG_CURRENCY, details };
}

/** True if the transaction belongs to the order. A decided one needs all identifying fields; others may lack some. */
function isOurs(
  { type, ...fields }: Record<string, unknown>,
  expected: ExpectedTransaction,
  isDecided: boolean,
): boolean {
  const isAbsent = (value: unknown) => (value ?? null) === null;
  const isOfType = type === (expected.parentId === null ? 'payment' : 'refund') || (isAbsent(type) && !isDecided);
  const isHere =
    readText(fields.pos_id)?.replace(/^0+/, '') === expected.posId || (isAbsent(fields.pos_id) && !isDecided);
  if (expected.parentId === null) {
    return isOfType && isHere && (isAbsent(fields.charge_id) || readText(fields.charge_id) === expected.chargeId);
  }
  const isOfMoney =
    readText(fields.parent_transaction_id) === expected.parentId ||
    (isAbsent(fields.parent_transaction_id) && !isDecided);
  return isOfType && isHere && isOfMoney;
}
