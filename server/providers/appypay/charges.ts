// Reads and writes AppyPay's charges, alone or in lists, and derives the id that we give to a charge.
import { createHash } from 'node:crypto';
import { toDecimal } from '../../../shared/money.ts';
import {
  MAX_LIST_BYTES,
  UNKNOWN_OUTCOME,
  explainStatus,
  makeUnknown,
  parseAnswer,
  readFields,
  readMoney,
  readText,
  type CallFailure,
  type RailAnswer,
} from '../rail-call.ts';
import type { RailOutcome } from '../provider.ts';
import type { AppyPayCall } from './access.ts';
import { DUPLICATE_ID, isFailure, readStatus, type ChargeStatus } from './codes.ts';
import { addDays, dayOf } from '../../../shared/luanda.ts';

/** Charges on a page. A charge with its events has a few kilobytes, so such a page fits into MAX_LIST_BYTES. */
export const PAGE_SIZE = 100;

/** Derives AppyPay's `merchantTransactionId` from our id. AppyPay accepts at most 15 letters and digits. */
export function keyOf(id: string): string {
  const digest = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`);
  return (digest % KEY_SPACE).toString(36).padStart(15, '0');
}

const KEY_SPACE = 36n ** 15n;

/** Writes an amount as a JSON number with all its decimals, for example 100.00. */
export function writeAmount(amountMinor: number, currency: string): unknown {
  return writeRaw(toDecimal(amountMinor, currency));
}

// TypeScript's types have no `JSON.rawJSON` yet.
const writeRaw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** Reduces a description to letters and digits, since AppyPay forbids "special characters" without a definition. */
export function writeDescription(text: string | null): string {
  const plain = (text ?? '').normalize('NFD').replace(/\p{M}/gu, '');
  return plain.replace(/[^A-Za-z0-9]+/g, ' ').trim();
}

/** Returns the date in Luanda `daysLater` days after a time. */
export function luandaDay(at: Date, daysLater = 0): string {
  return addDays(dayOf(at), daysLater);
}

/** Parses AppyPay's JSON. A numeric reference or entity stays a number: it may have lost its leading zeros. */
export function parseCharge(text: string): Record<string, unknown> {
  return readFields(parseAnswer(text, ['referenceNumber', 'entity']));
}

/** Returns the details of an unknown outcome after a call without an answer. */
export function explainFailure(error: CallFailure): Record<string, string> {
  return { reason: error.code, error: error.message };
}

/** Returns the details of an unknown outcome after an HTTP error or an unreadable answer. */
export function explainError(answer: RailAnswer): Record<string, string> {
  const { code, railDetails } = readStatus(parseCharge(answer.body).responseStatus);
  const isReadable = answer.status < 300;
  const reason = code === DUPLICATE_ID ? 'known_already' : isReadable ? 'unreadable' : explainStatus(answer).reason;
  return { ...railDetails, httpStatus: String(answer.status), reason: reason as string };
}

/** Translates a charge's status, without its money. `isExpired`: the payer's time is up, so a failure is final. */
export function judgeStatus(
  { code, meaning, isContradicted, railDetails }: ChargeStatus,
  isExpired: boolean,
): Pick<RailOutcome, 'result' | 'failureCode' | 'details'> {
  const unknown = (reason: string) =>
    ({ result: 'unknown', failureCode: null, details: { ...railDetails, reason } }) as const;
  if (!code) return unknown('unreadable');
  if (isContradicted) return unknown('status_contradicted');
  if (isFailure(meaning)) return { result: 'declined', failureCode: meaning, details: railDetails };
  if (meaning === 'rail_failed' && isExpired) {
    return { result: 'declined', failureCode: 'rail_unavailable', details: railDetails };
  }
  if (meaning === 'pending' || meaning === 'rail_failed')
    return { result: 'pending', failureCode: null, details: railDetails };
  if (meaning === 'approved') return { result: 'approved', failureCode: null, details: railDetails };
  return unknown(code === DUPLICATE_ID ? 'known_already' : 'code_unknown');
}

/**
 * Returns the status of a charge's last event, or null without events. Events of refunds do not count.
 * A failure after an approval contradicts the approval, so this status proves nothing.
 */
export function readChargeStatus(charge: Record<string, unknown>): ChargeStatus | null {
  const events = Array.isArray(charge.transactionEvents) ? charge.transactionEvents.map(readFields) : [];
  const ownEvents = events.filter(({ type }) => type !== 'Refund');
  const statuses = ownEvents.map(({ responseStatus }) => readStatus(responseStatus));
  const last = statuses.at(-1);
  if (!last) return null;
  const isRevoked = last.meaning !== 'approved' && statuses.some(({ meaning }) => meaning === 'approved');
  return { ...last, isContradicted: last.isContradicted || isRevoked };
}

/** Reads a charge from the answer to a query. An approved charge has the amount that the rail took. */
export function readCharge(value: unknown, isExpired: boolean): RailOutcome {
  const charge = readFields(value);
  const railOrderId = readText(charge.id);
  const chargeStatus = readChargeStatus(charge);
  if (!railOrderId) return makeUnknown('unreadable');
  // A charge without a status exists at AppyPay, but is not processed yet.
  if (!chargeStatus) return { ...UNKNOWN_OUTCOME, result: 'pending', railOrderId, details: { reason: 'no_events' } };
  const judged = { ...UNKNOWN_OUTCOME, railOrderId, ...judgeStatus(chargeStatus, isExpired) };
  if (judged.result !== 'approved') return judged;
  const money = readMoney({ ...charge, transactionId: charge.id });
  const details = readDetails(charge);
  if ('fault' in money) return { ...judged, result: 'unknown', details: { ...details, reason: money.fault } };
  return { ...judged, ...money, details };
}

/** Reads a charge's details for receipts and support. AppyPay's times have no zone, so no rule uses them. */
export function readDetails(charge: Record<string, unknown>): Record<string, string> {
  const event = readFields(Array.isArray(charge.transactionEvents) ? charge.transactionEvents.at(-1) : null);
  const texts = {
    providerTransactionId: readText(event.providerTransactionId),
    railTime: readText(event.createdDate) ?? readText(charge.updatedDate),
  };
  return Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Reads a PPR entity of five digits. A JSON number with five digits has lost no leading zero. */
export function readEntity(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : readText(value);
  return text && /^\d{5}$/.test(text) ? text : null;
}

export type ChargeList = { charges: unknown[]; isEmpty: boolean } | { charges: null; details: Record<string, string> };

/** Lists a page of charges. `isEmpty`: AppyPay's own count says that no charge matches the filter. */
export function listCharges(call: AppyPayCall, filter: Record<string, string | number>): Promise<ChargeList> {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
  return call<ChargeList>({
    method: 'GET',
    path: `/charges?${query}`,
    maxBytes: MAX_LIST_BYTES,
    read(answer) {
      const { payments, totalCount = '0', hasMorePages } = answer.status === 200 ? parseCharge(answer.body) : {};
      if (!Array.isArray(payments)) return { charges: null, details: explainError(answer) };
      return {
        charges: payments,
        isEmpty: payments.length === 0 && String(totalCount) === '0' && hasMorePages !== true,
      };
    },
    onFailure: (error) => ({ charges: null, details: explainFailure(error) }),
  });
}
