// What the built pages (dist/ssr/render.js) offer the server.
import type { CheckoutSessionWithTexts, Lang, Texts } from '../../shared/checkout.ts';

/** What the checkout build exports (checkout/render.tsx). */
export type CheckoutRender = {
  renderCheckout(view: {
    session: CheckoutSessionWithTexts;
    token: string;
    script: string | null;
    formError?: string;
    phoneTyped?: string;
  }): string;
  renderMissing(lang: Lang): string;
  renderTrouble(lang: Lang, againUrl?: string): string;
  renderProblem(problem: { code: string; status: number; title: string; detail: string }, lang: Lang): string;
  styles: string;
  texts: Record<Lang, Texts>;
  /** Of a session's texts those that its method's screens can still need. */
  chooseTexts(session: CheckoutSessionWithTexts): Texts;
};
