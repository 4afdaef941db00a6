// How the hosted page is sent, and what is shown when it cannot be.
import type { Context, Middleware } from 'koa';
import type { ProblemCode } from '../../shared/errors.ts';
import { chooseLanguage } from '../../shared/language.ts';
import { showReference } from '../../shared/reference.ts';
import { pagePolicy, sendPage } from '../http/pages.ts';
import { findMerchant } from '../merchants/find.ts';
import type { CheckoutPayment } from './payment.ts';
import { ISOLATED, langOf, readTheme, sendNotice, type CheckoutDeps, type CheckoutRender } from './context.ts';
import { makeSession } from './session.ts';

/** Refusals that a payer can understand and act on, as the page's address and its texts (`error.`) name them. */
export const REFUSALS: Partial<Record<ProblemCode, string>> = {
  validation_failed: 'phone_invalid',
  attempts_exhausted: 'attempts_exhausted',
  payment_in_progress: 'other_phone_processing',
  too_many_pushes: 'too_many_pushes',
  reference_in_flight: 'try_again',
  payment_not_payable: 'try_again',
  terminal_closed: 'try_again',
};

/** The page; `?error=` is why its form was refused a moment ago. */
export async function sendCheckout(
  deps: CheckoutDeps,
  ctx: Context,
  token: string,
  payment: CheckoutPayment,
): Promise<void> {
  const { render, assets } = deps;
  const { session, origins } = await describeFor(deps, ctx, payment);
  const theme = readTheme(ctx);
  const formError = Object.values(REFUSALS).includes(`${ctx.query['error']}`)
    ? session.texts[`error.${ctx.query['error']}`]
    : undefined;
  const html = render.renderCheckout({
    session,
    token,
    script: assets.url('checkout/main.tsx'),
    ...(!theme && { url: `${deps.core.publicUrl}/checkout/${token}` }),
    ...(formError && { formError }),
    ...(theme && { frame: { theme, origins, script: assets.url('checkout/frame.ts') } }),
  });
  sendPage(ctx, html, pagePolicy(render.stylesOf(session, theme), origins));
  if (theme) ctx.set(ISOLATED);
}

/**
 * True if the framing page is not among the merchant's origins; then a notice was sent. The browser refuses such a frame too, but
 * without a message. A false origin gains nothing: the policy of the payment's page names the merchant's own.
 */
export async function isUnlisted(
  { core, render, assets }: CheckoutDeps,
  ctx: Context,
  token: string,
  payment: CheckoutPayment,
): Promise<boolean> {
  const { origin } = ctx.query;
  const theme = readTheme(ctx);
  if (theme === null || typeof origin !== 'string') return false;
  const { defaultLanguage, allowedOrigins } = await findMerchant(core, payment.merchantId);
  if (allowedOrigins.includes(origin)) return false;
  const script = assets.url('checkout/frame.ts');
  const html = render.renderUnlisted(langOf(ctx, defaultLanguage), { token, theme, origin, script });
  sendNotice(ctx, render, html, 403);
  return true;
}

/** Sends the page as a file with the reference as its name. */
export async function sendKept(deps: CheckoutDeps, ctx: Context, payment: CheckoutPayment): Promise<void> {
  const { render } = deps;
  const { session, origins } = await describeFor(deps, ctx, payment);
  sendPage(ctx, render.renderKept(session), pagePolicy(render.stylesOf(session), origins));
  ctx.attachment(`${payment.ppr ? showReference(payment.reference) : payment.reference}.html`);
  ctx.set(ISOLATED);
}

async function describeFor({ core, render }: CheckoutDeps, ctx: Context, payment: CheckoutPayment) {
  const { defaultLanguage, allowedOrigins } = await findMerchant(core, payment.merchantId);
  const lang = langOf(ctx, defaultLanguage);
  const texts = render.texts[lang];
  return { session: { ...(await makeSession(core, payment, lang, texts)), texts }, origins: allowedOrigins };
}

const PAYER_PAGE = /^\/checkout\/([^/]+)(\/pay|\/reference)?$/;

/** Statuses of requests that no form of the page sends. */
const UNREAD: ReadonlySet<number> = new Set([400, 405, 413, 415]);

/** Shows browsers a page instead of a problem document. Scripts send JSON and receive the document. */
export function showTrouble(render: CheckoutRender): Middleware {
  return async (ctx, next) => {
    await next();
    const { status, type } = ctx;
    const [, token] = PAYER_PAGE.exec(ctx.path) ?? [];
    if (!token || type !== 'application/problem+json' || ctx.accepts('json', 'html') !== 'html' || ctx.is('json'))
      return;
    const isUnread = UNREAD.has(status);
    if (status < 429 && !isUnread) return;
    const lang = chooseLanguage(ctx.query['lang'], ctx.acceptsLanguages('pt', 'en', 'fr'));
    const page = isUnread ? render.renderRefused : render.renderTrouble;
    ctx.remove('Content-Language');
    sendNotice(ctx, render, page(lang, { token, theme: readTheme(ctx) }), status);
  };
}
