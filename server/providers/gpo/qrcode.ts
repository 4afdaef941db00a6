// QR codes and their scans: our words into the rail's, and back.
import { toDecimal } from '../../../shared/money.ts';
import type { QrOrder, QrOutcome, QrScan } from '../provider.ts';
import {
  NO_CODE,
  OWN_LISTS,
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
} from '../ask.ts';

const MAX_CONTENT = 200;

/** A merchant's reference as the rail takes it (docs/rail.md): `FT/2026 12` is `FT-2026-12` there. Only ids tell payments apart. */
export const writeReference = (reference: string) => reference.replaceAll(/[^A-Za-z0-9-]/g, '-');

/** The body that makes a code: the same bytes for the same order. */
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

/** What an answer to a code's making (`POST`) or a query (`GET`) says of it. */
export function readQrAnswer(answer: RailAnswer, attemptId: string, method: Method): QrOutcome {
  const { status, body } = answer;
  // A code's answer lists its scans: 10,000 of them at some 500 bytes.
  if (status === 200 || status === 201) return readQrCode(parseAnswer(body, [], OWN_LISTS.maxValues), attemptId);
  const isUnknownThere = method === 'GET' && status === 404 && readCode(answer) === 'UNKNOWN_QRCODE';
  if (isUnknownThere) return { ...NO_CODE, result: 'not_found' };
  return { ...NO_CODE, details: explainStatus(answer) };
}

/** The rail's words for a code; any other leaves it unknown. Used up and ended ones were made too. */
const RESULTS: ReadonlyMap<string, 'made' | 'declined'> = new Map([
  ['ACTIVE', 'made'],
  ['USED_UP', 'made'],
  ['ENDED', 'made'],
  ['WITHDRAWN', 'declined'],
  ['REFUSED', 'declined'],
]);

/** A code as the rail writes it. Its accepted scans are money whatever became of the code, and always delivered. */
function readQrCode(value: unknown, attemptId: string): QrOutcome {
  const code = readFields(value);
  const id = readText(code.id);
  const status = readText(code.status);
  if (!id || !status) return makeUnknownQr('unreadable');
  if (id !== attemptId) return makeUnknownQr('other_qrcode', { railId: id });

  const { scans, isWhole } = readScans(code.payments, attemptId);
  const words = { ...pickTexts(code, RAIL_WORDS), ...(!isWhole && { reason: 'scan_unreadable' }) };
  const content = readText(code.content, MAX_CONTENT);
  const told = { ...NO_CODE, content, scans, details: words };
  const result = RESULTS.get(status);
  if (result === 'declined') {
    const failureCode = code.reason === 'TERMINAL_CLOSED' ? 'terminal_closed' : 'issuer_refused';
    return { ...told, result, failureCode };
  }
  if (result === 'made' && content) return { ...told, result };
  return { ...told, details: { ...words, reason: result ? 'content_unreadable' : 'status_unknown' } };
}

function readScans(value: unknown, attemptId: string): { scans: QrScan[]; isWhole: boolean } {
  if (!Array.isArray(value)) return { scans: [], isWhole: false };
  const accepted = value.filter((scan) => readFields(scan).status === 'ACCEPTED');
  const scans = accepted.map((scan) => readScan(scan, attemptId)).filter((scan) => scan !== null);
  const isWhole = scans.length === accepted.length && value.every((scan) => readText(readFields(scan).status));
  return { scans, isWhole };
}

/** One accepted scan of this code, or null: refused or pending ones are nothing, and what nobody can read is not guessed. */
export function readScan(value: unknown, attemptId: string): QrScan | null {
  const scan = readFields(value);
  if (scan.qrCodeId !== attemptId || scan.status !== 'ACCEPTED') return null;
  // A refusal's reason contradicts the acceptance: the next query may say it straight.
  if ((scan.reason ?? '') !== '') return null;
  const money = readMoney(scan);
  if ('fault' in money) return null;
  const occurredAt = readTime(scan.updatedDate) ?? readTime(scan.creationDate);
  return { ...money, occurredAt, details: pickTexts(scan, SCAN_DETAILS) };
}

const RAIL_WORDS = { railStatus: 'status', railReason: 'reason' };

const SCAN_DETAILS = {
  transactionNumber: 'transactionNumber',
  clearingPeriod: 'clearingPeriod',
  terminalId: 'terminalId',
  transactionType: 'transactionType',
  orderOrigin: 'orderOrigin',
  creationDate: 'creationDate',
  updatedDate: 'updatedDate',
};
