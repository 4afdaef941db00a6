// The GPO rail (docs/rail.md): purchases, authorizations, captures and voids, and what it notifies us of.
import { toDecimal } from '../../../shared/money.ts';
import type { FailureCode } from '../../../shared/status.ts';
import {
  NOTHING_HEARD,
  createAsk,
  explainStatus,
  makeUnknown,
  makeUnknownQr,
  makeUnknownTerminal,
  parseAnswer,
  pickTexts,
  readCode,
  readFields,
  readMoney,
  readText,
  readTime,
  type Missed,
  type RailAnswer,
  OWN_LISTS,
  type Method,
  type RailOptions,
} from '../ask.ts';
import type { CaptureOrder, GpoRail, OrderKind, PushOrder, RailOrder, RailOutcome, VoidOrder } from '../provider.ts';
import type { RailNews } from '../connector.ts';
import { readQrAnswer, readScan, writeQrCode, writeReference } from './qrcode.ts';
import { readTerminal, readTerminalAnswer, writeTerminalMove } from './terminal.ts';

/** The merchant waits for the code's image (decisions §3). */
const QR_TIMEOUT_MS = 10_000;

/** A client of one GPO rail. It keeps nothing: outcomes are for its caller to record. */
export function createGpoRail(options: RailOptions): GpoRail {
  const ask = createAsk(options);
  // Money may have moved or may not: only the rail can tell, when it is asked again.
  const miss = (error: Missed) => makeUnknown(error.code, { error: error.message });
  const missQr = (error: Missed) => makeUnknownQr(error.code, { error: error.message });
  return {
    send(order) {
      const { kind, attemptId } = order;
      const read = (answer: RailAnswer) => readOrderAnswer(answer, kind, attemptId, 'POST');
      return ask({ method: 'POST', path: `/v1/${kind}s`, body: writeOrder(order), read, miss });
    },
    query({ kind, attemptId }) {
      const read = (answer: RailAnswer) => readOrderAnswer(answer, kind, attemptId, 'GET');
      return ask({ method: 'GET', path: `/v1/${kind}s/${encodeURIComponent(attemptId)}`, read, miss });
    },
    createQrCode(order) {
      const read = (answer: RailAnswer) => readQrAnswer(answer, order.attemptId, 'POST');
      const timeoutMs = Math.min(options.timeoutMs, QR_TIMEOUT_MS);
      const [body, maxBytes] = [writeQrCode(order), OWN_LISTS.maxBytes];
      return ask({ method: 'POST', path: '/v1/qrcodes', body, timeoutMs, maxBytes, read, miss: missQr });
    },
    queryQrCode({ attemptId }) {
      const read = (answer: RailAnswer) => readQrAnswer(answer, attemptId, 'GET');
      const path = `/v1/qrcodes/${encodeURIComponent(attemptId)}`;
      return ask({ method: 'GET', path, maxBytes: OWN_LISTS.maxBytes, read, miss: missQr });
    },
    moveTerminal(order) {
      const read = (answer: RailAnswer) => readTerminalAnswer(answer, order.posId);
      const path = `/v1/terminals/${encodeURIComponent(order.posId)}/${order.action}`;
      return ask({ method: 'POST', path, body: writeTerminalMove(order), read, miss: missTerminal });
    },
    queryTerminal(posId) {
      const read = (answer: RailAnswer) => readTerminalAnswer(answer, posId);
      return ask({ method: 'GET', path: `/v1/terminals/${encodeURIComponent(posId)}`, read, miss: missTerminal });
    },
  };
}

function missTerminal(error: Missed) {
  const unknown = makeUnknownTerminal(error.code, { error: error.message });
  return error.code === 'unreachable' ? { ...unknown, result: 'unreached' as const } : unknown;
}

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
  const amount = toDecimal(amountMinor, currency);
  const kept = order.kind === 'purchase' && order.ours ? { ours: order.ours } : {};
  return { terminalId, reference: writeReference(reference), ...from, amount, currency, description, ...kept };
}

/** What the rail is asked for under an id of ours, to be decided there. */
type AskedKind = OrderKind | 'refund';

/** Only the rail's own word for it, said to a query, means that it never saw an attempt. */
const NOT_FOUND: Record<AskedKind, string> = {
  purchase: 'UNKNOWN_PURCHASE',
  authorization: 'UNKNOWN_AUTHORIZATION',
  capture: 'UNKNOWN_CAPTURE',
  void: 'UNKNOWN_VOID',
  refund: 'UNKNOWN_REFUND',
};

