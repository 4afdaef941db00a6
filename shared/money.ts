// The only arithmetic on amounts. The API uses major units (kwanzas), and the code uses integer minor units (cêntimos).
// Conversions between major and minor units use exact decimal text, never floating-point arithmetic.

const exponents = new Map<string, number>();

/** Number of decimals of an ISO 4217 currency (AOA 2, JPY 0), from `Intl`. Unknown currencies have 2. */
export function exponentOf(currency: string): number {
  let exponent = exponents.get(currency);
  if (exponent === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    exponent = format.resolvedOptions().maximumFractionDigits ?? 2;
    exponents.set(currency, exponent);
  }
  return exponent;
}

export type MinorResult = { minor: number } | { fault: 'amount_precision' | 'amount_out_of_range' };

/** Upper bound of one payment's amount in major units. */
export const MAX_AMOUNT_MAJOR = 10_000_000;

/**
 * Converts the exact text of a JSON number (`"12.5"`, `"1e2"`) to minor units.
 * Faults of an amount: `amount_precision` for too many decimals, `amount_out_of_range` if negative or above 10,000,000.
 */
export function toMinor(decimal: string, currency: string): MinorResult {
  return parseMinor(decimal, currency, MAX_AMOUNT_MAJOR * 10 ** exponentOf(currency));
}

/** Converts received money to minor units. Received money may exceed the upper bound of a payment. */
export function toReceivedMinor(decimal: string, currency: string): MinorResult {
  return parseMinor(decimal, currency, Number.MAX_SAFE_INTEGER);
}

function parseMinor(decimal: string, currency: string, limitMinor: number): MinorResult {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?0*\d{1,4}))?$/.exec(decimal);
  if (!match) return { fault: 'amount_out_of_range' };
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return { minor: 0 };
  if (sign) return { fault: 'amount_out_of_range' };
  const shift = Number(power) - fraction.length + exponentOf(currency);
  // A loop instead of /0+$/: that pattern takes a minute for a million zeros before a digit, which any client can send.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const significant = digits.slice(0, end);
  const zeros = shift + digits.length - significant.length;
  if (zeros < 0) return { fault: 'amount_precision' };
  if (significant.length + zeros > String(limitMinor).length) return { fault: 'amount_out_of_range' };
  const minor = Number(significant + '0'.repeat(zeros));
  return minor > limitMinor ? { fault: 'amount_out_of_range' } : { minor };
}

/** The notation that one source of amounts uses, such as a form or a bank file. */
type AmountWriting = {
  currency?: string;
  /** The decimal sign, if the layout of a bank file names it. Otherwise both signs are tried. */
  decimal?: ',' | '.';
  /** `1.500` has one sign and three digits: it means thousands if the payer sees the amount again before paying. */
  lone?: 'thousands' | 'refuse';
  isSigned?: boolean;
};

