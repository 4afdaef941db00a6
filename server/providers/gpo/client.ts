// The client of a GPO rail of our own protocol (docs/rail.md): purchases, authorizations, captures and voids.
import { toDecimal } from '../../../shared/money.ts';
import type { FailureCode } from '../../../shared/status.ts';
import {
  UNKNOWN_OUTCOME,
  createSignedCall,
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
  type CallFailure,
  type RailAnswer,
  LONG_LIST_LIMITS,
  type Method,
  type RailOptions,
} from '../rail-call.ts';
import type { CaptureOrder, GpoRail, OrderKind, PushOrder, RailOrder, RailOutcome, VoidOrder } from '../provider.ts';
import type { NotificationItem } from '../connector.ts';
import { readQrAnswer, readScan, writeQrCode, writeReference } from './qrcode.ts';
import { readTerminal, readTerminalAnswer, writeTerminalMove } from './terminal.ts';

/** Short timeout of a call for a QR code, because the merchant's request waits for the code. */
const QR_TIMEOUT_MS = 10_000;

/** Creates a client of one GPO rail of our own protocol. The caller records the outcomes. */
export function createGpoRail(options: RailOptions): GpoRail {
  const call = createSignedCall(options);
  // The rail may have taken the money: only a later query shows it.
  const onFailure = (error: CallFailure) => makeUnknown(error.code, { error: error.message });
  const onQrFailure = (error: CallFailure) => makeUnknownQr(error.code, { error: error.message });
  return {
    send(order) {
      const { kind, attemptId } = order;
      const read = (answer: RailAnswer) => readOrderAnswer(answer, kind, attemptId, 'POST');
      return call({ method: 'POST', path: `/v1/${kind}s`, body: writeOrder(order), read, onFailure });
    },
    query({ kind, attemptId }) {
      const read = (answer: RailAnswer) => readOrderAnswer(answer, kind, attemptId, 'GET');
      return call({ method: 'GET', path: `/v1/${kind}s/${encodeURIComponent(attemptId)}`, read, onFailure });
    },
    createQrCode(order) {
      const read = (answer: RailAnswer) => readQrAnswer(answer, order.attemptId, 'POST');
      const timeoutMs = Math.min(options.timeoutMs, QR_TIMEOUT_MS);
      const [body, maxBytes] = [writeQrCode(order), LONG_LIST_LIMITS.maxBytes];
      return call({ method: 'POST', path: '/v1/qrcodes', body, timeoutMs, maxBytes, read, onFailure: onQrFailure });
    },
    queryQrCode({ attemptId }) {
      const read = (answer: RailAnswer) => readQrAnswer(answer, attemptId, 'GET');
      const path = `/v1/qrcodes/${encodeURIComponent(attemptId)}`;
      return call({ method: 'GET', path, maxBytes: LONG_LIST_LIMITS.maxBytes, read, onFailure: onQrFailure });
    },
    moveTerminal(order) {
      const read = (answer: RailAnswer) => readTerminalAnswer(answer, order.posId);
      const path = `/v1/terminals/${encodeURIComponent(order.posId)}/${order.action}`;
      return call({ method: 'POST', path, body: writeTerminalMove(order), read, onFailure: onTerminalFailure });
    },
    queryTerminal(posId) {
      const read = (answer: RailAnswer) => readTerminalAnswer(answer, posId);
      return call({
        method: 'GET',
        path: `/v1/terminals/${encodeURIComponent(posId)}`,
        read,
        onFailure: onTerminalFailure,
      });
    },
  };
}

function onTerminalFailure(error: CallFailure) {
  const unknown = makeUnknownTerminal(error.code, { error: error.message });
  return error.code === 'unreachable' ? { ...unknown, result: 'unreached' as const } : unknown;
}

/** Writes the body of an order. The same order gives the same bytes, so that the rail recognizes a repeat. */
export function writeOrder(order: RailOrder): string {
  const { attemptId: id, gpoMerchantId: merchantId } = order;
  return JSON.stringify({ id, merchantId, ...(order.kind === 'void' ? targetFields(order) : moneyFields(order)) });
}

