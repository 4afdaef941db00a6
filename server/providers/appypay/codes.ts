// Translates AppyPay's numeric status codes. Only the code counts: its `status` and messages sometimes contradict it.
import { FAILURE_CODES, type FailureCode } from '../../../shared/status.ts';
import { pickTexts, readFields, readText } from '../rail-call.ts';

/** The meaning of a status code. `rail_failed`: AppyPay failed, and the charge is final only after the payer's time. */
export type CodeMeaning = FailureCode | 'approved' | 'pending' | 'qr_made' | 'rail_failed';

const CODES: Partial<Record<CodeMeaning, string>> = {
  approved: '100',
  pending: '101 102 319',
  qr_made: '103',
  // Unitel Money uses the status codes 239 and 238.
  customer_refused: '219 231 239',
  timed_out: '210 211 238',
  insufficient_funds: '203 204 209 225',
  limit_exceeded: '202 213 215 216 224',
  number_not_active: '233 242',
  issuer_refused: '200 201 212 214 220 221 222 223 227 228 229 243 759',
  acquirer_setup: '206 208 217 230 404 412 440',
  rail_failed:
    '301 302 306 308 402 403 405 406 407 408 410 411 900 901 ' +
    // Unitel Money uses the status codes of the next line.
    '246 247 248 309 310 311 312 313 314 315 316 317 413 414 415 416 417 418',
};

const MEANINGS: ReadonlyMap<string, CodeMeaning> = new Map(
  Object.entries(CODES).flatMap(([meaning, codes]) => codes.split(' ').map((code) => [code, meaning as CodeMeaning])),
);

/** Status code: AppyPay already has a charge with our id. Only a query shows the state of that charge. */
export const DUPLICATE_ID = '726';
/** Status code: AppyPay already has a reference with these digits. */
export const DUPLICATE_DIGITS = '763';

/** A charge's `responseStatus`, translated to our terms. */
export type ChargeStatus = {
  code: string | null;
  /** `meaning`: null if the code is missing or unknown. */
  meaning: CodeMeaning | null;
  /** `isContradicted`: true if the flag `successful` contradicts the code. */
  isContradicted: boolean;
  /** `railDetails`: details of the outcome, for support. */
  railDetails: Record<string, string>;
};

/** Translates the `responseStatus` of a charge. */
export function readStatus(value: unknown): ChargeStatus {
  const status = readFields(value);
  const code = readText(status.code);
  const source = pickTexts(readFields(status.sourceDetails), { railReason: 'code' });
  const isInactive = code === '200' && source.railReason === 'EPMS_907';
  const meaning = isInactive ? 'number_not_active' : (MEANINGS.get(code ?? '') ?? null);
  const isContradicted =
    meaning === 'approved' ? status.successful === false : isFailure(meaning) && status.successful === true;
  return { code, meaning, isContradicted, railDetails: { ...pickTexts(status, RAIL_DETAIL_FIELDS), ...source } };
}

const RAIL_DETAIL_FIELDS = { railCode: 'code', railStatus: 'status', railSource: 'source' };

/** True if AppyPay took no money and never will. */
export function isFailure(meaning: CodeMeaning | null): meaning is FailureCode {
  return (FAILURE_CODES as readonly (string | null)[]).includes(meaning);
}
