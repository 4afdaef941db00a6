// Counts the parts of an SMS text in the GSM-7 alphabet (GSM 03.38) or UCS-2, for the server and the console's pages.
// Each part of an SMS costs one SMS unit.

/** The size of an SMS text. `characters` counts septets or UTF-16 units. `forcedBy`: characters not in GSM-7. */
type Measure = { encoding: Encoding; parts: number; characters: number; forcedBy: string[] };

type Encoding = 'GSM-7' | 'UCS-2';

type Rule = {
  /** Characters of an SMS text that has a single part. */
  single: number;
  /** Characters of each part of an SMS text with several parts. A header takes the rest of each part. */
  each: number;
  widthOf(character: string): number;
};

const RULES: Record<Encoding, Rule> = {
  'GSM-7': { single: 160, each: 153, widthOf: (character) => septetsOf(character) ?? Infinity },
  'UCS-2': { single: 70, each: 67, widthOf: (character) => character.length },
};

/** Measures an SMS text in Unicode NFC, its shortest form. An empty text has one part. */
export function measureText(text: string): Measure {
  const forcedBy = [...new Set(text)].filter((character) => septetsOf(character) === null);
  const encoding = encodingOf(text);
  return { encoding, parts: splitText(text).length, characters: widthOf(text, RULES[encoding]), forcedBy };
}

/**
 * Splits an SMS text into its parts. A part does not end inside a character of two units:
 * an extension character (escape and letter), or an emoji (two code units).
 * Therefore an SMS text can have more parts than its length suggests.
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

/** The encoding of an SMS text. One character that GSM-7 lacks makes the whole text UCS-2. */
function encodingOf(text: string): Encoding {
  for (const character of text) if (septetsOf(character) === null) return 'UCS-2';
  return 'GSM-7';
}

function widthOf(text: string, { widthOf: widthOfOne }: Rule): number {
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/** The basic GSM-7 alphabet in the order of GSM 03.38: one table row per line, without the escape (0x1B). */
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

/** Extension characters of GSM-7. Each takes two septets: an escape and a letter. */
const EXTENSION = '\f^{}\\[~]|€';

const SEPTETS: ReadonlyMap<string, number> = new Map([
  ...[...BASIC].map((character) => [character, 1] as const),
  ...[...EXTENSION].map((character) => [character, 2] as const),
]);

/** The number of septets of a character (code point). Null if GSM-7 lacks the character. */
export function septetsOf(character: string): number | null {
  return SEPTETS.get(character) ?? null;
}
