// The rail's words into ours and back (docs/rail.md, version 1): what another acquirer's connector writes anew.
import { toDecimal, toReceivedMinor } from '../../../shared/money.ts';
import type { FailureCode } from '../../../shared/status.ts';
import type { PurchaseOrder, PurchaseOutcome } from '../provider.ts';

/** The body of a purchase request: the same bytes for the same order, so that it may be repeated. */
export function writePurchase(order: PurchaseOrder): string {
  return JSON.stringify({
    id: order.attemptId,
    merchantId: order.gpoMerchantId,
    terminalId: order.gpoPosId,
    reference: order.reference,
    phone: order.phone,
    amount: toDecimal(order.amountMinor, order.currency),
    currency: order.currency,
    description: order.description,
  });
}

/** What an answer to a purchase (`POST`) or a status query (`GET`) says of the attempt. */
export function readAnswer(
  answer: { status: number; body: string },
  attemptId: string,
  method: 'GET' | 'POST',
): PurchaseOutcome {
  const { status } = answer;
  const value = parseExact(answer.body);
  if (status === 200 || status === 202) return readPurchase(value, attemptId);
  const code = readText(readFields(value).code);
  if (method === 'GET' && status === 404 && code === 'UNKNOWN_PURCHASE') return { ...NOTHING, result: 'not_found' };
  const reason = status >= 400 && status < 500 ? 'rail_refused' : 'rail_error';
  return makeUnknown(reason, { httpStatus: String(status), ...(code && { railCode: code }) });
}

/** The rail's words of refusal; one that is not here leaves the purchase pending. */
const FAILURES: ReadonlyMap<unknown, FailureCode> = new Map([
  ['CUSTOMER_REFUSED', 'customer_refused'],
  ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
  ['LIMIT_EXCEEDED', 'limit_exceeded'],
  ['NUMBER_NOT_ACTIVE', 'number_not_active'],
  ['TIMED_OUT', 'timed_out'],
  ['TERMINAL_CLOSED', 'terminal_closed'],
  ['ISSUER_REFUSED', 'issuer_refused'],
]);

/** A purchase as the rail writes it, in answers and in notifications. */
export function readPurchase(value: unknown, attemptId: string): PurchaseOutcome {
  const purchase = readFields(value);
  const id = readText(purchase.id);
  const status = readText(purchase.status);
  if (!id || !status) return makeUnknown('unreadable');
  if (id !== attemptId) return makeUnknown('other_purchase', { railId: id });

  const details = pickTexts(purchase, DETAILS);
  const reason = purchase.reason ?? '';
  // A status that its own reason contradicts is not believed: the next query may say it straight.
  if (status === 'APPROVED' && reason === '') return readApproval(purchase, details);
  const failureCode = (status === 'DECLINED' && FAILURES.get(reason)) || null;
  if (!failureCode) {
    return { ...NOTHING, result: 'pending', details: { ...details, ...pickTexts(purchase, RAIL_WORDS) } };
  }
  return { ...NOTHING, result: 'declined', failureCode, occurredAt: readTime(purchase.decidedAt), details };
}

function readApproval(purchase: Record<string, unknown>, details: Record<string, string>): PurchaseOutcome {
  const amount = readText(purchase.amount) ?? '';
  const currency = readText(purchase.currency) ?? '';
  const taken = /^[A-Z]{3}$/.test(currency) ? toReceivedMinor(amount, currency) : null;
  if (!taken || 'fault' in taken) {
    return makeUnknown('amount_unreadable', { ...details, railAmount: amount, railCurrency: currency });
  }
  const providerRef = readText(purchase.transactionId);
  if (!providerRef) return makeUnknown('transaction_unreadable', details);
  const occurredAt = readTime(purchase.decidedAt);
  return {
    result: 'approved',
    failureCode: null,
    providerRef,
    amountMinor: taken.minor,
    currency,
    occurredAt,
    details,
  };
}

const NOTHING: PurchaseOutcome = {
  result: 'unknown',
  failureCode: null,
  providerRef: null,
  amountMinor: null,
  currency: null,
  occurredAt: null,
  details: {},
};

/** An outcome of which only the reason for not knowing is known. */
export function makeUnknown(reason: string, details: Record<string, string> = {}): PurchaseOutcome {
  return { ...NOTHING, details: { ...details, reason } };
}

const parseWithSource = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

/**
 * JSON with every number as the text it was written in: ids of 18 digits are beyond a double, and amounts and ids drift
 * between number and string. What is no JSON is null.
 */
export function parseExact(text: string): unknown {
  try {
    return parseWithSource(text, (_key, value, context) => (typeof value === 'number' ? context.source : value));
  } catch {
    return null;
  }
}

/** An object's fields; none for anything else. */
export function readFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** A word or number of the rail: short and printable, or it is none (it is going into the database and the logs). */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && /^[\x20-\x7e]{1,64}$/.test(value) ? value : null;
}

function readTime(value: unknown): Date | null {
  const text = readText(value);
  if (!text || !/^\d{4}-\d\d-\d\dT/.test(text)) return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time;
}

const DETAILS = { transactionNumber: 'transactionNumber', clearingPeriod: 'clearingPeriod', terminalId: 'terminalId' };

/** Kept while a purchase is pending, for whoever has to find out why it stays so. */
const RAIL_WORDS = { railStatus: 'status', railReason: 'reason' };

function pickTexts(purchase: Record<string, unknown>, wanted: Record<string, string>): Record<string, string> {
  const found = Object.entries(wanted).map(([ours, theirs]) => [ours, readText(purchase[theirs])] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== null));
}
