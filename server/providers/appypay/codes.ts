// AppyPay's numbers and what they mean to us. Its words (`status`, messages) contradict them at times: the number counts.
import { FAILURE_CODES, type FailureCode } from '../../../shared/status.ts';
import { pickTexts, readFields, readText } from '../ask.ts';

/** `rail_failed`: transport or system failed there; said again after the payer's time is over, nothing was charged. */
export type CodeMeaning = FailureCode | 'approved' | 'pending' | 'qr_made' | 'rail_failed';

const NUMBERS: Partial<Record<CodeMeaning, string>> = {
  approved: '100',
  pending: '101 102 319',
  qr_made: '103',
  // 239 and 238 are Unitel Money's.
  customer_refused: '219 231 239',
  timed_out: '210 211 238',
  insufficient_funds: '203 204 209 225',
  limit_exceeded: '202 213 215 216 224',
  number_not_active: '233 242',
  issuer_refused: '200 201 212 214 220 221 222 223 227 228 229 243 759',
  acquirer_setup: '206 208 217 230 404 412 440',
  rail_failed:
    '301 302 306 308 402 403 405 406 407 408 410 411 900 901 ' +
    // Unitel Money's.
    '246 247 248 309 310 311 312 313 314 315 316 317 413 414 415 416 417 418',
};

const MEANINGS: ReadonlyMap<string, CodeMeaning> = new Map(
  Object.entries(NUMBERS).flatMap(([meaning, codes]) => codes.split(' ').map((code) => [code, meaning as CodeMeaning])),
);

/** It had this id of ours already: what became of the first one, only a query tells. */
export const KNOWN_ALREADY = '726';
/** A reference with these digits exists. */
export const DIGITS_EXIST = '763';

/** A `responseStatus` as we understand it; `meaning` null: a number we do not know, or none. */
export type ChargeStatus = {
  code: string | null;
  meaning: CodeMeaning | null;
  /** Its own flag says the opposite of its number. */
  isContradicted: boolean;
  /** For the details: whoever has to find out why an order stands as it does. */
  words: Record<string, string>;
};

/** Reads a `responseStatus`. */
export function readStatus(value: unknown): ChargeStatus {
  const status = readFields(value);
  const code = readText(status.code);
  const source = pickTexts(readFields(status.sourceDetails), { railReason: 'code' });
  const isInactive = code === '200' && source.railReason === 'EPMS_907';
  const meaning = isInactive ? 'number_not_active' : (MEANINGS.get(code ?? '') ?? null);
  const isContradicted =
    meaning === 'approved' ? status.successful === false : isFailure(meaning) && status.successful === true;
  return { code, meaning, isContradicted, words: { ...pickTexts(status, WORDS), ...source } };
}

const WORDS = { railCode: 'code', railStatus: 'status', railSource: 'source' };

/** Whether nothing was charged, and nothing will be. */
export function isFailure(meaning: CodeMeaning | null): meaning is FailureCode {
  return (FAILURE_CODES as readonly (string | null)[]).includes(meaning);
}
