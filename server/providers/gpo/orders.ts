// Purchases, authorizations, captures and voids: our words into the rail's, and back.
import { toDecimal } from '../../../shared/money.ts';
import type { FailureCode } from '../../../shared/status.ts';
import type { CaptureOrder, OrderKind, PushOrder, RailOrder, RailOutcome, VoidOrder } from '../provider.ts';
import {
  explainStatus,
  parseExact,
  pickTexts,
  readCode,
  readFields,
  readMoney,
  readText,
  readTime,
  type Answer,
  type Method,
} from '../read.ts';

/** The body of an order: the same bytes for the same order, so that it may be repeated. */
export function writeOrder(order: RailOrder): string {
  const { attemptId: id, gpoMerchantId: merchantId } = order;
  return JSON.stringify({ id, merchantId, ...(order.kind === 'void' ? listTarget(order) : listMoney(order)) });
}

function listTarget({ target, targetId }: VoidOrder) {
  return { target, targetId };
}

function listMoney(order: PushOrder | CaptureOrder) {
  const { gpoPosId: terminalId, reference, amountMinor, currency, description } = order;
  const from = order.kind === 'capture' ? { authorizationId: order.authorizationId } : { phone: order.phone };
  return { terminalId, reference, ...from, amount: toDecimal(amountMinor, currency), currency, description };
}

/** Only the rail's own word for it, said to a query, means that it never saw an attempt. */
const NOT_FOUND: Record<OrderKind, string> = {
  purchase: 'UNKNOWN_PURCHASE',
  authorization: 'UNKNOWN_AUTHORIZATION',
  capture: 'UNKNOWN_CAPTURE',
  void: 'UNKNOWN_VOID',
};

/** What an answer to an order (`POST`) or a status query (`GET`) says of the attempt. */
export function readOrderAnswer(answer: Answer, kind: OrderKind, attemptId: string, method: Method): RailOutcome {
  const { status, body } = answer;
  if (status === 200 || status === 202) return readOrder(parseExact(body), kind, attemptId);
  if (method === 'GET' && status === 404 && readCode(answer) === NOT_FOUND[kind]) {
    return { ...NOTHING, result: 'not_found' };
  }
  return { ...NOTHING, details: explainStatus(answer) };
}

/** The rail's words of refusal; one that is not here leaves the order pending. */
const FAILURES: ReadonlyMap<unknown, FailureCode> = new Map([
  ['CUSTOMER_REFUSED', 'customer_refused'],
  ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
  ['LIMIT_EXCEEDED', 'limit_exceeded'],
  ['NUMBER_NOT_ACTIVE', 'number_not_active'],
  ['TIMED_OUT', 'timed_out'],
  ['TERMINAL_CLOSED', 'terminal_closed'],
  ['ISSUER_REFUSED', 'issuer_refused'],
  ['VOIDED', 'issuer_refused'],
]);

/** Said of captures and voids beside those above: the authorization is not in the state that they need. */
const STEP_FAILURES: ReadonlyMap<unknown, FailureCode> = new Map([
  ...FAILURES,
  ['AUTHORIZATION_BUSY', 'issuer_refused'],
  ['AUTHORIZATION_CLOSED', 'issuer_refused'],
  ['AUTHORIZATION_NOT_APPROVED', 'issuer_refused'],
  ['UNKNOWN_AUTHORIZATION', 'issuer_refused'],
  ['AMOUNT_TOO_HIGH', 'issuer_refused'],
  ['ALREADY_CAPTURED', 'issuer_refused'],
]);

const FAILURES_OF: Record<OrderKind, ReadonlyMap<unknown, FailureCode>> = {
  purchase: FAILURES,
  authorization: FAILURES,
  capture: STEP_FAILURES,
  void: STEP_FAILURES,
};

/** An order as the rail writes it, in answers and in notifications. */
export function readOrder(value: unknown, kind: OrderKind, attemptId: string): RailOutcome {
  const order = readFields(value);
  const id = readText(order.id);
  const status = readText(order.status);
  if (!id || !status) return makeUnknown('unreadable');
  if (id !== attemptId) return makeUnknown('other_purchase', { railId: id });

  const details = pickTexts(order, DETAILS);
  const words = { ...details, ...pickTexts(order, RAIL_WORDS) };
  const reason = order.reason ?? '';
  // A status that its own reason contradicts is not believed: the next query may say it straight.
  if (status === 'APPROVED' && reason === '') return readApproval(order, kind, details);
  const failureCode = (status === 'DECLINED' && FAILURES_OF[kind].get(reason)) || null;
  if (!failureCode) return { ...NOTHING, result: 'pending', details: words };
  const occurredAt = readTime(order.decidedAt);
  // Many words of the rail become this one: which of them it was decides what to do next.
  const told = failureCode === 'issuer_refused' ? words : details;
  return { ...NOTHING, result: 'declined', failureCode, occurredAt, details: told };
}

function readApproval(order: Record<string, unknown>, kind: OrderKind, details: Record<string, string>): RailOutcome {
  const occurredAt = readTime(order.decidedAt);
  // A void moves no money of its own.
  if (kind === 'void') return { ...NOTHING, result: 'approved', occurredAt, details };
  const money = readMoney(order);
  if (!('fault' in money)) return { ...NOTHING, ...money, result: 'approved', occurredAt, details };
  if (money.fault === 'transaction_unreadable') return makeUnknown(money.fault, details);
  const [railAmount, railCurrency] = [readText(order.amount) ?? '', readText(order.currency) ?? ''];
  return makeUnknown(money.fault, { ...details, railAmount, railCurrency });
}

const NOTHING: RailOutcome = {
  result: 'unknown',
  failureCode: null,
  providerRef: null,
  amountMinor: null,
  currency: null,
  occurredAt: null,
  details: {},
};

/** An outcome of which only the reason for not knowing is known. */
export function makeUnknown(reason: string, details: Record<string, string> = {}): RailOutcome {
  return { ...NOTHING, details: { ...details, reason } };
}

const DETAILS = { transactionNumber: 'transactionNumber', clearingPeriod: 'clearingPeriod', terminalId: 'terminalId' };

/** Kept for whoever has to find out why an order is pending, or what was refused. */
const RAIL_WORDS = { railStatus: 'status', railReason: 'reason' };
