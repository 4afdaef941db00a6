// What the hosted page in a frame and the element around it say to each other, each to the other's exact origin.
import type { PaymentStatus } from './status.ts';

/** The page's words: it is there; how tall it is; what became of the payment; that its payer wants to leave; that it is not shown on this origin. */
export type PageWord =
  | { type: 'hello' }
  | { type: 'height'; height: number }
  | { type: 'status'; status: PaymentStatus; revision: number; token: string }
  | { type: 'close' }
  | { type: 'blocked' };

/** The element's: it has heard the page, which tells nothing before. */
export type ElementWord = { type: 'welcome' };

/** On the wire each word carries its frame's nonce: a page that was not opened by this element knows none. */
export type Signed<Word> = Word & { balcao: string };

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What the element hands its frame, by its name: no server sees it, and it outlives links, forms and redirects. */
export function writeName(nonce: string, origin: string): string {
  return `${nonce}@${origin}`;
}

/** What a page finds in its window's name; null in one that no element opened. */
export function readName(name: string): { nonce: string; origin: string } | null {
  const [, nonce, origin] = /^(\d{20,})@(.+)$/.exec(name) ?? [];
  return nonce && origin ? { nonce, origin } : null;
}

/** A word from exactly that window, of exactly that origin, under that nonce; null for whatever else is said. */
export function hear<Word>(event: MessageEvent, from: unknown, origin: string, nonce: string): Word | null {
  const { source, data } = event;
  return source === from && event.origin === origin && data?.balcao === nonce ? (data as Word) : null;
}
