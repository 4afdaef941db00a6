// Sends the hosted page, or a notice if the page cannot be shown.
import type { Context, Middleware } from 'koa';
import type { ProblemCode } from '../../shared/errors.ts';
import { chooseLanguage } from '../../shared/language.ts';
import { listsOrigin } from '../../shared/origins.ts';
import { showReference } from '../../shared/reference.ts';
import { pagePolicy, sendPage } from '../http/pages.ts';
import { findMerchant } from '../merchants/find.ts';
import { originsOf } from '../merchants/schemas.ts';
import type { CheckoutPayment } from './payment.ts';
import { FRAME_HEADERS, langOf, readTheme, sendNotice, type CheckoutDeps, type CheckoutRender } from './context.ts';
import { makeSession } from './session.ts';

/** Refusals that a payer can act on. The values appear in the page's URL and in text keys (`error.…`). */
export const REFUSALS: Partial<Record<ProblemCode, string>> = {
  validation_failed: 'phone_invalid',
  attempts_exhausted: 'attempts_exhausted',
  payment_in_progress: 'other_phone_processing',
  too_many_pushes: 'too_many_pushes',
  reference_in_flight: 'try_again',
  payment_not_payable: 'try_again',
  terminal_closed: 'try_again',
};

/** Sends the checkout page. `?error=` has the reason of a refused form. */
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
  if (theme) ctx.set(FRAME_HEADERS);
}

/**
 * Returns true after a notice was sent, because the origin around the frame does not belong to the merchant.
 * The browser refuses a frame on a wrong origin too, but shows no message.
 * A forged `origin` gains nothing, because the CSP of the payment's page allows only the merchant's origins.
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
  if (listsOrigin(originsOf(core, allowedOrigins), origin)) return false;
  const script = assets.url('checkout/frame.ts');
  const html = render.renderUnlisted(langOf(ctx, defaultLanguage), { token, theme, origin, script });
  sendNotice(ctx, render, html, 403);
  return true;
}

/** Sends the saved page as a download with the payment's reference as its file name. */
export async function sendKept(deps: CheckoutDeps, ctx: Context, payment: CheckoutPayment): Promise<void> {
  const { render } = deps;
  const { session, origins } = await describeFor(deps, ctx, payment);
  sendPage(ctx, render.renderKept(session), pagePolicy(render.stylesOf(session), origins));
  ctx.attachment(`${payment.ppr ? showReference(payment.reference) : payment.reference}.html`);
  ctx.set(FRAME_HEADERS);
}

async function describeFor({ core, render }: CheckoutDeps, ctx: Context, payment: CheckoutPayment) {
  const { defaultLanguage, allowedOrigins } = await findMerchant(core, payment.merchantId);
  const lang = langOf(ctx, defaultLanguage);
  const texts = render.texts[lang];
  return {
    session: { ...(await makeSession(core, payment, lang, texts)), texts },
    origins: originsOf(core, allowedOrigins),
  };
}

const PAYER_PAGE = /^\/checkout\/([^/]+)(\/pay|\/reference)?$/;

/** Error statuses of requests that the page's own forms never send. */
const UNREAD: ReadonlySet<number> = new Set([400, 405, 413, 415]);

/** Sends an error page to browsers. Scripts receive the problem document as JSON. */
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
