// Helpers of the checkout's routes: finding the payment of a token, the page's bundle, and the limit on wrong tokens.
import type { Context } from 'koa';
import { z } from 'zod';
import type { CheckoutSession, CheckoutSessionWithTexts, Texts, Lang } from '../../shared/checkout.ts';
import { THEMES, type Theme } from '../../shared/frame.ts';
import { chooseLanguage } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { consumeLimit, type Limits } from '../http/limits.ts';
import { pagePolicy, sendPage, type Assets } from '../http/pages.ts';
import { Problem, type Answer } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import type { Streams } from '../http/sse.ts';
import type { CheckoutPayment } from './payment.ts';
import { readClientToken } from '../payments/core/token.ts';
import { findByToken, makeSession } from './session.ts';

type PlaceOfPage = { token: string; theme: Theme | null };

/** The exports of the checkout bundle (checkout/render.tsx). */
export type CheckoutRender = {
  renderCheckout(view: {
    session: CheckoutSessionWithTexts;
    token: string;
    script: string | null;
    url?: string;
    formError?: string;
    frame?: { theme: Theme; origins: readonly string[]; script: string | null };
  }): string;
  /** @param logo the merchant's logo as a `data:` URL, since a specimen has no payment with the URL of one */
  renderSpecimen(session: CheckoutSessionWithTexts, logo: string): string;
  renderKept(session: CheckoutSessionWithTexts): string;
  renderMissing(lang: Lang, place: PlaceOfPage): string;
  renderTrouble(lang: Lang, place: PlaceOfPage): string;
  renderRefused(lang: Lang, place: PlaceOfPage): string;
  renderUnlisted(lang: Lang, place: { token: string; theme: Theme; origin: string; script: string | null }): string;
  /** The stylesheet of pages without a payment. */
  styles: string;
  /** The stylesheet of a payment's page. @param theme the theme of the widget's frame, or null outside a frame */
  stylesOf(session: CheckoutSession, theme?: Theme | null): string;
  texts: Record<Lang, Texts>;
  /** Returns only those texts that the screens of the session's method can still need. */
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
  clientToken: z.string().describe('`clientToken` from the response that created the payment'),
});
export const session = z.looseObject({ revision: z.int(), status: z.string() }).meta({ id: 'CheckoutSession' });

/** CORS headers: any website may read a session with its token. The checkout has no cookies to misuse. */
export const CORS = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };

/** Headers of responses to the page's script. With `no-store`, Chrome would not restore the page after Back. */
export const SCRIPT_RESPONSE_HEADERS = { ...CORS, 'Cache-Control': 'private, no-cache' };

/** Headers of a page in a frame. A cross-origin isolated page of a merchant accepts no frame without them. */
export const FRAME_HEADERS = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

export const about = { tag: 'Checkout', access: { kind: 'clientToken' }, bucket: 'public', params: byToken } as const;

export const TO_THE_PAGE = {
  description: 'Redirect of a form to the page',
  headers: { Location: 'Address of the page' },
};

/** The answer of a handler that wrote the response itself. */
export const RESPONSE_SENT: Answer = { status: 0 };

export function langOf(ctx: Context, fallback: Lang = 'pt'): Lang {
  return chooseLanguage(ctx.query['lang'], ctx.acceptsLanguages('pt', 'en', 'fr'), fallback);
}

/** Builds the response with the session and its texts. @param known the payment, if the caller has read it */
export async function describeSessionAnswer(
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

/** Returns the theme of a page in the widget's frame, or null outside a frame. */
export function readTheme({ query }: Context): Theme | null {
  const { embed, theme } = query;
  return embed === undefined ? null : (THEMES.find((each) => each === theme) ?? 'auto');
}

/** Finds the payment for a page. Returns null after the "wrong link" page was sent. */
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

/** Sends a page without a payment. Every website may frame this page, because it belongs to no merchant. */
export function sendNotice(ctx: Context, render: CheckoutRender, html: string, status: number): void {
  sendPage(ctx, html, pagePolicy(render.styles, ['*']), status);
  ctx.set(FRAME_HEADERS);
}

/**
 * Adds a limit per IP address: 429 after too many wrong tokens.
 * Requests with a valid token do not count, because thousands of payers may share one IP address.
 */
export function limitMisses({ core, limits }: Pick<CheckoutDeps, 'core' | 'limits'>, routes: Route[]): Route[] {
  return routes.map((declared) => ({
    ...declared,
    async run(request) {
      const { clientToken } = request.params as { clientToken: string };
      if (!readClientToken(core.keyring, clientToken)) await consumeLimit(limits, 'miss', request.address, request.ctx);
      return declared.run(request);
    },
  }));
}
