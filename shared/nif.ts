// Tax numbers (NIF): one rule for the API, the forms of links, and merchants' own.

/** Of a company, and of who has no identity card, 10 digits; of a person those of the identity card. */
const NIF = /^\d{10}$|^\d{9}[A-Z]{2}\d{3}$/;

/** `5417 123 456`, `006151112la041` → `5417123456`, `006151112LA041`; anything else → null. */
export function normalizeNif(input: string): string | null {
  const nif = input.replace(/[\s.-]/g, '').toUpperCase();
  return NIF.test(nif) ? nif : null;
}
