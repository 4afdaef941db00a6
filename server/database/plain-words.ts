// The words of a search in SQL, as in `plainWords` of shared/search.ts, and the digits of a search text.

const BLANKS = `E'\\n\\r\\t\\u00a0'`;

/** The SQL expression that equals `plainWords`. It keeps repeated blanks. @param text an SQL expression */
export const plainWordsSql = (text: string): string =>
  `lower(regexp_replace(translate(normalize(${text}, NFD), ${BLANKS}, '    '), '[\\u0300-\\u036f]', '', 'g'))`;

/** Returns the digits of a text that people write as a number, such as `+244 923-456`. Else an empty text. */
export function digitsOf(text: string): string {
  if (!/^[+\d\s.()/\-\u2010-\u2015]+$/.test(text)) return '';
  return text.replace(/\D/g, '').replace(/^00(?=\d{3})/, '');
}
