// Angolan mobile numbers: one rule for the API, the checkout and SMS.
// The code never derives the network operator from a number, because people can keep their number.

/** Characters that contacts and chats put between digits: spaces, invisible marks, dashes, brackets and dots. */
const BETWEEN = /[\s\p{Cf}\p{Pd}−().[\]]/gu;

/** `923 456 789`, `+244 (923) 456-789`, `tel:+244923456789`, `00244…`, `244…` → `+244923456789`. Else null. */
export function normalizePhone(input: string): string | null {
  // NFKC turns full-width digits into plain ones.
  const digits = input
    .normalize('NFKC')
    .replace(BETWEEN, '')
    .replace(/^(tel:)?(\+244|00244|244(?=9\d{8}$))?/i, '');
  return /^9\d{8}$/.test(digits) ? `+244${digits}` : null;
}

/** An E.164 number without the country code, in groups: `923 456 789`. */
export function showPhone(e164: string): string {
  return e164.replace(/^\+244/, '').replace(/(\d{3})(?=\d)/g, '$1 ');
}

/** A masked number for pages and logs: `923 ••• 789`. Only the merchant's own API returns full numbers. */
export function maskPhone(e164: string): string {
  return showPhone(e164).replace(/ \d{3} /, ' ••• ');
}