const GROUPED = /^([1-9]\d{0,2})(?:([ .,'])\d{3})(?:\2\d{3})*(?:(?!\2)([.,])(\d{1,3}))?$/;
const PLAIN = /^(\d+)(?:([.,])(\d+))?$/;

/**
 * The only reader of amounts that people and banks write: `1 500,50 Kz`, `1.500,00`, `1500.5`.
 * `readAmount` returns exact decimal text.
 * Groups have three digits. Null for text that is not an amount, and for text that can mean two different amounts.
 */
export function readAmount(
  typed: string,
  { currency = 'AOA', decimal, lone = 'refuse', isSigned = false }: AmountWriting = {},
): string | null {
  const [, sign = '', text = ''] = /^([-+]?) ?(.*)$/.exec(plainOf(typed, currency)) ?? [];
  if (sign && !isSigned) return null;
  const read = readUnsigned(text, { decimal, lone, decimals: Math.max(2, exponentOf(currency)) });
  return read && `${sign === '-' ? '-' : ''}${read}`;
}

type Rules = { decimal: ',' | '.' | undefined; lone: 'thousands' | 'refuse'; decimals: number };

function readUnsigned(text: string, { decimal, lone, decimals }: Rules): string | null {
  const [, , group, point, cents] = GROUPED.exec(text) ?? [];
  const isGrouped = group !== undefined && group !== decimal;
  if (isGrouped && point && decimal && point !== decimal) return null;
  const isLone = isGrouped && !decimal && !point && /^\d+[.,]\d+$/.test(text);
  if (isGrouped && (!isLone || (lone === 'thousands' && decimals < 3)))
    return `${(cents ? text.slice(0, -cents.length) : text).replace(/\D/g, '')}.${cents ?? '0'}`;
  const [, whole, sign, fraction = '0'] = PLAIN.exec(text) ?? [];
  if (whole === undefined || (sign && decimal && sign !== decimal)) return null;
  if (isLone && (sign === '.' || decimals > 2)) return null;
  // The precision check later refuses `1,234` but would accept `1,500`, which means 1500 in other countries.
  if (fraction.length > decimals && (decimal || fraction.endsWith('0'))) return null;
  return `${whole}.${fraction}`;
}

/** Removes the currency and invisible marks from an amount. Full-width characters become ASCII. */
function plainOf(typed: string, currency: string): string {
  const marks = currency === 'AOA' ? 'kz|aoa' : currency;
  return typed
    .replace(/\p{Cf}/gu, '')
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/\u2212/g, '-')
    .replace(/\u2019/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .replace(new RegExp(`^(?:${marks})\\.? ?|(?<=\\d) ?(?:${marks})\\.?$`, 'i'), '');
}

/** Like `readAmount`, but returns a number. @param mostDigits maximum digits before the decimals (sums: over 8) */
export function readMajor(typed: string, mostDigits = 8, writing: AmountWriting = {}): number | null {
  const read = readAmount(typed, writing);
  return read !== null && read.split('.', 1)[0]!.replace('-', '').length <= mostDigits ? Number(read) : null;
}

/** The minimum payment: 0.01 major units, or one unit of a currency without decimals. */
export function minimumMinor(currency: string): number {
  return 10 ** Math.max(0, exponentOf(currency) - 2);
}

/** Minor units as exact decimal text with the currency's digits: `"1500.00"`, the form rails accept. */
export function toDecimal(minor: number, currency: string): string {
  const digits = String(minor);
  const exponent = exponentOf(currency);
  if (exponent === 0) return digits;
  const sign = digits.startsWith('-') ? 1 : 0;
  const point = digits.length - exponent;
  if (point > sign) return `${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${digits.slice(0, sign)}0.${digits.slice(sign).padStart(exponent, '0')}`;
}

/** Minor units as a JSON number. The nearest double to the exact decimal prints as that decimal. */
export function toMajor(minor: number, currency: string): number {
  return Number(toDecimal(minor, currency));
}

export function addMinor(...amounts: number[]): number {
  return amounts.reduce((sum, minor) => sum + minor, 0);
}

/** Multiplies an amount by an integer. @throws RangeError above `Number.MAX_SAFE_INTEGER` */
export function multiplyMinor(minor: number, times: number): number {
  return exactMinor(BigInt(minor) * BigInt(times));
}

/** A share of an amount, such as a tax, rounded half up. @param bps hundredths of a percent @throws RangeError */
export function shareMinor(minor: number, bps: number): number {
  return exactMinor((BigInt(minor) * BigInt(bps) + 5_000n) / 10_000n);
}

function exactMinor(minor: bigint): number {
  if (minor > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`${minor} is no exact amount`);
  return Number(minor);
}

/** True if an amount is within the bounds and a multiple of the step. All are minor units. */
export function fitsBounds(
  minor: number,
  { stepMinor, minMinor, maxMinor }: { stepMinor: number; minMinor: number; maxMinor: number },
): boolean {
  return minor >= minMinor && minor <= maxMinor && minor % stepMinor === 0;
}

/** Compares received money with the requested amount (minor units). */
export function compareMinor(received: number, asked: number): 'less' | 'exact' | 'more' {
  return received < asked ? 'less' : received === asked ? 'exact' : 'more';
}

/** Formats an amount for people: `1 234 567,50 Kz` with no-break spaces. Other currencies show their code. */
export function showMoney(minor: number, currency: string): string {
  const [whole = '0', fraction] = toDecimal(minor, currency).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0');
  return `${grouped}${fraction ? `,${fraction}` : ''}\u00a0${currency === 'AOA' ? 'Kz' : currency}`;
}
