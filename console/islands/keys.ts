// The keys of the till: what a key makes of the amount, and the keyboard of a desk without a focused field.
import { INCLUDED } from '../screens/articles/sum.ts';

export const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', ',', '0'];

/**
 * Adds a key to the typed amount, unless the result is not an amount. Groups the digits, such as `12 500,50`.
 * @param key empty: deletes a character
 * @param hasArticles true: `articles.ts` reads the added key, and adds it to the typed part of the sum
 */
export function pressKey(typed: string, key: string, hasArticles = includesArticles()): string {
  const plain = typed.replace(/\s/g, '');
  if (!key) return group(plain.slice(0, -1));
  if (hasArticles) return plain + key;
  const next = (plain === '0' && key !== ',' ? '' : plain || (key === ',' ? '0' : '')) + key;
  return /^\d{1,8}([.,]\d{0,2})?$/.test(next) ? group(next) : typed;
}

const includesArticles = () => document.querySelector<HTMLInputElement>(`[name=${INCLUDED}]`)?.value === '1';

function group(plain: string): string {
  const [whole = '', cents] = plain.split(',');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0');
  return cents === undefined ? grouped : `${grouped},${cents}`;
}

/** Keys of a keyboard that mean a key of the till. Both decimal signs are the comma. */
const MEANINGS: Record<string, string> = { ',': ',', '.': ',', Decimal: ',', Backspace: '', Delete: '' };

/** Elements that use these keys themselves. A radio button does not use digits. */
const TYPES = 'input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]';

/** Digits, comma, Backspace, Enter and Escape serve the till while no field has the focus. */
export function followKeys(): void {
  const field = document.querySelector<HTMLInputElement>('.till .sum input');
  if (!field?.form) return;
  const { form } = field;
  // The screen has keys of its own, so a phone shows no keyboard above them.
  field.inputMode = 'none';
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey, isComposing } = event;
    const element = target as Element;
    if (ctrlKey || metaKey || altKey || isComposing || event.defaultPrevented || location.hash === '#menu') return;
    const isTyping = element.matches(TYPES);
    if (isTyping && element !== field) return;
    if (key === 'Escape') return write(field, '');
    if (isTyping) return;
    if (key === 'Enter') {
      // A focused button or link does its own work.
      if (element.closest('button, a, summary, label')) return;
      event.preventDefault();
      form.requestSubmit();
      return;
    }
    const meaning = /^\d$/.test(key) ? key : MEANINGS[key];
    if (meaning === undefined) return;
    event.preventDefault();
    write(field, pressKey(field.value, meaning));
  });
}

function write(field: HTMLInputElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
