// What a text costs: how many parts it takes in which alphabet (GSM 03.38 or UCS-2), the same to the server and on pages.
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
