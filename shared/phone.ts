// Angolan mobile numbers: one rule for the API, the checkout and SMS (decisions §3). The operator is never inferred.

/** Contacts and chats put these between the digits: blanks, invisible marks, dashes, brackets and dots. */
const BETWEEN = /[\s\p{Cf}\p{Pd}−().[\]]/gu;

/** `923 456 789`, `+244 (923) 456-789`, `tel:+244923456789`, `00244…`, `244…` → `+244923456789`; anything else → null. */
export function normalizePhone(input: string): string | null {
  // NFKC turns full-width digits into plain ones.
  const digits = input
    .normalize('NFKC')
    .replace(BETWEEN, '')
    .replace(/^(tel:)?(\+244|00244|244(?=9\d{8}$))?/i, '');
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
