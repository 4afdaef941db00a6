// Angolan mobile numbers: one rule for the API, the checkout and SMS (decisions §3). The operator is never inferred.

/** Of a number with everything around it. */
export const MAX_PHONE_LENGTH = 64;

/** Contacts and chats put these between the digits: blanks, invisible marks, dashes, brackets and dots. */
const BETWEEN = /[\s\p{Cf}\p{Pd}\u2212().[\]]/gu;

/** `923 456 789`, `+244 (923) 456-789`, `tel:+244923456789`, `00244…`, `244…` → `+244923456789`; anything else → null. */
export function normalizePhone(input: string): string | null {
  if (input.length > MAX_PHONE_LENGTH) return null;
  const digits = input
    .replace(BETWEEN, '')
    .replace(/[\uff0b\uff10-\uff19]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/^tel:/i, '')
    .replace(/^(\+244|00244|244(?=9\d{8}$))/, '');
  return /^9\d{8}$/.test(digits) ? `+244${digits}` : null;
}

/** An E.164 number as people say it: `923 456 789`. */
export function showPhone(e164: string): string {
  return e164.replace(/^\+244/, '').replace(/(\d{3})(?=\d)/g, '$1 ');
}

/** For pages and logs: `923 ••• 789`. A full number never leaves the merchant's own API. */
export function maskPhone(e164: string): string {
  return showPhone(e164).replace(/ \d{3} /, ' ••• ');
}
