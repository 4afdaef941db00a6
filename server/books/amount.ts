// Amounts of a bank statement. A debit is negative.
import { z } from 'zod';
import { toReceivedMinor } from '../../shared/money.ts';
import { numberText } from '../http/json.ts';
import { fault } from '../http/validate.ts';

/** An optional amount of a request with its sign, as the exact text of the JSON number. */
export const signedAmount = (description: string) =>
  z
    .custom<number>(
      (value) => value == null || numberText(value) !== null,
      fault('invalid_type', { expected: 'number' }),
    )
    .meta({ override: { type: 'number' }, description })
    .transform((value) => numberText(value))
    .optional();

/** The largest amount of a bank line. Sums of larger amounts would not be exact. */
const MAX_MINOR = 100_000_000_000_000;

/** Converts a bank's decimal text to minor units. Null for zero and for an amount that the currency cannot have. */
export function readSignedMinor(decimal: string, currency: string): number | null {
  const isBelow = decimal.startsWith('-');
  const read = toReceivedMinor(isBelow ? decimal.slice(1) : decimal, currency);
  if (!('minor' in read) || read.minor === 0 || read.minor > MAX_MINOR) return null;
  return isBelow ? -read.minor : read.minor;
}
