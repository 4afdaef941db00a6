// Placeholders in the text of an SMS, and their replacement.
import { normalizeText, MAX_CHARACTERS } from './fields.ts';

/**
 * Pattern of a placeholder: its key has 1 to 64 letters, digits, `_`, `-` and `.`, with optional spaces around it.
 * A third brace is not allowed, because `{{{nome}}}` would be ambiguous.
 * The pattern takes linear time on any text, because no match extends past the next `{`.
 */
const PLACEHOLDER = /(?<!\{)\{\{\p{Zs}*([\p{L}\p{M}\p{Nd}_.-]{1,64})\p{Zs}*\}\}(?!\})/gu;

/** A filled text is cut at this length. A longer text has more than ten parts even after normalization. */
export const CUT_AT = 4 * MAX_CHARACTERS;

/**
 * Returns the filled text in NFC, or each key that `values` lacks once.
 * Braces inside a value stay unchanged in the filled text.
 * A text longer than CUT_AT is cut, because a placeholder can occur 300 times.
 * `content` must be well-formed. `content` and the keys of `values` must be in NFC.
 */
export function fillTemplate(
  content: string,
  values: ReadonlyMap<string, string>,
): { text: string } | { missing: string[] } {
  const missing = listPlaceholders(content).filter((key) => !values.has(key));
  if (missing.length > 0) return { missing };
  let text = '';
  for (const [nth, piece] of content.split(PLACEHOLDER).entries()) {
    if (text.length <= CUT_AT) text += nth % 2 === 1 ? (values.get(piece) ?? '') : piece;
  }
  // A value can begin with a combining accent, which joins the letter before the placeholder.
  return { text: text.length > CUT_AT ? text : normalizeText(text) };
}

/** Lists each placeholder's key once, in order of appearance. */
export function listPlaceholders(content: string): string[] {
  return [...new Set(Array.from(content.matchAll(PLACEHOLDER), ([, key]) => String(key)))];
}

/** True if every `{{` and `}}` belongs to a placeholder. Otherwise a mistyped placeholder would be sent unfilled. */
export function isWellFormed(content: string): boolean {
  return content.split(PLACEHOLDER).every((text, nth) => nth % 2 === 1 || !/\{\{|\}\}/.test(text));
}
