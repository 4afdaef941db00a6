// Converts amounts in kwanzas between JSON numbers and exact text, for storage and display.

/** Converts `1500.1` to `1500.10`. @throws RangeError if the number has more than two decimals or is too large */
export function amountText(amount: number): string {
  const text = amount.toFixed(2);
  if (!Number.isSafeInteger(Math.round(amount * 100)) || Number(text) !== amount)
    throw new RangeError(`${amount} is not an amount`);
  return text;
}

/** Converts `1500.10` to `1500.1`. @throws RangeError if the text is not an amount */
export function amountOf(text: string): number {
  const amount = /^-?\d{1,13}(\.\d{1,2})?$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(amount)) throw new RangeError(`“${text}” is not an amount`);
  return amount;
}
