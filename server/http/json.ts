// Parses JSON of requests and responses within limits, without losing digits of numbers.
// One pass counts values and puts numbers in quotes. Then JSON.parse reads the text.
// A reviver would keep the digits too, but parsing a body with 20,000 names would take seven times as long.
import { pointerOf, Problem, type Fault } from './problem.ts';

const MAX_DEPTH = 32;

/** The most values that a body or a response may contain. Each value costs work, however few bytes it has. */
export const MAX_VALUES = 20_000;

/** Parts of ECMAScript 2026 that TypeScript does not declare yet. */
type RawJSON = { rawJSON: string };
type JSONWithSource = {
  rawJSON(text: string): RawJSON;
  isRawJSON(value: unknown): value is RawJSON;
};
const { rawJSON, isRawJSON } = JSON as JSON & JSONWithSource;

/** The mark of a quoted number. It is a lone surrogate, and accepted texts contain no lone surrogates. */
const MARK = '\udfff';

/**
 * Parses JSON so that `JSON.stringify` returns every number as the caller sent it.
 * A number that a double would print differently becomes a raw JSON number. A `__proto__` key is plain data.
 * @throws Problem malformed_json, nesting_too_deep, body_too_large beyond `maxValues`, invalid_text with the fields
 */
export function parseExactJson(text: string, maxValues = Infinity): unknown {
  const { refusal, quoted } = scan(text, maxValues, (source) => !printsAs(source) && MARK + source);
  if (refusal) throw refusal;
  const hasSuspects = !text.isWellFormed() || /\\u(0000|d[89a-f])/i.test(text);
  const faults = hasSuspects ? findBadText(parse(text)) : [];
  if (faults.length > 0) throw new Problem('invalid_text', { faults });
  const value = parse(quoted);
  return quoted === text ? value : restoreNumbers(value);
}

/** True if a double prints the number in the same spelling. */
const printsAs = (source: string) => String(Number(source)) === source;

/** Parses JSON. @throws Problem malformed_json */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('malformed_json');
  }
}

/** Replaces marked texts by raw JSON numbers, in place. */
function restoreNumbers(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? rawJSON(value.slice(MARK.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const [before, after] = [members[key], restoreNumbers(members[key])];
    if (after !== before) members[key] = after;
  }
  return value;
}

/**
 * Parses JSON within the limits of a request. Every number becomes a text, as a double cannot hold an 18-digit id.
 * Returns null for invalid JSON, for JSON that is nested too deep, and for JSON with too many values.
 * @param textFields fields that must be texts. Their numbers stay numbers, because leading zeros may be missing
 */
export function parseAnswer(text: string, textFields: readonly string[] = [], maxValues = MAX_VALUES): unknown {
  const { refusal, quoted } = scan(text, maxValues, (source, key) => !textFields.includes(key) && source);
  return refusal ? null : parseOrNull(quoted);
}

/**
 * Parses a JSON array. If it exceeds the limits or is truncated, returns the complete entries at its start.
 * Returns null for any text that is no array.
 */
export function parseAnswerList(text: string, isTruncated: boolean): { entries: unknown[]; isCut: boolean } | null {
  const { refusal, quoted, complete } = scan(text, MAX_VALUES, (source) => source);
  const entries = refusal ? null : parseOrNull(quoted);
  if (Array.isArray(entries)) return { entries, isCut: false };
  if (refusal?.code === 'nesting_too_deep' || !(isTruncated || refusal)) return null;
  const first = parseOrNull(complete === '' ? '[]' : `${complete}]`);
  return Array.isArray(first) && text.trimStart().startsWith('[') ? { entries: first, isCut: true } : null;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const [SPACE, QUOTE, COMMA, COLON] = [0x20, 0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Matches a number where JSON allows a value. Elsewhere a number stays unquoted, so that the text stays invalid. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[ \n\r\t]*(?:[,\]}]|$))/y;

type Scan = {
  refusal: Problem | null;
  quoted: string;
  /** The quoted text up to the last complete entry of the outermost array. Empty without a complete entry. */
  complete: string;
};

