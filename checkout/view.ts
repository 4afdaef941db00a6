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
  /** The page's address where people may share it. */
  url?: string;
  /** A form post was refused: why, in the page's language. */
  formError?: string;
  /** In a frame: how it is dressed, the origins whose elements it may speak to, and the script that does. */
  frame?: { theme: Theme; origins: readonly string[]; script: string | null };
};

export type TextKey = keyof typeof pt;

/** The view as the page's script finds it in the page. */
export type CarriedView = Omit<CheckoutView, 'script' | 'url'>;

/** Id of the element that holds it. */
export const CARRIED_ID = 'session';

/** What the page's script tells its window with every new session, for the script that speaks to a frame's element. */
export const SESSION_EVENT = 'balcao-session';

/** Id of the element that the script takes over. */
export const ROOT_ID = 'checkout';

export type Leaf = '' | '/pay' | '/reference' | '/qrcode' | '/qrcode.svg' | '/logo';

/** The payment of a page, and how it is dressed where it stands in a frame. */
export type PlaceOfPage = { token: string; theme?: Theme | null | undefined };

/** The page's address in a language: forms, language links, refresh and the way back from a refusal all lead there. */
export function addressOf({ token, theme }: PlaceOfPage, lang: string, leaf: Leaf = ''): string {
  return `/checkout/${encodeURIComponent(token)}${leaf}?lang=${lang}${searchOf(theme)}`;
}

/** What keeps a page in a frame the framed one that it is. */
export function searchOf(theme: PlaceOfPage['theme']): string {
  return theme ? `&embed=1&theme=${theme}` : '';
}

/** Where a link that leaves the checkout opens: never in a frame, which would be the shop in the shop's own dialog. */
export function targetOf(theme: PlaceOfPage['theme']): '_top' | undefined {
  return theme ? '_top' : undefined;
}
