// A reader of XML without document types. saxes would take five times as long for a workbook of 8 MiB.
// Each step moves forward, and nothing expands: a DOCTYPE or an unknown entity refuses the file.
import { wrongFile } from './statement.ts';

/** Receives the parts of a document. Names have no namespace prefix. `attributes` is unparsed text. */
export type XmlHandler = {
  open(name: string, attributes: string): void;
  text(text: string): void;
  close(name: string): void;
};

const MAX_DEPTH = 32;
/** The most elements and entities of a document, and the most characters of one element's attributes. */
export const [MAX_ELEMENTS, MAX_ENTITIES, MAX_ATTRIBUTES] = [130_000, 50_000, 10_000];

/** The elements and entities that a document, or all documents of a file, may still have. */
export type XmlBudget = { elements: number; entities: number };

const NAME = /<\/?(?:[\w.-]{1,100}:)?([\w.-]{1,100})(?=[\s/>])/y;

/** Reads a document. @throws Problem validation_failed if it is not well-formed or exceeds the limits */
export function readXml(
  text: string,
  handler: XmlHandler,
  budget: XmlBudget = { elements: MAX_ELEMENTS, entities: MAX_ENTITIES },
): void {
  const path: string[] = [];
  let [at, elements] = [0, 0];
  for (let open = text.indexOf('<'); open >= 0; open = text.indexOf('<', at)) {
    if (open > at && path.length > 0) handler.text(decodeEntities(text.slice(at, open), budget));
    const sign = text[open + 1];
    if (sign === '!' || sign === '?') {
      const special = SPECIALS.find(([start]) => text.startsWith(start, open));
      const close = special ? text.indexOf(special[1], open + special[0].length) : -1;
      if (!special || close < 0) throw wrongFile('format');
      if (special[0] === CDATA && path.length > 0) handler.text(text.slice(open + CDATA.length, close));
      at = close + special[1].length;
      continue;
    }
    NAME.lastIndex = open;
    const [, name] = NAME.exec(text) ?? [];
    if (name === undefined) throw wrongFile('format');
    const start = NAME.lastIndex;
    const end = endOfTag(text, start);
    at = end + 1;
    if (sign === '/') {
      if (path.pop() !== name) throw wrongFile('format');
      handler.close(name);
      continue;
    }
    if (++elements > MAX_ELEMENTS || budget.elements-- <= 0 || path.length >= MAX_DEPTH) throw wrongFile('format');
    const isEmpty = text[end - 1] === '/';
    const attributes = text.slice(start, isEmpty ? end - 1 : end);
    if (attributes.includes('&') && (budget.entities -= attributes.split('&').length) < 0) throw wrongFile('format');
    handler.open(name, attributes);
    if (isEmpty) handler.close(name);
    else path.push(name);
  }
  if (path.length > 0 || elements === 0) throw wrongFile('format');
}

/** Finds the end of a tag. An attribute may contain the sign that ends a tag. */
function endOfTag(text: string, start: number): number {
  for (let at = start; at < text.length && at - start <= MAX_ATTRIBUTES; at++) {
    const sign = text[at]!;
    if (sign === '>') return at;
    if (sign !== '"' && sign !== "'") continue;
    at = text.indexOf(sign, at + 1);
    if (at < 0) break;
  }
  throw wrongFile('format');
}

const CDATA = '<![CDATA[';
const SPECIALS: [start: string, end: string][] = [
  ['<?', '?>'],
  ['<!--', '-->'],
  [CDATA, ']]>'],
];

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/iy;

function decodeEntities(text: string, budget: Pick<XmlBudget, 'entities'>): string {
  let [decoded, from] = ['', 0];
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
    ENTITY.lastIndex = at;
    const [, decimal, hex, name = ''] = ENTITY.exec(text) ?? [];
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : null;
    const character = code === null ? ENTITIES[name] : code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
    if (character === undefined || budget.entities-- <= 0) throw wrongFile('format');
    decoded += text.slice(from, at) + character;
    from = ENTITY.lastIndex;
  }
  return from === 0 ? text : decoded + text.slice(from);
}

const patterns = new Map<string, RegExp>();

/** Returns the value of an attribute. */
export function attributeOf(attributes: string, name: string): string | undefined {
  const at = attributes.indexOf(name);
  if (at < 0) return undefined;
  const value = readPlain(attributes, at, name) ?? readAny(attributes, name);
  return value === undefined ? undefined : decodeEntities(value, { entities: MAX_ATTRIBUTES });
}

/** Reads an attribute as programs write it: ` name="value"`. Undefined for another form. */
function readPlain(attributes: string, at: number, name: string): string | undefined {
  const start = at + name.length + 2;
  if (attributes[at - 1] !== ' ' || attributes[start - 2] !== '=' || attributes[start - 1] !== '"') return undefined;
  const end = attributes.indexOf('"', start);
  return end < 0 ? undefined : attributes.slice(start, end);
}

function readAny(attributes: string, name: string): string | undefined {
  const pattern = patterns.get(name) ?? new RegExp(`(?:^|[\\s:])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
  patterns.set(name, pattern);
  const [, double, single] = pattern.exec(attributes) ?? [];
  return double ?? single;
}
