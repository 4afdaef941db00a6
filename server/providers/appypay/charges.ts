// AppyPay's charges as it writes them: one answer, one charge, or a list of them; and our name for a charge there.
import { createHash } from 'node:crypto';
import { toDecimal } from '../../../shared/money.ts';
import {
  MAX_LIST_BYTES,
  NOTHING_HEARD,
  explainStatus,
  makeUnknown,
  parseAnswer,
  readFields,
  readMoney,
  readText,
  type Missed,
  type RailAnswer,
} from '../ask.ts';
import type { RailOutcome } from '../provider.ts';
import type { AppyPayAsk } from './access.ts';
import { KNOWN_ALREADY, isFailure, readStatus, type ChargeStatus } from './codes.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

/** Charges have some kilobytes each with their events: a page of them fits into MAX_LIST_BYTES with room. */
export const PAGE_SIZE = 100;

/** The `merchantTransactionId` of an attempt or reference of ours: at most 15 letters and digits are taken there. */
export function keyOf(id: string): string {
  const digest = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`);
  return (digest % KEYS).toString(36).padStart(15, '0');
}

const KEYS = 36n ** 15n;

/** An amount as a JSON number with all its decimals. */
export function writeAmount(amountMinor: number, currency: string): unknown {
  return writeRaw(toDecimal(amountMinor, currency));
}

// Newer than its types.
const writeRaw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** "No special characters", and nobody says which: only what is surely none is left. */
export function writeDescription(text: string | null): string {
  const plain = (text ?? '').normalize('NFD').replace(/\p{M}/gu, '');
  return plain.replace(/[^A-Za-z0-9]+/g, ' ').trim();
}

/** A day in Luanda (UTC+1, no summer time), so many days from this moment. */
export function luandaDay(at: Date, daysLater = 0): string {
  return new Date(at.getTime() + HOUR_MS + daysLater * 24 * HOUR_MS).toISOString().slice(0, 10);
}

/** JSON of AppyPay. A reference or entity as a number stays one, so that nobody takes it for its digits. */
export function parseCharge(text: string): Record<string, unknown> {
  return readFields(parseAnswer(text, ['referenceNumber', 'entity']));
}

/** Why nothing is known, where nothing was heard. */
export function explainMiss(error: Missed): Record<string, string> {
  return { reason: error.code, error: error.message };
}

/** Why nothing is known, where the answer was an HTTP error or no JSON of theirs. */
export function explainError(answer: RailAnswer): Record<string, string> {
  const { code, words } = readStatus(parseCharge(answer.body).responseStatus);
  const isReadable = answer.status < 300;
  const reason = code === KNOWN_ALREADY ? 'known_already' : isReadable ? 'unreadable' : explainStatus(answer).reason;
  return { ...words, httpStatus: String(answer.status), reason: reason as string };
}

/** What a status decides, all but the money. `isOver`: the payer's time is over, so what failed there failed for good. */
export function judgeStatus(
  { code, meaning, isContradicted, words }: ChargeStatus,
  isOver: boolean,
): Pick<RailOutcome, 'result' | 'failureCode' | 'details'> {
  const unknown = (reason: string) =>
    ({ result: 'unknown', failureCode: null, details: { ...words, reason } }) as const;
  if (!code) return unknown('unreadable');
  if (isContradicted) return unknown('status_contradicted');
  if (isFailure(meaning)) return { result: 'declined', failureCode: meaning, details: words };
  if (meaning === 'rail_failed' && isOver) {
    return { result: 'declined', failureCode: 'rail_unavailable', details: words };
  }
  if (meaning === 'pending' || meaning === 'rail_failed')
    return { result: 'pending', failureCode: null, details: words };
  if (meaning === 'approved') return { result: 'approved', failureCode: null, details: words };
  return unknown(code === KNOWN_ALREADY ? 'known_already' : 'code_unknown');
}

/**
 * Where a charge stands: its last event counts, unless it takes back money that an earlier one told of. What became of a refund
 * says nothing of the charge.
 */
export function readStanding(charge: Record<string, unknown>): ChargeStatus | null {
  const events = Array.isArray(charge.transactionEvents) ? charge.transactionEvents.map(readFields) : [];
  const ownEvents = events.filter(({ type }) => type !== 'Refund');
  const statuses = ownEvents.map(({ responseStatus }) => readStatus(responseStatus));
  const last = statuses.at(-1);
  if (!last) return null;
  const isTakenBack = last.meaning !== 'approved' && statuses.some(({ meaning }) => meaning === 'approved');
  return { ...last, isContradicted: last.isContradicted || isTakenBack };
}

/** A charge as `GET` tells of it: of an approved one, what was taken. */
export function readCharge(value: unknown, isOver: boolean): RailOutcome {
  const charge = readFields(value);
  const railOrderId = readText(charge.id);
  const standing = readStanding(charge);
  if (!railOrderId) return makeUnknown('unreadable');
  // It is there, and nothing has happened to it yet.
  if (!standing) return { ...NOTHING_HEARD, result: 'pending', railOrderId, details: { reason: 'no_events' } };
  const judged = { ...NOTHING_HEARD, railOrderId, ...judgeStatus(standing, isOver) };
  if (judged.result !== 'approved') return judged;
  const money = readMoney({ ...charge, transactionId: charge.id });
  const details = readDetails(charge);
  if ('fault' in money) return { ...judged, result: 'unknown', details: { ...details, reason: money.fault } };
  return { ...judged, ...money, details };
}

/** For receipts and for whoever looks: their times have no zone, so they decide nothing. */
export function readDetails(charge: Record<string, unknown>): Record<string, string> {
  const event = readFields(Array.isArray(charge.transactionEvents) ? charge.transactionEvents.at(-1) : null);
  const said = {
    providerTransactionId: readText(event.providerTransactionId),
    railTime: readText(event.createdDate) ?? readText(charge.updatedDate),
  };
  return Object.fromEntries(Object.entries(said).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Five digits; as a number it cannot have lost one without showing it. */
export function readEntity(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : readText(value);
  return text && /^\d{5}$/.test(text) ? text : null;
}

export type ChargeList = { charges: unknown[]; isEmpty: boolean } | { charges: null; details: Record<string, string> };

/** A page of charges; `isEmpty`: there are none at all that fit, as far as it says. */
export function listCharges(ask: AppyPayAsk, filter: Record<string, string | number>): Promise<ChargeList> {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
  return ask<ChargeList>({
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
    miss: (error) => ({ charges: null, details: explainMiss(error) }),
  });
}
