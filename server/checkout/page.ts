// What the built pages (dist/ssr/render.js) offer the server.
import type { CheckoutSession, CheckoutSessionWithTexts, Lang, Texts } from '../../shared/checkout.ts';
import type { Theme } from '../../shared/frame.ts';

/** The payment of a page, and how it is dressed where it stands in a frame. */
export type PlaceOfPage = { token: string; theme: Theme | null };

/** What the checkout build exports (checkout/render.tsx). */
export type CheckoutRender = {
  renderCheckout(view: {
    session: CheckoutSessionWithTexts;
    token: string;
    script: string | null;
    formError?: string;
    frame?: { theme: Theme; origins: readonly string[]; script: string | null };
  }): string;
  renderKept(session: CheckoutSessionWithTexts): string;
  renderMissing(lang: Lang, place: PlaceOfPage): string;
  renderTrouble(lang: Lang, place: PlaceOfPage): string;
  renderRefused(lang: Lang, place: PlaceOfPage): string;
  /** What pages without a payment carry. */
  styles: string;
  /** What a payment's page carries, in a frame of this theme or in none. */
  stylesOf(session: CheckoutSession, theme?: Theme | null): string;
  texts: Record<Lang, Texts>;
  /** Of a session's texts those that its method's screens can still need. */
  chooseTexts(session: CheckoutSessionWithTexts): Texts;
};
