// A payment's page as it is sent: to be paid on, or as a file to be kept.
import type { Context } from 'koa';
import type { ProblemCode } from '../../shared/errors.ts';
import { showReference } from '../../shared/reference.ts';
import { pagePolicy, sendPage } from '../http/page.ts';
import { findMerchant } from '../merchants/find.ts';
import type { ShownPayment } from '../payments/shown.ts';
import { ISOLATED, langOf, readTheme, type CheckoutDeps } from './answer.ts';
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
  payment: ShownPayment,
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
    ...(formError && { formError }),
    ...(theme && { frame: { theme, origins, script: assets.url('checkout/frame.ts') } }),
  });
  sendPage(ctx, html, pagePolicy(render.stylesOf(session, theme), origins));
  if (theme) ctx.set(ISOLATED);
}

/** The file, named by the reference: asked for from a frame too, and the same there. */
export async function sendKept(deps: CheckoutDeps, ctx: Context, payment: ShownPayment): Promise<void> {
  const { render } = deps;
  const { session, origins } = await describeFor(deps, ctx, payment);
  sendPage(ctx, render.renderKept(session), pagePolicy(render.stylesOf(session), origins));
  ctx.attachment(`${payment.ppr ? showReference(payment.reference) : payment.reference}.html`);
  ctx.set(ISOLATED);
}

async function describeFor({ core, render }: CheckoutDeps, ctx: Context, payment: ShownPayment) {
  const { defaultLanguage, allowedOrigins } = await findMerchant(core, payment.merchantId);
  const lang = langOf(ctx, defaultLanguage);
  const texts = render.texts[lang];
  return { session: { ...(await makeSession(core, payment, lang, texts)), texts }, origins: allowedOrigins };
}
