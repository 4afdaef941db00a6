// JSON text as values that keep every digit, read once from left to right: what is too deep, too much or no text of ours ends the reading.
import { Problem, type Fault } from '../problem.ts';

const MAX_DEPTH = 32;

/** TypeScript does not know these yet (ECMAScript 2026, in Node 24). */
type RawJSON = { rawJSON: string };
type JSONWithSource = { rawJSON(text: string): RawJSON; isRawJSON(value: unknown): value is RawJSON };
const { rawJSON, isRawJSON } = JSON as unknown as JSONWithSource;

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

/** How far a text is read, and how the reader writes its numbers. */
type Reading = {
  text: string;
  at: number;
  depth: number;
  valuesLeft: number;
  hasBadText: boolean;
  /** The outermost list or object, read up to the current position. */
  root: unknown;
  /** The field whose value is read. */
  key: string;
  writeNumber(source: string, key: string): unknown;
};

function startReading(text: string, maxValues: number, writeNumber: Reading['writeNumber']): Reading {
  return { text, at: 0, depth: 0, valuesLeft: maxValues, hasBadText: false, root: undefined, key: '', writeNumber };
}

/**
 * Parses JSON so that stringifying gives back every number as it was written: numbers that a double cannot print
 * as sent become raw JSON numbers. A `__proto__` key is plain data.
 * @throws Problem malformed_json, nesting_too_deep, body_too_large beyond `maxValues`, invalid_text (naming places)
 */
export function parseExactJson(text: string, maxValues = Infinity): unknown {
  const reading = startReading(text, maxValues, writeExact);
  const value = readWhole(reading);
  if (reading.hasBadText) throw new Problem('invalid_text', { faults: findBadText(value) });
  return value;
}

function readWhole(reading: Reading): unknown {
  const value = readValue(reading);
  if (!Number.isNaN(nextSign(reading))) throw new Problem('malformed_json');
  return value;
}

/** A JavaScript number if it prints exactly as the source, else raw JSON. */
function writeExact(source: string): number | RawJSON {
  const value = Number(source);
  return String(value) === source ? value : rawJSON(source);
}

/** The most values that a body or an answer may hold. Each value costs work, however few bytes it has. */
export const MAX_VALUES = 20_000;

/**
 * Parses JSON from outside within the bounds of a request. Every number becomes the text that it was written in: an id of
 * 18 digits does not fit into a double. Returns null for a text that is no JSON, is too deep or has too many values.
 * @param textFields fields whose numbers stay numbers, so that no reader takes them for text without its first zeros
 */
export function parseAnswer(text: string, textFields: readonly string[] = [], maxValues = MAX_VALUES): unknown {
  const reading = startAnswer(text, textFields, maxValues);
  try {
    return readWhole(reading);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return null;
  }
}

/**
 * Parses a list. If it exceeds the bounds or is truncated, returns the complete entries at its start.
 * Returns null for any other text.
 */
export function parseAnswerList(text: string, isTruncated: boolean): { entries: unknown[]; isCut: boolean } | null {
  const reading = startAnswer(text, [], MAX_VALUES);
  try {
    const entries = readWhole(reading);
    return Array.isArray(entries) ? { entries, isCut: false } : null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const isCut = isTruncated || error.code === 'body_too_large';
    return isCut && Array.isArray(reading.root) ? { entries: reading.root, isCut } : null;
  }
}

