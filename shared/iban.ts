// Angolan bank account numbers (IBAN): one rule for the operator's settings and the monthly statement.

/** An Angolan IBAN has the country, two check digits, and the 21 digits of the account (NIB). */
const IBAN = /^AO\d{23}$/;

/** Normalizes an IBAN: `ao06 0040 …` → `AO060040…`. Null for other countries and for wrong check digits (ISO 7064). */
export function normalizeIban(input: string): string | null {
  const iban = input.replace(/[\s.-]/g, '').toUpperCase();
  return IBAN.test(iban) && checksum(iban) === 1n ? iban : null;
}

/** Computes the remainder of an IBAN by 97. It is 1 for a valid IBAN. */
function checksum(iban: string): bigint {
  const moved = iban.slice(4) + iban.slice(0, 4);
  return BigInt(moved.replace(/[A-Z]/g, (letter) => String(Number.parseInt(letter, 36)))) % 97n;
}

/** Writes an IBAN in groups of four, as banks print it. */
export function showIban(iban: string): string {
  return iban.replace(/.{4}(?=.)/g, '$& ');
}