function targetFields({ target, targetId }: VoidOrder) {
  return { target, targetId };
}

function moneyFields(order: PushOrder | CaptureOrder) {
  const { gpoPosId: terminalId, reference, amountMinor, currency, description } = order;
  const from = order.kind === 'capture' ? { authorizationId: order.authorizationId } : { phone: order.phone };
  const amount = toDecimal(amountMinor, currency);
  const metadata = order.kind === 'purchase' && order.ours ? { ours: order.ours } : {};
  return { terminalId, reference: writeReference(reference), ...from, amount, currency, description, ...metadata };
}

/** The kinds of orders that the rail decides under our id, including refunds. */
type OrderOrRefundKind = OrderKind | 'refund';

/** Codes of a 404 by which the rail confirms that it never received the attempt. Other 404s prove nothing. */
const NOT_FOUND: Record<OrderOrRefundKind, string> = {
  purchase: 'UNKNOWN_PURCHASE',
  authorization: 'UNKNOWN_AUTHORIZATION',
  capture: 'UNKNOWN_CAPTURE',
  void: 'UNKNOWN_VOID',
  refund: 'UNKNOWN_REFUND',
};

/** Reads the answer to an order (`POST`) or to a status query (`GET`). */
export function readOrderAnswer(
  answer: RailAnswer,
  kind: OrderOrRefundKind,
  attemptId: string,
  method: Method,
): RailOutcome {
  const { status, body } = answer;
  if (status === 200 || status === 202) return readOrder(parseAnswer(body), kind, attemptId);
  if (method === 'GET' && status === 404 && readCode(answer) === NOT_FOUND[kind]) {
    return { ...UNKNOWN_OUTCOME, result: 'not_found' };
  }
  return { ...UNKNOWN_OUTCOME, details: explainStatus(answer) };
}

/** The rail's reasons for a refused order. A reason outside of this table leaves the order pending. */
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

/** Further refusal reasons of captures and voids: the authorization is in the wrong state. */
const STEP_FAILURES: ReadonlyMap<unknown, FailureCode> = new Map([
  ...FAILURES,
  ['AUTHORIZATION_BUSY', 'issuer_refused'],
  ['AUTHORIZATION_CLOSED', 'issuer_refused'],
  ['AUTHORIZATION_NOT_APPROVED', 'issuer_refused'],
  ['UNKNOWN_AUTHORIZATION', 'issuer_refused'],
  ['AMOUNT_TOO_HIGH', 'issuer_refused'],
  ['ALREADY_CAPTURED', 'issuer_refused'],
]);

/** The rail's reasons for a refused refund. */
const REFUND_FAILURES: ReadonlyMap<unknown, FailureCode> = new Map([
  ['TRANSACTION_UNKNOWN', 'issuer_refused'],
  ['AMOUNT_TOO_HIGH', 'limit_exceeded'],
  ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
  ['ISSUER_REFUSED', 'issuer_refused'],
]);

const FAILURES_BY_KIND: Record<OrderOrRefundKind, ReadonlyMap<unknown, FailureCode>> = {
  purchase: FAILURES,
  authorization: FAILURES,
  capture: STEP_FAILURES,
  void: STEP_FAILURES,
  refund: REFUND_FAILURES,
};

