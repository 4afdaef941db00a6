// The text of a message: its placeholders, and how they are filled in.
import { joinLetters, MAX_CHARACTERS } from './fields.ts';

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
