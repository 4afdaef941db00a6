// Angolan tax numbers (NIF): one rule for the API, the forms of payment links, and merchants.

/** A NIF has 10 digits (a company, or a person without an identity card) or the identity card's 14 characters. */
const NIF = /^\d{10}$|^\d{9}[A-Z]{2}\d{3}$/;

/** Normalizes a NIF: `5417 123 456` → `5417123456`, `006151112la041` → `006151112LA041`. Null for other text. */
export function normalizeNif(input: string): string | null {
  const nif = input.replace(/[\s.-]/g, '').toUpperCase();
  return NIF.test(nif) ? nif : null;
}
