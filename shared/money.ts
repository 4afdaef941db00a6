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

/** The source of an amount that people or banks write. */
type AmountSource = {
  currency?: string;
  /** The decimal sign, if the layout of a bank file names it. Otherwise the grammar finds it. */
  decimal?: ',' | '.' | undefined;
  isSigned?: boolean;
};

/** The exact decimal text of an amount, or both readings of a text that can mean two amounts. */
type Reading = { decimal: string } | { readings: [string, string] };

const GROUPED = /^([1-9]\d{0,2})(?:([ .,'])\d{3})(?:\2\d{3})*(?:(?!\2)([.,])(\d+))?$/;
const PLAIN = /^(\d+)(?:([.,])(\d+))?$/;

/**
 * The only grammar of amounts that people and banks write. The result is exact decimal text, or null.
 *
 * - A space, point, comma or apostrophe separates groups of three digits: `1 500`, `12.500,00`, `1,450.50`.
 * - A point or comma before one or two digits is the decimal sign: `1500.5`, `1500,50`.
 * - A single point or comma before three digits separates thousands: `1.500` and `1,500` are both 1500.
 *   People in Angola write so, and the kwanza has no third decimal.
 * - `Kz` or the code of the currency may stand before or after the amount.
 * - A bank may write a debit as `-15,00`, `15,00-` or `(15,00)`.
 *
 * `readingsOf` explains text with two readings, which this function refuses: `1500,500` is 1500,50 or 1 500 500.
 * In a currency with three decimals `1.500` is 1500 or 1,5.
 * The JSON API has JSON numbers in its bodies and does not use this grammar.
 */
export function readAmount(typed: string, source: AmountSource = {}): string | null {
  const read = interpret(typed, source);
  return read && 'decimal' in read ? read.decimal : null;
}

/** Formats both amounts of a text with two readings. Null for other text. */
export function readingsOf(typed: string, currency = 'AOA'): string[] | null {
  const read = interpret(typed, { currency });
  if (!read || !('readings' in read)) return null;
  return read.readings.flatMap((each) => {
    const amount = toReceivedMinor(each, currency);
    return 'minor' in amount ? showMoney(amount.minor, currency) : [];
  });
}

function interpret(typed: string, { currency = 'AOA', decimal, isSigned = false }: AmountSource): Reading | null {
  const { sign, text } = splitSign(plainOf(typed, currency), currency);
  if (sign && !isSigned) return null;
  const read = interpretUnsigned(text, decimal, Math.max(2, exponentOf(currency)));
  return sign === '-' && read && 'decimal' in read ? { decimal: `-${read.decimal}` } : read;
}

/** Splits the sign from an amount: before it, after it, or as brackets. */
function splitSign(plain: string, currency: string): { sign: string; text: string } {
  if (plain.startsWith('(') && plain.endsWith(')')) return { sign: '-', text: plainOf(plain.slice(1, -1), currency) };
  const [, before = '', text = '', after = ''] = /^([-+]?) ?(.*?) ?([-+]?)$/.exec(plain) ?? [];
  return before ? { sign: before, text: text + after } : { sign: after, text };
}

/** @param most the most decimals of the currency */
function interpretUnsigned(text: string, decimal: ',' | '.' | undefined, most: number): Reading | null {
  const [, , group, point, cents = ''] = GROUPED.exec(text) ?? [];
  if (group !== undefined && group !== decimal) {
    if (point && decimal && point !== decimal) return null;
    const digits = text.replace(/\D/g, '');
    if (point) return joinDecimals(digits.slice(0, -cents.length), cents, decimal, most);
    const isLone = !decimal && most > 2 && /^\d+[.,]\d+$/.test(text);
    const thousands = `${digits}.0`;
    return isLone ? { readings: [thousands, text.replace(',', '.')] } : { decimal: thousands };
  }
  const [, whole, sign, fraction = '0'] = PLAIN.exec(text) ?? [];
  if (whole === undefined || (sign && decimal && sign !== decimal)) return null;
  return joinDecimals(whole, fraction, decimal, most);
}

/** Joins the digits before and after a decimal sign. The amount is doubtful if it ends in a zero too many. */
function joinDecimals(whole: string, fraction: string, decimal: string | undefined, most: number): Reading | null {
  const exact = `${whole}.${fraction}`;
  // The precision check refuses `1500,255` with its own message.
  if (fraction.length <= most || !fraction.endsWith('0') || (whole === '0' && !decimal)) return { decimal: exact };
  return fraction.length === 3 && !decimal ? { readings: [exact, `${whole}${fraction}.0`] } : null;
}

/** Removes the currency and invisible marks from an amount. Full-width characters become ASCII. */
function plainOf(typed: string, currency: string): string {
  const pattern = currencyMarks.get(currency) ?? marksOf(currency);
  currencyMarks.set(currency, pattern);
  return typed
    .replace(/\p{Cf}/gu, '')
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/\u2212/g, '-')
    .replace(/\u2019/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .replace(pattern, '');
}

const currencyMarks = new Map<string, RegExp>();

function marksOf(currency: string): RegExp {
  const marks = currency === 'AOA' ? 'kz|aoa' : currency;
  return new RegExp(`^(?:${marks})\\.? ?|(?<=\\d) ?(?:${marks})\\.?$`, 'i');
}

/** Reads an amount that a spreadsheet stores as a double. Its first 15 digits are exact: 0.30000000000000004 is 0.3. */
export function readStoredNumber(stored: number): string | null {
  return Number.isFinite(stored) ? String(Number(stored.toPrecision(15))) : null;
}

/** Like `readAmount`, but returns a number. @param mostDigits maximum digits before the decimals (sums: over 8) */
export function readMajor(typed: string, mostDigits = 8, source: AmountSource = {}): number | null {
  const read = readAmount(typed, source);
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
  return `${showAmount(minor, currency)}\u00a0${nameCurrency(currency)}`;
}

/** Formats an amount without its currency, for a table of one currency: `1 234 567,50`. */
export function showAmount(minor: number, currency: string): string {
  const [whole = '0', fraction] = toDecimal(minor, currency).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0');
  return `${grouped}${fraction ? `,${fraction}` : ''}`;
}

export function nameCurrency(currency: string): string {
  return currency === 'AOA' ? 'Kz' : currency;
}
