// Amounts in kwanzas: numbers on the wire, exact texts where they are kept or shown.

/** `1500.1` is `1500.10`. @throws RangeError when it is no amount of whole cêntimos */
export function amountText(amount: number): string {
  const text = amount.toFixed(2);
  if (!Number.isSafeInteger(Math.round(amount * 100)) || Number(text) !== amount)
    throw new RangeError(`${amount} is no amount`);
  return text;
}

/** `1500.10` is `1500.1`: the very number that is meant. @throws RangeError */
export function amountOf(text: string): number {
  const amount = /^-?\d{1,13}(\.\d{1,2})?$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(amount)) throw new RangeError(`“${text}” is no amount`);
  return amount;
}
