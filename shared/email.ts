// E-mail addresses, in the one form in which they are stored and compared.

/** Of the whole address (RFC 5321 §4.5.3.1). */
const MAX_LENGTH = 254;

/** One `@`, a domain with a dot, no spaces, quotes or brackets: what mail providers give people. */
const ADDRESS = /^[^\s@"(),:;<>[\\\]]{1,64}@[^\s@"(),:;<>[\\\]]+\.[^\s@".(),:;<>[\\\]]{2,}$/u;

/** What nobody sees, or what turns the letters around it: two addresses would look like one. */
const UNSEEN = /[\p{Cc}\p{Cf}]/u;

/** Trimmed and in lower case; null when it is no address. Nothing else is made equal: providers differ. */
export function normalizeEmail(typed: string): string | null {
  // No address so long becomes one, and putting its accents in order would take the square of their number.
  if (typed.length > 4 * MAX_LENGTH) return null;
  const email = typed.trim().normalize('NFC').toLowerCase();
  if (email.length > MAX_LENGTH || !ADDRESS.test(email)) return null;
  return UNSEEN.test(email) || email.includes('..') ? null : email;
}