/** Reads an order from an answer or a rail notification. */
export function readOrder(value: unknown, kind: OrderOrRefundKind, attemptId: string): RailOutcome {
  const order = readFields(value);
  const id = readText(order.id);
  const status = readText(order.status);
  if (!id || !status) return makeUnknown('unreadable');
  if (id !== attemptId) return makeUnknown('other_purchase', { railId: id });

  const details = pickTexts(order, DETAILS);
  const rawDetails = { ...details, ...pickTexts(order, RAW_STATUS_FIELDS) };
  const reason = order.reason ?? '';
  // An approval with a refusal reason contradicts itself, so the order stays pending until the next query.
  if (status === 'APPROVED' && reason === '') return readApproval(order, kind, details);
  const failureCode = (status === 'DECLINED' && FAILURES_BY_KIND[kind].get(reason)) || null;
  if (!failureCode) return { ...UNKNOWN_OUTCOME, result: 'pending', details: rawDetails };
  const occurredAt = readTime(order.decidedAt);
  // Several rail reasons become `issuer_refused`. Later rules need the rail's own reason, which the details keep.
  const refusalDetails = failureCode === 'issuer_refused' ? rawDetails : details;
  return { ...UNKNOWN_OUTCOME, result: 'declined', failureCode, occurredAt, details: refusalDetails };
}

function readApproval(
  order: Record<string, unknown>,
  kind: OrderOrRefundKind,
  details: Record<string, string>,
): RailOutcome {
  const occurredAt = readTime(order.decidedAt);
  // The outcome of a void has no amount.
  if (kind === 'void') return { ...UNKNOWN_OUTCOME, result: 'approved', occurredAt, details };
  const money = readMoney(order);
  if (!('fault' in money)) return { ...UNKNOWN_OUTCOME, ...money, result: 'approved', occurredAt, details };
  if (money.fault === 'transaction_unreadable') return makeUnknown(money.fault, details);
  const [railAmount, railCurrency] = [readText(order.amount) ?? '', readText(order.currency) ?? ''];
  return makeUnknown(money.fault, { ...details, railAmount, railCurrency });
}

const DETAILS = { transactionNumber: 'transactionNumber', clearingPeriod: 'clearingPeriod', terminalId: 'terminalId' };

/** Details of an order for support: the reason why the order is pending or refused. */
const RAW_STATUS_FIELDS = { railStatus: 'status', railReason: 'reason' };

const ATTEMPT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Reader = (message: Record<string, unknown>, notificationId: string) => NotificationItem | null;

const READERS: ReadonlyMap<unknown, Reader> = new Map([
  ['purchase', readOrderItem('purchase')],
  ['authorization', readOrderItem('authorization')],
  ['capture', readOrderItem('capture')],
  ['void', readOrderItem('void')],
  ['refund', readOrderItem('refund')],
  ['qrcode_payment', readScanItem],
  ['terminal', readTerminalItem],
]);

/**
 * Reads a rail notification whose signature the caller has verified.
 * Returns null for an unknown type, an unreadable body, or a scan without money.
 */
export function readNotification(rawBody: string): NotificationItem | null {
  const message = readFields(parseAnswer(rawBody));
  const notificationId = readText(message.id);
  return (notificationId && READERS.get(message.type)?.(message, notificationId)) || null;
}

/** Creates a reader for orders of one kind. A notification has the order in a field that is named by the kind. */
function readOrderItem(kind: OrderOrRefundKind): Reader {
  return (message, notificationId) => {
    const attemptId = readAttemptId(readFields(message[kind]).id);
    if (!attemptId) return null;
    const outcome = readOrder(message[kind], kind, attemptId);
    return { notificationId, about: 'order', kind, attemptId, outcome };
  };
}

function readScanItem(message: Record<string, unknown>, notificationId: string): NotificationItem | null {
  const attemptId = readAttemptId(readFields(message.payment).qrCodeId);
  const scan = attemptId && readScan(message.payment, attemptId);
  return scan ? { notificationId, about: 'scan', attemptId, scan } : null;
}

function readTerminalItem(message: Record<string, unknown>, notificationId: string): NotificationItem | null {
  const posId = readText(readFields(message.terminal).posId);
  const outcome = posId && readTerminal(message.terminal, posId);
  return outcome && outcome.result === 'told' ? { notificationId, about: 'terminal', posId, outcome } : null;
}

function readAttemptId(value: unknown): string | null {
  const id = readText(value);
  return id && ATTEMPT_ID.test(id) ? id : null;
}
