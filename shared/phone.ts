// Angolan mobile numbers: one rule for the API, the checkout and SMS.
// The code does not derive the network operator from a number, because people can keep their number.

/** Characters that people put between a phone number's digits: spaces, invisible marks, dashes, brackets. */
const BETWEEN = /[\s\p{Cf}\p{Pd}−().[\]]/gu;

/** Normalizes a phone number: `923 456 789`, `tel:+244923456789`, `00244…`, `244…` → `+244923456789`. Else null. */
export function normalizePhone(input: string): string | null {
  // NFKC turns full-width digits into ASCII digits.
  const digits = input
    .normalize('NFKC')
    .replace(BETWEEN, '')
    .replace(/^(tel:)?(\+244|00244|244(?=9\d{8}$))?/i, '');
  return /^9\d{8}$/.test(digits) ? `+244${digits}` : null;
}

/** Formats an E.164 number without the country code, in groups: `923 456 789`. */
export function showPhone(e164: string): string {
  return e164.replace(/^\+244/, '').replace(/(\d{3})(?=\d)/g, '$1 ');
}

/** Masks a phone number for pages and logs: `923 ••• 789`. Only the merchant's own API returns full numbers. */
export function maskPhone(e164: string): string {
  return showPhone(e164).replace(/ \d{3} /, ' ••• ');
}
