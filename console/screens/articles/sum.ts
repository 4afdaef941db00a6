// The amount and the description of a charge: the articles of the till's form, and the typed amount.
import { addMinor, multiplyMinor, readMajor, toMajor, toMinor } from '../../../shared/money.ts';

/** The fields of an article in the form: the typed quantity, and the price and name that the page showed. */
export const quantityOf = (id: string) => `qty-${id}`;
export const shownOf = (id: string) => `article-${id}`;

/** True if the script has already added the articles to the amount field. */
export const INCLUDED = 'included';

export const CURRENCY = 'AOA';
const MAX_QUANTITY = 999;
/** The most characters of a description that the till composes or accepts. */
const MAX_DESCRIPTION = 100;

export type ArticleSum = { minor: number; description: string };

/** The value of an article's hidden field: `35000 Café`. */
export const writeShown = ({ priceMinor, name }: { priceMinor: number; name: string }) => `${priceMinor} ${name}`;

function readShown(text = ''): { priceMinor: number; name: string } | null {
  const [, price, name] = /^(\d{1,10}) (.+)$/s.exec(text) ?? [];
  return price && name ? { priceMinor: Number(price), name } : null;
}

/** Reads a quantity from 0 to 999. Empty text is 0. Null for other text. */
export function readQuantity(typed = ''): number | null {
  const text = typed.trim() || '0';
  return /^\d{1,4}$/.test(text) && Number(text) <= MAX_QUANTITY ? Number(text) : null;
}

/**
 * Adds up the articles of the form, in the order of its fields. Returns the name of a field that is no quantity.
 * It uses the prices that the page showed. A later change of a price does not change the charge.
 */
export function sumOfArticles(typed: Record<string, string>): ArticleSum | string {
  let minor = 0;
  const lines: string[] = [];
  for (const [field, text] of Object.entries(typed)) {
    if (!field.startsWith(quantityOf(''))) continue;
    const quantity = readQuantity(text);
    if (quantity === null) return field;
    const article = readShown(typed[shownOf(field.slice(quantityOf('').length))]);
    if (!article || quantity === 0) continue;
    minor = addMinor(minor, multiplyMinor(article.priceMinor, quantity));
    lines.push(`${quantity} × ${article.name}`);
  }
  return { minor, description: cut(lines.join(', ')) };
}

function cut(text: string): string {
  const letters = [...text];
  return letters.length > MAX_DESCRIPTION
    ? `${letters
        .slice(0, MAX_DESCRIPTION - 1)
        .join('')
        .trimEnd()}…`
    : text;
}

/**
 * The amount in major units and the description of a charge, from the fields `amount`, `about` and the articles.
 * Returns the name of the wrong field. A typed description replaces the list of articles.
 */
export function totalOf(typed: Record<string, string>): { amount: number; description: string } | string {
  const sum = sumOfArticles(typed);
  if (typeof sum === 'string') return sum;
  const { amount: text = '', about = '' } = typed;
  const description = about.trim() || sum.description;
  const isComplete = typed[INCLUDED] === '1' || sum.minor === 0;
  const amount = isComplete ? readMajor(text) : addTyped(text, sum);
  return amount === null ? 'amount' : { amount, description };
}

/** Adds the typed amount, which may be absent beside articles. Null if it is no amount. */
function addTyped(text: string, { minor }: ArticleSum): number | null {
  const major = text.trim() ? readMajor(text) : 0;
  const read = major === null ? null : toMinor(String(major), CURRENCY);
  return read && 'minor' in read ? toMajor(addMinor(minor, read.minor), CURRENCY) : null;
}
