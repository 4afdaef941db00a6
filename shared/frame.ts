// The messages between the hosted page in a frame and the widget element around that frame.
// Each side posts to the other side's exact origin.
import type { PaymentStatus } from './status.ts';

/**
 * Messages from the hosted page. `hello`: the page has loaded. `height`: the page's height in pixels.
 * `status`: the payment's status. `close`: the payer wants to leave.
 * `blocked`: the page refuses to show the payment on this origin.
 */
export type PageMessage =
  | { type: 'hello' }
  | { type: 'height'; height: number }
  | { type: 'status'; status: PaymentStatus; revision: number; token: string }
  | { type: 'close' }
  | { type: 'blocked' };

/** The element's reply to `hello`. The page sends its other messages only after this reply. */
export type ElementMessage = { type: 'welcome' };

/** Each frame message carries the frame's nonce. Only a page that this element opened knows the nonce. */
export type Signed<Message> = Message & { balcao: string };

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The frame's `name`, which carries the nonce to the page. No server sees the name, and it survives redirects. */
export function writeName(nonce: string, origin: string): string {
  return `${nonce}@${origin}`;
}

/** Reads the nonce from `window.name`. Null if the page was not opened by a widget element. */
export function readName(name: string): { nonce: string; origin: string } | null {
  const [, nonce, origin] = /^(\d{20,})@(.+)$/.exec(name) ?? [];
  return nonce && origin ? { nonce, origin } : null;
}

/** Returns the message if its window, origin and nonce all match those of the frame. Null for every other message. */
export function readMessage<Message>(
  event: MessageEvent,
  from: unknown,
  origin: string,
  nonce: string,
): Message | null {
  const { source, data } = event;
  return source === from && event.origin === origin && data?.balcao === nonce ? (data as Message) : null;
}
