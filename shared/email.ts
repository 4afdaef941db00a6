// Normalizes e-mail addresses: all code stores and compares only the normalized form.

/** Maximum length of a whole e-mail address (RFC 5321 §4.5.3.1). */
const MAX_LENGTH = 254;

/** Rule for e-mail addresses: one `@`, a domain with a dot, and no spaces, quotes or brackets. */
const ADDRESS = /^[^\s@"(),:;<>[\\\]]{1,64}@[^\s@"(),:;<>[\\\]]+\.[^\s@".(),:;<>[\\\]]{2,}$/u;

/** Invisible characters and text direction marks: with them, two different e-mail addresses look the same. */
const UNSEEN = /[\p{Cc}\p{Cf}]/u;

/** Trims and lowercases an e-mail address. Null if it is invalid. Dots and `+` parts stay, as providers differ. */
export function normalizeEmail(typed: string): string | null {
  // Normalizing takes quadratic time in the number of accents, so overlong input is refused before normalizing.
  if (typed.length > 4 * MAX_LENGTH) return null;
  const email = typed.trim().normalize('NFC').toLowerCase();
  if (email.length > MAX_LENGTH || !ADDRESS.test(email)) return null;
  return UNSEEN.test(email) || email.includes('..') ? null : email;
}
