// The text of a message: how many parts it takes in which alphabet (GSM 03.38 or UCS-2), and its placeholders filled in.
import { joinLetters, MAX_CHARACTERS } from './fields.ts';

/** `characters` is in septets or UTF-16 code units; `forcedBy`: each character without which GSM-7 would do, once. */
type Measure = { encoding: Encoding; parts: number; characters: number; forcedBy: string[] };

type Encoding = 'GSM-7' | 'UCS-2';

type Rule = {
  /** What a message holds that is one part, and what each of several holds: they carry a header. */
  single: number;
  each: number;
  widthOf(character: string): number;
};

const RULES: Record<Encoding, Rule> = {
  'GSM-7': { single: 160, each: 153, widthOf: (character) => septetsOf(character) ?? Infinity },
  'UCS-2': { single: 70, each: 67, widthOf: (character) => character.length },
};

/** Of a text in NFC, which is the shortest. An empty one is a part too. */
export function measureText(text: string): Measure {
  const forcedBy = [...new Set(text)].filter((character) => septetsOf(character) === null);
  const encoding = encodingOf(text);
  return { encoding, parts: splitText(text).length, characters: widthOf(text, RULES[encoding]), forcedBy };
}

/**
 * The parts of a text, each as full as can be. What takes two places is never split: an extension character from its
 * escape, nor one half of an emoji from the other, so there may be more parts than the length alone says.
 */
export function splitText(text: string): string[] {
  const rule = RULES[encodingOf(text)];
  if (widthOf(text, rule) <= rule.single) return [text];
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const character of text) {
    const width = rule.widthOf(character);
    if (used + width > rule.each) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += width;
  }
  return [...parts, part];
}

/** One character that GSM-7 lacks, and all of the text is UCS-2. */
function encodingOf(text: string): Encoding {
  for (const character of text) if (septetsOf(character) === null) return 'UCS-2';
  return 'GSM-7';
}

function widthOf(text: string, { widthOf: widthOfOne }: Rule): number {
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/** In the order of the standard, a row of the table each; at 0x1B stands the escape, which is no letter. */
const BASIC = [
  '@£$¥èéùìòÇ\nØø\rÅå',
  'Δ_ΦΓΛΩΠΨΣΘΞÆæßÉ',
  ' !"#¤%&\'()*+,-./',
  '0123456789:;<=>?',
  '¡ABCDEFGHIJKLMNO',
  'PQRSTUVWXYZÄÖÑÜ§',
  '¿abcdefghijklmno',
  'pqrstuvwxyzäöñüà',
].join('');

/** Each after an escape. */
const EXTENSION = '\f^{}\\[~]|€';

const SEPTETS: ReadonlyMap<string, number> = new Map([
  ...[...BASIC].map((character) => [character, 1] as const),
  ...[...EXTENSION].map((character) => [character, 2] as const),
]);

/** How many septets a character (code point) takes; null when the alphabet lacks it. */
export function septetsOf(character: string): number | null {
  return SEPTETS.get(character) ?? null;
}

/**
 * A key is 1 to 64 letters, digits, `_`, `-`, `.`, with or without spaces around. No third brace may touch: `{{{nome}}}`
 * could mean two things. Fast on any text: no match runs past the next `{`.
 */
const PLACEHOLDER = /(?<!\{)\{\{\p{Zs}*([\p{L}\p{M}\p{Nd}_.-]{1,64})\p{Zs}*\}\}(?!\})/gu;

/** What is longer has more than ten parts, however its letters join: the rest of it need not be known. */
export const CUT_AT = 4 * MAX_CHARACTERS;

/**
 * The text with each placeholder replaced by its value, in NFC; or every key that `values` lacks, once each. A value is
 * only text: braces in it stay as they are. It is cut beyond `CUT_AT`: a place may be there 300 times. `content` is well-formed and in NFC, and so are the keys of `values`.
 */
export function fillTemplate(
  content: string,
  values: ReadonlyMap<string, string>,
): { text: string } | { missing: string[] } {
  const missing = listKeys(content).filter((key) => !values.has(key));
  if (missing.length > 0) return { missing };
  let text = '';
  for (const [nth, piece] of content.split(PLACEHOLDER).entries()) {
    if (text.length <= CUT_AT) text += nth % 2 === 1 ? (values.get(piece) ?? '') : piece;
  }
  // A value may begin with an accent that joins the letter before it.
  return { text: text.length > CUT_AT ? text : joinLetters(text) };
}

/** Each key once, in order of appearance. */
export function listKeys(content: string): string[] {
  return [...new Set(Array.from(content.matchAll(PLACEHOLDER), ([, key]) => String(key)))];
}

/** Whether every `{{` and `}}` belongs to a placeholder: one that is mistyped would be sent to people as it is. */
export function isWellFormed(content: string): boolean {
  return content.split(PLACEHOLDER).every((text, nth) => nth % 2 === 1 || !/\{\{|\}\}/.test(text));
}
