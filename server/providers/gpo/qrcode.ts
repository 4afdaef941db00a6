// Writes QR code orders in the format of our own rail protocol, and reads codes and scans from it.
import { toDecimal } from '../../../shared/money.ts';
import type { QrOrder, QrOutcome, QrScan } from '../provider.ts';
import {
  UNKNOWN_QR,
  LONG_LIST_LIMITS,
  explainStatus,
  makeUnknownQr,
  parseAnswer,
  pickTexts,
  readCode,
  readFields,
  readMoney,
  readText,
  readTime,
  type RailAnswer,
  type Method,
} from '../rail-call.ts';

const MAX_CONTENT = 200;

/**
 * Rewrites a merchant's reference in the rail's alphabet (docs/rail.md): `FT/2026 12` becomes `FT-2026-12`.
 * Two merchant references may become equal here, which is safe because only ids identify payments.
 */
export const writeReference = (reference: string) => reference.replaceAll(/[^A-Za-z0-9-]/g, '-');

/** Writes the body of a QR code order. The same order gives the same bytes. */
export function writeQrCode(order: QrOrder): string {
  return JSON.stringify({
    id: order.attemptId,
    merchantId: order.gpoMerchantId,
    terminalId: order.gpoPosId,
    reference: writeReference(order.reference),
    amount: toDecimal(order.amountMinor, order.currency),
    currency: order.currency,
    description: order.description,
    type: order.type,
    maxTransactions: order.maxTransactions,
    endDate: order.endDate.toISOString(),
  });
}

/** Reads the answer to a QR code order (`POST`) or to a status query (`GET`). */
export function readQrAnswer(answer: RailAnswer, attemptId: string, method: Method): QrOutcome {
  const { status, body } = answer;
  // The answer lists all scans of the QR code: up to 10,000, at 500 bytes each.
  if (status === 200 || status === 201) return readQrCode(parseAnswer(body, [], LONG_LIST_LIMITS.maxValues), attemptId);
  const isUnknownThere = method === 'GET' && status === 404 && readCode(answer) === 'UNKNOWN_QRCODE';
  if (isUnknownThere) return { ...UNKNOWN_QR, result: 'not_found' };
  return { ...UNKNOWN_QR, details: explainStatus(answer) };
}

/** The rail's statuses of a QR code. Used-up and ended codes exist too. Another status leaves the code unknown. */
const RESULTS: ReadonlyMap<string, 'made' | 'declined'> = new Map([
  ['ACTIVE', 'made'],
  ['USED_UP', 'made'],
  ['ENDED', 'made'],
  ['WITHDRAWN', 'declined'],
  ['REFUSED', 'declined'],
]);

/** Reads a QR code. The outcome always has the accepted scans, which are payments in every state of the code. */
function readQrCode(value: unknown, attemptId: string): QrOutcome {
  const code = readFields(value);
  const id = readText(code.id);
  const status = readText(code.status);
  if (!id || !status) return makeUnknownQr('unreadable');
  if (id !== attemptId) return makeUnknownQr('other_qrcode', { railId: id });

  const { scans, isWhole } = readScans(code.payments, attemptId);
  const rawDetails = { ...pickTexts(code, RAW_STATUS_FIELDS), ...(!isWhole && { reason: 'scan_unreadable' }) };
  const content = readText(code.content, MAX_CONTENT);
  const base = { ...UNKNOWN_QR, content, scans, details: rawDetails };
  const result = RESULTS.get(status);
  if (result === 'declined') {
    const failureCode = code.reason === 'TERMINAL_CLOSED' ? 'terminal_closed' : 'issuer_refused';
    return { ...base, result, failureCode };
  }
  if (result === 'made' && content) return { ...base, result };
  return { ...base, details: { ...rawDetails, reason: result ? 'content_unreadable' : 'status_unknown' } };
}

function readScans(value: unknown, attemptId: string): { scans: QrScan[]; isWhole: boolean } {
  if (!Array.isArray(value)) return { scans: [], isWhole: false };
  const accepted = value.filter((scan) => readFields(scan).status === 'ACCEPTED');
  const scans = accepted.map((scan) => readScan(scan, attemptId)).filter((scan) => scan !== null);
  const isWhole = scans.length === accepted.length && value.every((scan) => readText(readFields(scan).status));
  return { scans, isWhole };
}

/** Reads one accepted scan of a QR code. Null for a refused, pending or unreadable scan. */
export function readScan(value: unknown, attemptId: string): QrScan | null {
  const scan = readFields(value);
  if (scan.qrCodeId !== attemptId || scan.status !== 'ACCEPTED') return null;
  // A refusal reason contradicts an accepted scan. The next query may resolve the contradiction.
  if ((scan.reason ?? '') !== '') return null;
  const money = readMoney(scan);
  if ('fault' in money) return null;
  const occurredAt = readTime(scan.updatedDate) ?? readTime(scan.creationDate);
  return { ...money, occurredAt, details: pickTexts(scan, SCAN_DETAILS) };
}

const RAW_STATUS_FIELDS = { railStatus: 'status', railReason: 'reason' };

const SCAN_DETAILS = {
  transactionNumber: 'transactionNumber',
  clearingPeriod: 'clearingPeriod',
  terminalId: 'terminalId',
  transactionType: 'transactionType',
  orderOrigin: 'orderOrigin',
  creationDate: 'creationDate',
  updatedDate: 'updatedDate',
};