function startAnswer(text: string, textFields: readonly string[], maxValues: number): Reading {
  const writeNumber = (source: string, key: string) => (textFields.includes(key) ? Number(source) : source);
  return startReading(text, maxValues, writeNumber);
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const SPACES = /[ \n\r\t]+/y;

/** The sign that comes next, white space aside; NaN at the end. */
function nextSign(reading: Reading): number {
  const { text } = reading;
  const sign = text.charCodeAt(reading.at);
  if (!(sign <= 0x20)) return sign;
  SPACES.lastIndex = reading.at;
  if (SPACES.test(text)) reading.at = SPACES.lastIndex;
  return text.charCodeAt(reading.at);
}

function readValue(reading: Reading): unknown {
  if (--reading.valuesLeft < 0) throw new Problem('body_too_large');
  const sign = nextSign(reading);
  if (sign === QUOTE) return readString(reading);
  if (sign === OPEN_OBJECT) return nest(reading, readObject);
  if (sign === OPEN_LIST) return nest(reading, readList);
  return readNumber(reading) ?? readWord(reading);
}

function nest<Value>(reading: Reading, read: (reading: Reading) => Value): Value {
  if (++reading.depth > MAX_DEPTH) throw new Problem('nesting_too_deep');
  reading.at++;
  const value = read(reading);
  reading.depth--;
  return value;
}

function readList(reading: Reading): unknown[] {
  const list: unknown[] = [];
  reading.root ??= list;
  if (nextSign(reading) === CLOSE_LIST) reading.at++;
  else
    for (let isMore = true; isMore;) {
      reading.key = '';
      const value = readValue(reading);
      // Only the sign behind a value shows that the value is complete.
      isMore = goesOn(reading, CLOSE_LIST);
      list.push(value);
    }
  return list;
}

function readObject(reading: Reading): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  reading.root ??= object;
  if (nextSign(reading) === CLOSE_OBJECT) reading.at++;
  else
    for (let isMore = true; isMore;) {
      if (nextSign(reading) !== QUOTE) throw new Problem('malformed_json');
      const key = readString(reading);
      if (nextSign(reading) !== COLON) throw new Problem('malformed_json');
      reading.at++;
      reading.key = key;
      const value = readValue(reading);
      isMore = goesOn(reading, CLOSE_OBJECT);
      if (key !== '__proto__') object[key] = value;
      else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    }
  return object;
}

/** Past a comma, or past the end. */
function goesOn(reading: Reading, close: number): boolean {
  const sign = nextSign(reading);
  if (sign !== COMMA && sign !== close) throw new Problem('malformed_json');
  reading.at++;
  return sign === COMMA;
}

/** A quote, a backslash or a control ends a plain string. */
const NOT_PLAIN = /[^ -!#-[\]-\uffff]/g;

function readString(reading: Reading): string {
  const { text, at: from } = reading;
  // A regular expression finds the end of a plain string several times as fast as a loop.
  NOT_PLAIN.lastIndex = from + 1;
  let at = NOT_PLAIN.test(text) ? NOT_PLAIN.lastIndex - 1 : text.length;
  const hasEscape = text.charCodeAt(at) === BACKSLASH;
  for (let sign = text.charCodeAt(at); sign !== QUOTE; sign = text.charCodeAt(++at)) {
    // NaN, the end, is not either.
    if (!(sign >= 0x20)) throw new Problem('malformed_json');
    if (sign === BACKSLASH) at++;
  }
  reading.at = at + 1;
  if (!hasEscape) return text.slice(from + 1, at);
  const written = text.slice(from, at + 1);
  try {
    const said = JSON.parse(written) as string;
    // Only an escape can hide what is no text.
    if (isBadText(said)) reading.hasBadText = true;
    return said;
  } catch {
    throw new Problem('malformed_json');
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Undefined where the text has no number. */
function readNumber(reading: Reading): unknown {
  NUMBER.lastIndex = reading.at;
  const source = NUMBER.exec(reading.text)?.[0];
  if (source === undefined) return undefined;
  reading.at += source.length;
  return reading.writeNumber(source, reading.key);
}

const WORDS: Record<string, boolean | null> = { true: true, false: false, null: null };

function readWord(reading: Reading): boolean | null {
  const word = Object.keys(WORDS).find((each) => reading.text.startsWith(each, reading.at));
  if (word === undefined) throw new Problem('malformed_json');
  reading.at += word.length;
  return WORDS[word] as boolean | null;
}

function isBadText(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

/** Places named at most, and characters of them: under a long key even a short body has many that are long. */
const [MOST_PLACES, MOST_SAID] = [100, 65_536];

/** Where text is that a database cannot keep: NUL characters, lone surrogates. */
export function findBadText(value: unknown, pointer = ''): Fault[] {
  const faults: Fault[] = [];
  let said = 0;
  const note = (at: string) => {
    faults.push({ pointer: at, code: 'invalid_text' });
    said += at.length;
  };
  const look = (item: unknown, at: string): void => {
    if (typeof item === 'string' && isBadText(item)) note(at);
    if (typeof item !== 'object' || item === null) return;
    for (const [key, inner] of Object.entries(item)) {
      if (faults.length >= MOST_PLACES || said > MOST_SAID) return;
      const below = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (isBadText(key)) note(below.replaceAll('\0', '').toWellFormed());
      else look(inner, below);
    }
  };
  look(value, pointer);
  return faults;
}
