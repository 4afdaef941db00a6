// Angolan tax numbers (NIF): one rule for the API, the forms of payment links, and merchants.

/** 10 digits for a company or a person without an identity card; else the 14 characters of the identity card. */
const NIF = /^\d{10}$|^\d{9}[A-Z]{2}\d{3}$/;

/** `5417 123 456` → `5417123456`, `006151112la041` → `006151112LA041`. Null for other text. */
export function normalizeNif(input: string): string | null {
  const nif = input.replace(/[\s.-]/g, '').toUpperCase();
  return NIF.test(nif) ? nif : null;
}
