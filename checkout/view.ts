// The data that the server gives to the checkout page, and the part of it that the page contains for its script.
import type { CheckoutSessionWithTexts } from '../shared/checkout.ts';
import type { Theme } from '../shared/frame.ts';
import type { pt } from './text/pt.ts';

export type CheckoutView = {
  session: CheckoutSessionWithTexts;
  /** The client token, which is part of the page's address. */
  token: string;
  /** The URL of the page's script. Null for a page without a script. */
  script: string | null;
  /** The page's public URL for link previews. Undefined in a frame. */
  url?: string;
  /** The reason why the last form was refused, in the page's language. */
  formError?: string;
  /** For a page in a frame: its theme, the origins that may receive messages, and the script that sends them. */
  frame?: { theme: Theme; origins: readonly string[]; script: string | null };
};

export type TextKey = keyof typeof pt;

/** The data for the page's script, as JSON in the page. */
export type CarriedView = Omit<CheckoutView, 'script' | 'url'>;

/** Id of the element that contains `CarriedView` as JSON. */
export const CARRIED_ID = 'session';

/** The event that `main.tsx` dispatches for every new session, for the script of the frame (`frame.ts`). */
export const SESSION_EVENT = 'balcao-session';

/** Id of the element that the script hydrates. */
export const ROOT_ID = 'checkout';

export type Leaf = '' | '/pay' | '/reference' | '/qrcode' | '/qrcode.svg' | '/logo';

/** The payment that a page belongs to, and the theme if the page is in a frame. */
export type PlaceOfPage = { token: string; theme?: Theme | null | undefined };

/** The page's URL in a language, for forms, language links, refreshes and redirects. */
export function addressOf({ token, theme }: PlaceOfPage, lang: string, leaf: Leaf = ''): string {
  return `/checkout/${encodeURIComponent(token)}${leaf}?lang=${lang}${searchOf(theme)}`;
}

/** The query that keeps the next page in the layout for frames. */
export function searchOf(theme: PlaceOfPage['theme']): string {
  return theme ? `&embed=1&theme=${theme}` : '';
}

/** The `target` of links out of the checkout. In a frame: `_top`, or the shop would open inside its own dialog. */
export function targetOf(theme: PlaceOfPage['theme']): '_top' | undefined {
  return theme ? '_top' : undefined;
}
