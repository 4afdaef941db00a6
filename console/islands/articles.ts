// The articles of the till: a press adds one, and the amount field shows the sum of all and of the typed amount.
import { addMinor, showMoney, toMinor, readMajor } from '../../shared/money.ts';
import { CURRENCY, INCLUDED, quantityOf, readQuantity, sumOfArticles } from '../screens/articles/sum.ts';

/** Shows the buttons of the picker, and keeps the amount field equal to articles and typed amount. */
export function followArticles(): void {
  for (const picker of document.querySelectorAll<HTMLElement>('[data-picker]:not([data-ready])')) follow(picker);
}

function follow(picker: HTMLElement): void {
  const field = document.getElementById(picker.dataset['picker'] ?? '') as HTMLInputElement | null;
  if (!field) return;
  picker.dataset['ready'] = '';
  const included = picker.querySelector<HTMLInputElement>(`[name=${INCLUDED}]`)!;
  const counts = [...picker.querySelectorAll<HTMLInputElement>(`[name^=${quantityOf('')}]`)];
  const total = () => sumMinor(picker);
  /** The digits that the person typed beside the articles. The amount field shows them as a part of the sum. */
  let extra = included.value === '1' ? subtract(field.value, total()) : plainOf(field.value);
  let shown = plainOf(field.value);
  let isWriting = false;

  const write = () => {
    for (const count of counts) mark(count);
    included.value = total() > 0 ? '1' : '';
    const text = total() > 0 ? showTyped(addMinor(total(), minorOf(extra))) : extra;
    shown = plainOf(text);
    if (plainOf(field.value) === shown) return;
    field.value = text;
    isWriting = true;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    isWriting = false;
  };
  const drop = () => {
    for (const count of counts) count.value = '';
  };
  field.addEventListener('input', () => {
    if (isWriting) return;
    const now = plainOf(field.value);
    if (total() === 0) extra = now;
    else if (now.length === shown.length + 1 && now.startsWith(shown)) extra = appendKey(extra, now.slice(-1));
    else if (now.length === shown.length - 1 && shown.startsWith(now)) extra = extra.slice(0, -1);
    else {
      // Another amount is no sum of the articles any more.
      extra = now;
      drop();
    }
    write();
  });
  picker.addEventListener('input', () => write());
  picker.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest<HTMLElement>('[data-pick]');
    const count = button?.parentElement?.querySelector<HTMLInputElement>(`[name^=${quantityOf('')}]`);
    if (!button || !count) return;
    const next = (readQuantity(count.value) ?? 0) + Number(button.dataset['pick']);
    count.value = next > 0 ? String(Math.min(next, 999)) : '';
    // The button that has the focus disappears with the last one of the article.
    if (next <= 0) button.parentElement?.querySelector<HTMLElement>('.more')?.focus();
    write();
    button.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  write();
}

/** Shows the buttons of an article, and the button that takes one away only with a quantity. */
function mark(count: HTMLInputElement): void {
  const pick = count.parentElement!;
  const isChosen = (readQuantity(count.value) ?? 0) > 0;
  pick.classList.add('ready');
  pick.classList.toggle('counted', isChosen);
  pick.querySelector<HTMLElement>('.more')!.hidden = false;
  pick.querySelector<HTMLElement>('.less')!.hidden = !isChosen;
}

function sumMinor(picker: HTMLElement): number {
  const fields = [...picker.querySelectorAll('input')].map(({ name, value }) => [name, value] as const);
  const sum = sumOfArticles(Object.fromEntries(fields));
  return typeof sum === 'string' ? 0 : sum.minor;
}

const plainOf = (text: string) => text.replace(/\s/g, '');

function minorOf(text: string): number {
  const major = readMajor(text.replace(/[.,]$/, '') || '0');
  const read = major === null ? null : toMinor(String(major), CURRENCY);
  return read && 'minor' in read ? read.minor : 0;
}

/** The typed part of an amount that already has the articles in it, such as after a refusal. */
function subtract(text: string, articles: number): string {
  const rest = addMinor(minorOf(plainOf(text)), -articles);
  return rest > 0 ? plainOf(showTyped(rest)) : '';
}

function appendKey(extra: string, key: string): string {
  const next = key === '.' || key === ',' ? `${extra || '0'},` : extra + key;
  return /^\d{1,8}(,\d{0,2})?$/.test(next) ? next : extra;
}

/** An amount as a person types it: `1 200` or `1 200,50`. */
const showTyped = (minor: number) => showMoney(minor, CURRENCY).replace(/(?:,00)?\u00a0Kz$/, '');
