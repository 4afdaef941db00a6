// The letters that a phone shows without UCS-2: the GSM 7-bit default alphabet and its extension (3GPP TS 23.038).

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
