// What a link's address ends in: short enough to print and to type, and nobody's to guess.
import { randomInt } from 'node:crypto';

/** Small letters and digits, without those that look alike. Ten of them are 49 bits. */
const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';
const LENGTH = 10;

const SLUG = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

const draw = (length: number) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

export const drawSlug = () => draw(LENGTH);

/** A slug as it was typed, in capitals it may be; null for what is none. */
export function readSlug(typed: string): string | null {
  const slug = typed.toLowerCase();
  return SLUG.test(slug) ? slug : null;
}

/** What a payment is called: by the first letters of its link, so that a merchant knows it again. */
export function drawReference(slug: string): string {
  return `${slug.slice(0, 4)}-${draw(10)}`.toUpperCase();
}

/** The address that is sent, printed and scanned. */
export function linkUrlOf({ publicUrl }: { publicUrl: string }, slug: string): string {
  return `${publicUrl}/l/${slug}`;
}
