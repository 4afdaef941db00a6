// Shows the typed amount on a button. Without a script the button keeps the amount of the server.
import { readMajor, showMoney, toMinor } from '../../shared/money.ts';

export function followSums(): void {
  document.addEventListener('input', ({ target }) => writeSums(target as HTMLInputElement));
  // A person may type an amount before this script has loaded.
  for (const field of document.querySelectorAll('input')) if (field.value !== field.defaultValue) writeSums(field);
}

function writeSums({ id, value }: HTMLInputElement): void {
  for (const sum of document.querySelectorAll<HTMLElement>('[data-sum]'))
    if (sum.dataset['sum'] === id) write(sum, value);
}

/** Writes the typed amount into the button, or clears it while the text is not an amount. */
function write(sum: HTMLElement, typed: string): void {
  const currency = sum.dataset['currency'] ?? '';
  const major = readMajor(typed);
  const read = major === null ? null : toMinor(String(major), currency);
  const target = sum.firstElementChild;
  if (target) target.textContent = read && 'minor' in read ? showMoney(read.minor, currency) : '';
}
