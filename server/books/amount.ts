// Amounts of a bank: below zero where it took something.
import { toReceivedMinor } from '../../shared/money.ts';

/** Beyond it sums would not be exact. */
const MAX_MINOR = 100_000_000_000_000;

/** Exact decimal text to minor units; null where it is none of the currency, or nothing. */
export function readSignedMinor(decimal: string, currency: string): number | null {
  const isBelow = decimal.startsWith('-');
  const read = toReceivedMinor(isBelow ? decimal.slice(1) : decimal, currency);
  if (!('minor' in read) || read.minor === 0 || read.minor > MAX_MINOR) return null;
  return isBelow ? -read.minor : read.minor;
}