/** What an answer to an order (`POST`) or a status query (`GET`) says of the attempt. */
export function readOrderAnswer(answer: RailAnswer, kind: AskedKind, attemptId: string, method: Method): RailOutcome {
  const { status, body } = answer;
  if (status === 200 || status === 202) return readOrder(parseAnswer(body), kind, attemptId);
  if (method === 'GET' && status === 404 && readCode(answer) === NOT_FOUND[kind]) {
    return { ...NOTHING_HEARD, result: 'not_found' };
  }
  return { ...NOTHING_HEARD, details: explainStatus(answer) };
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

/** Said of refunds alone. */
const REFUND_FAILURES: ReadonlyMap<unknown, FailureCode> = new Map([
  ['TRANSACTION_UNKNOWN', 'issuer_refused'],
  ['AMOUNT_TOO_HIGH', 'limit_exceeded'],
  ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
  ['ISSUER_REFUSED', 'issuer_refused'],
]);

const FAILURES_OF: Record<AskedKind, ReadonlyMap<unknown, FailureCode>> = {
  purchase: FAILURES,
  authorization: FAILURES,
  capture: STEP_FAILURES,
  void: STEP_FAILURES,
  refund: REFUND_FAILURES,
};

/** An order as the rail writes it, in answers and in notifications. */
export function readOrder(value: unknown, kind: AskedKind, attemptId: string): RailOutcome {
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
  if (!failureCode) return { ...NOTHING_HEARD, result: 'pending', details: words };
  const occurredAt = readTime(order.decidedAt);
  // Many words of the rail become this one: which of them it was decides what to do next.
  const told = failureCode === 'issuer_refused' ? words : details;
  return { ...NOTHING_HEARD, result: 'declined', failureCode, occurredAt, details: told };
}

function readApproval(order: Record<string, unknown>, kind: AskedKind, details: Record<string, string>): RailOutcome {
  const occurredAt = readTime(order.decidedAt);
  // A void moves no money of its own.
  if (kind === 'void') return { ...NOTHING_HEARD, result: 'approved', occurredAt, details };
  const money = readMoney(order);
  if (!('fault' in money)) return { ...NOTHING_HEARD, ...money, result: 'approved', occurredAt, details };
  if (money.fault === 'transaction_unreadable') return makeUnknown(money.fault, details);
  const [railAmount, railCurrency] = [readText(order.amount) ?? '', readText(order.currency) ?? ''];
  return makeUnknown(money.fault, { ...details, railAmount, railCurrency });
}

const DETAILS = { transactionNumber: 'transactionNumber', clearingPeriod: 'clearingPeriod', terminalId: 'terminalId' };

/** Kept for whoever has to find out why an order is pending, or what was refused. */
const RAIL_WORDS = { railStatus: 'status', railReason: 'reason' };

const ATTEMPT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Reader = (message: Record<string, unknown>, notificationId: string) => RailNews | null;

const READERS: ReadonlyMap<unknown, Reader> = new Map([
  ['purchase', readOrderNews('purchase')],
  ['authorization', readOrderNews('authorization')],
  ['capture', readOrderNews('capture')],
  ['void', readOrderNews('void')],
  ['refund', readOrderNews('refund')],
  ['qrcode_payment', readScanNews],
  ['terminal', readTerminalNews],
]);

/**
 * A notification's content, or null when it is not for us: another type, a scan that brought no money, nothing readable.
 * Its signature is checked elsewhere.
 */
export function readNotification(rawBody: string): RailNews | null {
  const message = readFields(parseAnswer(rawBody));
  const notificationId = readText(message.id);
  return (notificationId && READERS.get(message.type)?.(message, notificationId)) || null;
}

/** The thing told of stands under its own name. */
function readOrderNews(kind: AskedKind): Reader {
  return (message, notificationId) => {
    const attemptId = readAttemptId(readFields(message[kind]).id);
    if (!attemptId) return null;
    const outcome = readOrder(message[kind], kind, attemptId);
    return { notificationId, about: 'order', kind, attemptId, outcome };
  };
}

function readScanNews(message: Record<string, unknown>, notificationId: string): RailNews | null {
  const attemptId = readAttemptId(readFields(message.payment).qrCodeId);
  const scan = attemptId && readScan(message.payment, attemptId);
  return scan ? { notificationId, about: 'scan', attemptId, scan } : null;
}

function readTerminalNews(message: Record<string, unknown>, notificationId: string): RailNews | null {
  const posId = readText(readFields(message.terminal).posId);
  const outcome = posId && readTerminal(message.terminal, posId);
  return outcome && outcome.result === 'told' ? { notificationId, about: 'terminal', posId, outcome } : null;
}

function readAttemptId(value: unknown): string | null {
  const id = readText(value);
  return id && ATTEMPT_ID.test(id) ? id : null;
}