/**
 * Counts levels and values in one pass, before the parser spends memory on them. Does not check the grammar.
 * @param quote the text that replaces a number; false keeps the number
 */
function scan(text: string, maxValues: number, quote: (source: string, key: string) => string | false): Scan {
  let [depth, values, before, quoted, complete] = [0, 1, 0, '', ''];
  let [copied, stringAt, stringEnd] = [0, 0, 0];
  const stop = (refusal: Problem | null) => ({ refusal, quoted: quoted + text.slice(copied), complete });
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign <= SPACE) continue;
    const isClose = sign === CLOSE_LIST || sign === CLOSE_OBJECT;
    // An array or object has one value more than it has commas, unless it is empty.
    if (sign === COMMA || (!isClose && (before === OPEN_LIST || before === OPEN_OBJECT))) values++;
    if (values > maxValues) return stop(new Problem('body_too_large'));
    if (sign === COMMA && depth === 1) complete = quoted + text.slice(copied, at);
    if ((sign === OPEN_LIST || sign === OPEN_OBJECT) && ++depth > MAX_DEPTH)
      return stop(new Problem('nesting_too_deep'));
    if (isClose) depth--;
    NUMBER.lastIndex = at;
    if (sign === QUOTE) {
      [stringAt, stringEnd] = [at, endOfString(text, at)];
      at = stringEnd;
    } else if (sign < COLON && sign !== COMMA && NUMBER.test(text)) {
      const end = NUMBER.lastIndex;
      const replaced = quote(text.slice(at, end), before === COLON ? text.slice(stringAt + 1, stringEnd) : '');
      if (replaced !== false) {
        quoted += `${text.slice(copied, at)}"${replaced}"`;
        copied = end;
      }
      at = end - 1;
    }
    before = sign;
  }
  return stop(null);
}

/** Returns the position of the closing quote, or the length of the text. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === '\\') first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

/** Returns the exact decimal text of a parsed JSON number; null if the value is not a number. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return isRawJSON(value) ? value.rawJSON : null;
}

/** Returns one text for all spellings of the same JSON: sorted members, no white space, one form of equal numbers. */
export function spellCanonically(value: unknown): string {
  const digits = numberText(value);
  if (digits !== null) return spellNumber(digits);
  if (Array.isArray(value)) return `[${value.map(spellCanonically).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${spellCanonically(member)}`).join(',')}}`;
}

/** The most digits of an exponent that gets a canonical form. Arithmetic on a MiB of digits takes half a second. */
const MAX_EXPONENT = 1_000;

/** Returns the significant digits and their power of ten: `1500.00` and `1.5E3` become `15e2`. */
function spellNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  if (end === 0) return '0';
  if (power.length > MAX_EXPONENT) return text;
  const exponent = BigInt(power.replace('+', '')) - BigInt(fraction.length - (digits.length - end));
  return `${sign}${digits.slice(0, end)}e${exponent}`;
}

/** The most faults in a response, and the most characters of their pointers, which grow with long keys. */
const [MAX_FAULTS, MAX_FAULT_CHARACTERS] = [100, 65_536];

/** Finds fields whose text PostgreSQL cannot store, because of NUL characters or lone surrogates. */
export function findBadText(value: unknown, pointer = ''): Fault[] {
  const faults: Fault[] = [];
  let characters = 0;
  const add = (at: string) => {
    faults.push({ pointer: at, code: 'invalid_text' });
    characters += at.length;
  };
  const visit = (item: unknown, at: string): void => {
    if (typeof item === 'string' && isBadText(item)) add(at);
    if (typeof item !== 'object' || item === null) return;
    for (const [key, inner] of Object.entries(item)) {
      if (faults.length >= MAX_FAULTS || characters > MAX_FAULT_CHARACTERS) return;
      const below = at + pointerOf([key]);
      if (isBadText(key)) add(below.replaceAll('\0', '').toWellFormed());
      else visit(inner, below);
    }
  };
  visit(value, pointer);
  return faults;
}

function isBadText(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}
