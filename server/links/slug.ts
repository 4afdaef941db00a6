// Slugs: the random last part of a link's URL, short enough to print and type, too long to guess.
import { randomInt } from 'node:crypto';

/** Lower-case letters and digits, without those that look alike. Ten of them are 49 bits. */
const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';
const LENGTH = 10;

const SLUG = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

const draw = (length: number) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

export const drawSlug = () => draw(LENGTH);

/** Normalizes a typed slug to lower case. Null if the text is no slug. */
export function readSlug(typed: string): string | null {
  const slug = typed.toLowerCase();
  return SLUG.test(slug) ? slug : null;
}

/** Draws a payment's reference. It begins with the slug's first letters, so that the merchant recognizes the link. */
export function drawReference(slug: string): string {
  return `${slug.slice(0, 4)}-${draw(10)}`.toUpperCase();
}

/** Public URL of a link. */
export function linkUrlOf({ publicUrl }: { publicUrl: string }, slug: string): string {
  return `${publicUrl}/l/${slug}`;
}
