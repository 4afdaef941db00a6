// Counts the parts of an SMS text in the GSM-7 alphabet (GSM 03.38) or UCS-2, for the server and the console's pages.
// Each part costs one SMS unit.

/** `characters` counts septets or UTF-16 code units. `forcedBy` lists the characters that GSM-7 lacks. */
type Measure = { encoding: Encoding; parts: number; characters: number; forcedBy: string[] };

type Encoding = 'GSM-7' | 'UCS-2';

type Rule = {
  /** Capacity of a text with a single part. */
  single: number;
  /** Capacity of each part, if there are several: a header takes some space. */
  each: number;
  widthOf(character: string): number;
};

const RULES: Record<Encoding, Rule> = {
  'GSM-7': { single: 160, each: 153, widthOf: (character) => septetsOf(character) ?? Infinity },
  'UCS-2': { single: 70, each: 67, widthOf: (character) => character.length },
};

/** Measures a text in NFC, its shortest form. An empty text has one part. */
export function measureText(text: string): Measure {
  const forcedBy = [...new Set(text)].filter((character) => septetsOf(character) === null);
  const encoding = encodingOf(text);
  return { encoding, parts: splitText(text).length, characters: widthOf(text, RULES[encoding]), forcedBy };
}

/**
 * Splits a text into its parts. A part never ends inside a character that takes two units:
 * an extension character (escape and letter), or an emoji (two code units).
 * Therefore a text can have more parts than its length suggests.
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

/** A single character that GSM-7 lacks makes the whole text UCS-2. */
function encodingOf(text: string): Encoding {
  for (const character of text) if (septetsOf(character) === null) return 'UCS-2';
  return 'GSM-7';
}

function widthOf(text: string, { widthOf: widthOfOne }: Rule): number {
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/** The basic alphabet in the order of the standard, one row of its table a line, without the escape (0x1B). */
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

/** Extension characters. Each takes two septets: an escape and a letter. */
const EXTENSION = '\f^{}\\[~]|€';

const SEPTETS: ReadonlyMap<string, number> = new Map([
  ...[...BASIC].map((character) => [character, 1] as const),
  ...[...EXTENSION].map((character) => [character, 2] as const),
]);

/** The number of septets of a character (code point). Null if GSM-7 lacks the character. */
export function septetsOf(character: string): number | null {
  return SEPTETS.get(character) ?? null;
}
