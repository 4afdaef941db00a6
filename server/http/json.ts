// JSON from outside, read within bounds by JSON.parse, which reports the source text of every number: no digit is lost.
import { Problem, type Fault } from './problem.ts';

const MAX_DEPTH = 32;

/** The most values that a body or an answer may hold. Each value costs work, however few bytes it has. */
export const MAX_VALUES = 20_000;

/** Parts of ECMAScript 2026 that TypeScript does not declare yet. */
type RawJSON = { rawJSON: string };
type JSONWithSource = {
  rawJSON(text: string): RawJSON;
  isRawJSON(value: unknown): value is RawJSON;
};
const { rawJSON, isRawJSON } = JSON as JSON & JSONWithSource;
type Revive = (key: string, value: unknown, context: { source: string }) => unknown;
const parse = JSON.parse as (text: string, revive: Revive) => unknown;

type WriteNumber = (source: string, key: string) => unknown;

/**
 * Parses JSON so that stringifying returns every number as it was written: numbers that a double cannot print as sent
 * become raw JSON numbers. A `__proto__` key is plain data.
 * @throws Problem malformed_json, nesting_too_deep, body_too_large beyond `maxValues`, invalid_text with the fields
 */
export function parseExactJson(text: string, maxValues = Infinity): unknown {
  const { refusal } = scan(text, maxValues);
  if (refusal) throw new Problem(refusal);
  const value = parseWith(text, writeExact);
  // In valid JSON only an escape can produce a character that a database cannot keep.
  const faults = /\\u(0000|d[89a-f])/i.test(text) ? findBadText(value) : [];
  if (faults.length > 0) throw new Problem('invalid_text', { faults });
  return value;
}

/** A JavaScript number if it prints exactly as the source, else raw JSON. */
function writeExact(source: string): number | RawJSON {
  const value = Number(source);
  return String(value) === source ? value : rawJSON(source);
}

/** @throws Problem malformed_json */
function parseWith(text: string, writeNumber: WriteNumber): unknown {
  try {
    return parse(text, (key, value, { source }) => (typeof value === 'number' ? writeNumber(source, key) : value));
  } catch {
    throw new Problem('malformed_json');
  }
}

/**
 * Parses JSON within the bounds of a request. Every number becomes its source text, because a double does not hold an id
 * of 18 digits. Returns null for a text that is no JSON, is too deep or has too many values.
 * @param textFields fields whose numbers stay numbers, so that no reader takes them for text without its first zeros
 */
export function parseAnswer(text: string, textFields: readonly string[] = [], maxValues = MAX_VALUES): unknown {
  const { refusal } = scan(text, maxValues);
  return refusal ? null : parseTexts(text, textFields);
}

/**
 * Parses a list. If it exceeds the bounds or is truncated, returns the complete entries at its start.
 * Returns null for any other text.
 */
export function parseAnswerList(text: string, isTruncated: boolean): { entries: unknown[]; isCut: boolean } | null {
  const { refusal, lastComma } = scan(text, MAX_VALUES);
  const entries = refusal ? null : parseTexts(text);
  if (Array.isArray(entries)) return { entries, isCut: false };
  if (refusal === 'nesting_too_deep' || !(isTruncated || refusal)) return null;
  // Only the comma behind an entry shows that the entry is complete.
  const complete = parseTexts(lastComma < 0 ? '[]' : `${text.slice(0, lastComma)}]`);
  return Array.isArray(complete) && text.trimStart().startsWith('[') ? { entries: complete, isCut: true } : null;
}

function parseTexts(text: string, textFields: readonly string[] = []): unknown {
  try {
    return parseWith(text, (source, key) => (textFields.includes(key) ? Number(source) : source));
  } catch {
    return null;
  }
}

const [SPACE, QUOTE, COMMA] = [0x20, 0x22, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

type Scan = {
  refusal: 'nesting_too_deep' | 'body_too_large' | null;
  /** Behind the last complete entry of the outermost list or object that is within the bounds. -1 if there is none. */
  lastComma: number;
};

/** Counts levels and values in one pass, before the parser spends memory on them. It does not check the grammar. */
function scan(text: string, maxValues: number): Scan {
  let [depth, values, lastComma, isOpened] = [0, 1, -1, false];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign <= SPACE) continue;
    const isClose = sign === CLOSE_LIST || sign === CLOSE_OBJECT;
    // A list or object has a value more than it has commas, unless it is empty.
    if (sign === COMMA || (isOpened && !isClose)) values++;
    if (values > maxValues) return { refusal: 'body_too_large', lastComma };
    if (sign === COMMA && depth === 1) lastComma = at;
    isOpened = sign === OPEN_LIST || sign === OPEN_OBJECT;
    if (isOpened && ++depth > MAX_DEPTH) return { refusal: 'nesting_too_deep', lastComma };
    if (isClose) depth--;
    if (sign === QUOTE) at = endOfString(text, at);
  }
  return { refusal: null, lastComma };
}

/** The position of the closing quote, or the text's length. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === '\\') first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

/** The exact decimal text of a parsed JSON number, or null when the value is no number. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return isRawJSON(value) ? value.rawJSON : null;
}

/** One text for all spellings of the same JSON: members in order, no white space, equal numbers alike. */
export function spellCanonically(value: unknown): string {
  const digits = numberText(value);
  if (digits !== null) return spellNumber(digits);
  if (Array.isArray(value)) return `[${value.map(spellCanonically).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${spellCanonically(member)}`).join(',')}}`;
}

/** Significant digits and their power of ten: `1500.00` and `1.5E3` are `15e2`. */
function spellNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  if (end === 0) return '0';
  return `${sign}${digits.slice(0, end)}e${BigInt(power.replace('+', '')) - BigInt(fraction.length - (digits.length - end))}`;
}

/** The most fields that an answer names, and their characters: under a long key even a short body has many long ones. */
const [MAX_FAULTS, MAX_FAULT_CHARACTERS] = [100, 65_536];

/** The fields whose text a database cannot keep, because of NUL characters or lone surrogates. */
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
      const below = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
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
