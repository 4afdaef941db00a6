// What a checkout's request is about: the payment of its token, what the built page offers, and how often an address may guess a token.
import type { Context } from 'koa';
import { z } from 'zod';
import type { CheckoutSession, CheckoutSessionWithTexts, Texts, Lang } from '../../shared/checkout.ts';
import { THEMES, type Theme } from '../../shared/frame.ts';
import { chooseLanguage } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { takeFrom, type Limits } from '../http/limits.ts';
import { pagePolicy, sendPage, type Assets } from '../http/pages.ts';
import { Problem, type Answer } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import type { Streams } from '../http/sse.ts';
import type { CheckoutPayment } from './payment.ts';
import { readClientToken } from '../payments/core/token.ts';
import { findByToken, makeSession } from './session.ts';

/** The payment of a page, and how it is dressed where it stands in a frame. */
type PlaceOfPage = { token: string; theme: Theme | null };

/** What the checkout build exports (checkout/render.tsx). */
export type CheckoutRender = {
  renderCheckout(view: {
    session: CheckoutSessionWithTexts;
    token: string;
    script: string | null;
    url?: string;
    formError?: string;
    frame?: { theme: Theme; origins: readonly string[]; script: string | null };
  }): string;
  renderKept(session: CheckoutSessionWithTexts): string;
  renderMissing(lang: Lang, place: PlaceOfPage): string;
  renderTrouble(lang: Lang, place: PlaceOfPage): string;
  renderRefused(lang: Lang, place: PlaceOfPage): string;
  renderUnlisted(lang: Lang, place: { token: string; theme: Theme; origin: string; script: string | null }): string;
  /** What pages without a payment carry. */
  styles: string;
  /** What a payment's page carries, in a frame of this theme or in none. */
  stylesOf(session: CheckoutSession, theme?: Theme | null): string;
  texts: Record<Lang, Texts>;
  /** Of a session's texts those that its method's screens can still need. */
  chooseTexts(session: CheckoutSessionWithTexts): Texts;
};

export type CheckoutDeps = {
  core: Core;
  streams: Streams;
  limits: Limits;
  assets: Assets;
  render: CheckoutRender;
};

const byToken = z.object({
  clientToken: z.string().describe('`clientToken` of the answer to the creation of the payment'),
});
export const session = z.looseObject({ revision: z.int(), status: z.string() }).meta({ id: 'CheckoutSession' });

/** Any page may read a session with its token: there are no cookies that could be abused (decisions §11). */
export const CORS = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };

/**
 * Of what the page's script reads, which keeps none of it. It is not `no-store`, as the page itself is: a page whose script
 * was answered so is never kept for the Back button by Chrome, and its payer waits for another load.
 */
export const UNKEPT = { ...CORS, 'Cache-Control': 'private, no-cache' };

/** A merchant's page that isolates itself takes in only frames that do so too. */
export const ISOLATED = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

export const about = { tag: 'Checkout', access: { kind: 'clientToken' }, bucket: 'public', params: byToken } as const;

/** How a form is answered, for the document. */
export const TO_THE_PAGE = { description: 'To the page', headers: { Location: 'The page' } };

/** The handler wrote the answer itself. */
export const SENT: Answer = { status: 0 };

export function langOf(ctx: Context, fallback: Lang = 'pt'): Lang {
  return chooseLanguage(ctx.query['lang'], ctx.acceptsLanguages('pt', 'en', 'fr'), fallback);
}

/** @param known the payment as it is shown now, where that is at hand */
export async function describe(
  { core, render }: CheckoutDeps,
  ctx: Context,
  token: string,
  known: CheckoutPayment | null = null,
): Promise<object> {
  const lang = langOf(ctx);
  const texts = render.texts[lang];
  const session = await makeSession(core, known ?? (await findByToken(core, token)), lang, texts);
  return { ...session, texts: render.chooseTexts({ ...session, texts }) };
}

/** How a page that was opened in a frame by the widget is dressed; null for one that was not. */
export function readTheme({ query }: Context): Theme | null {
  const { embed, theme } = query;
  return embed === undefined ? null : (THEMES.find((each) => each === theme) ?? 'auto');
}

/** The payment, or null after a "wrong link" page was sent. */
export async function findForPage(
  { core, render }: CheckoutDeps,
  ctx: Context,
  token: string,
): Promise<CheckoutPayment | null> {
  try {
    return await findByToken(core, token);
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'not_found')) throw error;
    sendNotice(ctx, render, render.renderMissing(langOf(ctx), { token, theme: readTheme(ctx) }), 404);
    return null;
  }
}

/** A page without a payment: it can do nothing, so any page may show it; which merchant's it would be, nobody knows. */
export function sendNotice(ctx: Context, render: CheckoutRender, html: string, status: number): void {
  sendPage(ctx, html, pagePolicy(render.styles, ['*']), status);
  ctx.set(ISOLATED);
}

/**
 * The same routes, which answer 429 to whoever names too many tokens that are not ours. A token of ours, its time over or
 * not, is never refused here: carriers put thousands of payers behind the address of one who guesses.
 */
export function limitMisses({ core, limits }: Pick<CheckoutDeps, 'core' | 'limits'>, routes: Route[]): Route[] {
  return routes.map((declared) => ({
    ...declared,
    async run(request) {
      const { clientToken } = request.params as { clientToken: string };
      if (!readClientToken(core.keyring, clientToken)) await takeFrom(limits, 'miss', request.address, request.ctx);
      return declared.run(request);
    },
  }));
}
