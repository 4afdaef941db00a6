// Slugs: the random last part of a payment link's URL, short enough to type and too long to guess.
import { randomInt } from 'node:crypto';

/** Characters of a slug: letters and digits without those that look alike. Ten characters have 49 random bits. */
const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';
const LENGTH = 10;

const SLUG = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

const draw = (length: number) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

export const drawSlug = () => draw(LENGTH);

/** Normalizes a typed slug to lower case. Returns null if the text is no slug. */
export function readSlug(typed: string): string | null {
  const slug = typed.toLowerCase();
  return SLUG.test(slug) ? slug : null;
}

/** Draws a random reference for a payment. It begins with the slug's first letters, by which merchants see the link. */
export function drawReference(slug: string): string {
  return `${slug.slice(0, 4)}-${draw(10)}`.toUpperCase();
}

/** Returns the public URL of a payment link. */
export function linkUrlOf({ publicUrl }: { publicUrl: string }, slug: string): string {
  return `${publicUrl}/l/${slug}`;
}
