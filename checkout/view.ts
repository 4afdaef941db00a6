// What the server hands the checkout page to draw, and what of it travels inside the page to the script.
import type { CheckoutSessionWithTexts } from '../shared/checkout.ts';
import type { Theme } from '../shared/frame.ts';
import type { pt } from './text/pt.ts';

export type CheckoutView = {
  session: CheckoutSessionWithTexts;
  /** The client token, as in the page's address. */
  token: string;
  /** Address of the page's script; null serves the page without one. */
  script: string | null;
  /** A form post was refused: why, in the page's language, and what was typed. */
  formError?: string;
  phoneTyped?: string;
  /** In a frame: how it is dressed, and the origins whose elements it may speak to. */
  frame?: { theme: Theme; origins: readonly string[] };
};

export type TextKey = keyof typeof pt;

/** The view as the page's script finds it in the page. */
export type CarriedView = Omit<CheckoutView, 'script'>;

/** Id of the element that holds it. */
export const CARRIED_ID = 'session';

/** Id of the element that the script takes over. */
export const ROOT_ID = 'checkout';

export type Leaf = '' | '/pay' | '/reference' | '/qrcode.svg' | '/logo';

/** The page's address in a language: language links, refresh and the way back from a refused form all lead there. */
export function addressOf(token: string, lang: string, leaf: Leaf = ''): string {
  return `/checkout/${encodeURIComponent(token)}${leaf}?lang=${lang}`;
}
