// The hosted checkout (decisions §11): page, session, stream and pay, by the payment's client token; no cookies.
import type { Context } from 'koa';
import { z } from 'zod';
import { PROBLEMS, type ProblemCode } from '../../shared/errors.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { pagePolicy, sendPage } from '../http/page.ts';
import { invalid, Problem } from '../http/problem.ts';
import { route, type Answer, type Route } from '../http/route.ts';
import { findMerchant } from '../merchants/find.ts';
import { sendAttempt, submitPhone } from '../payments/charge.ts';
import type { ShownPayment } from '../payments/shown.ts';
import { readClientToken } from '../payments/token.ts';
import {
  about,
  CORS,
  describe,
  findForPage,
  ISOLATED,
  langOf,
  readTheme,
  SENT,
  session,
  type CheckoutDeps,
} from './answer.ts';
import { limitMisses } from './misses.ts';
import { codeRoute, logoRoute } from './images.ts';
import { leadTo, referenceRoute } from './reference.ts';
import { findByToken, makeSession } from './session.ts';
import { createCheckoutStreams } from './stream.ts';

const PAY_REFUSALS = {
  409: 'payment_in_progress, payment_not_payable, attempts_exhausted or reference_in_flight',
  429: 'too_many_requests or too_many_pushes; see Retry-After',
};

export function checkoutRoutes(deps: CheckoutDeps): Route[] {
  const { core, streams, render } = deps;
  const openStream = createCheckoutStreams(core, streams, render.texts);
  return limitMisses(deps, [
    route({
      ...about,
      method: 'GET',
      path: '/checkout/{clientToken}',
      operationId: 'openCheckout',
      summary: 'The hosted checkout page',
      isHidden: true,
      answers: { 200: { description: 'The page', contentType: 'text/html' } },
      async run({ params, ctx }) {
        const payment = await findForPage(deps, ctx, params.clientToken);
        if (payment?.insteadId) return leadTo(core, ctx, payment.insteadId);
        if (payment) await sendCheckout(deps, ctx, params.clientToken, payment);
        return SENT;
      },
    }),
    payRoute(deps),
    route({
      ...about,
      method: 'GET',
      path: '/checkout/{clientToken}/session',
      operationId: 'readCheckoutSession',
      summary: 'The payment as its payer sees it',
      answers: { 200: { description: 'The session', schema: session } },
      async run({ params, ctx }) {
        ctx.set(CORS);
        return { status: 200, body: await describe(deps, ctx, params.clientToken) };
      },
    }),
    route({
      ...about,
      method: 'GET',
      path: '/checkout/{clientToken}/events',
      operationId: 'streamCheckoutSession',
      summary: 'The session live (server-sent events)',
      answers: { 200: { description: '`session` events, then `end`', contentType: 'text/event-stream' } },
      async run({ params, ctx }) {
        ctx.set(CORS);
        if (ctx.method === 'HEAD') throw new Problem('method_not_allowed', { headers: { Allow: 'GET' } });
        const payment = await findByToken(core, params.clientToken);
        openStream(ctx, payment.id, langOf(ctx));
        return SENT;
      },
    }),
    codeRoute(core),
    logoRoute(core),
    referenceRoute(deps),
  ]);
}

function payRoute(deps: CheckoutDeps): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/checkout/{clientToken}/pay',
    operationId: 'payCheckout',
    summary: 'Ask a phone to approve the payment (webframe)',
    description:
      'JSON answers 202 with the session; a form is redirected back to the page. The same phone again is no second push.',
    body: z.looseObject({}),
    bodyDoc: z.object({ phoneNumber: z.string() }),
    example: { phoneNumber: '923 456 789' },
    acceptsForm: true,
    answers: { 202: { description: 'Being asked', schema: session }, 303: { description: 'To the page' } },
    refusals: PAY_REFUSALS,
    async run({ params, body, ctx }) {
      if (ctx.is('urlencoded')) return payByForm(deps, ctx, params.clientToken, body['phoneNumber']);
      ctx.set(CORS);
      const shown = await payByToken(deps, params.clientToken, body['phoneNumber']);
      return { status: 202, body: await describe(deps, ctx, params.clientToken, shown) };
    },
  });
}

/** What was asked locks and reads the payment itself: only when it is refused, whether the token's time is over is looked at. */
async function payByToken(deps: CheckoutDeps, token: string, typed: unknown): Promise<ShownPayment | null> {
  const id = readClientToken(deps.core.keyring, token);
  if (!id) throw new Problem('not_found');
  try {
    return await pay(deps, id, typed);
  } catch (error) {
    if (error instanceof Problem) await findByToken(deps.core, token);
    throw error;
  }
}

/** Answers the payment as it is shown now, where no read is needed for it. @throws Problem invalid_phone at /phoneNumber, and what submitPhone refuses */
async function pay({ core, rail }: CheckoutDeps, paymentId: string, typed: unknown): Promise<ShownPayment | null> {
  if (typed === undefined || typed === null || typed === '')
    throw invalid([{ pointer: '/phoneNumber', code: 'required' }]);
  const phone = typeof typed === 'string' ? normalizePhone(typed) : null;
  if (!phone) throw invalid([{ pointer: '/phoneNumber', code: 'invalid_phone' }]);
  const submitted = await submitPhone(core, paymentId, phone);
  if (submitted) core.inBackground(sendAttempt(core, rail, submitted.push));
  return submitted?.shown ?? null;
}

/** Refusals a payer can understand and act on; the page shows them at the field. */
const FORM_ERRORS: Partial<Record<ProblemCode, string>> = {
  validation_failed: 'error.phone_invalid',
  attempts_exhausted: 'error.attempts_exhausted',
  payment_in_progress: 'error.other_phone_processing',
  too_many_pushes: 'error.too_many_pushes',
  reference_in_flight: 'error.try_again',
  payment_not_payable: 'error.try_again',
};

async function payByForm(deps: CheckoutDeps, ctx: Context, token: string, typed: unknown): Promise<Answer> {
  const payment = await findForPage(deps, ctx, token);
  if (!payment) return SENT;
  const lang = langOf(ctx);
  try {
    await pay(deps, payment.id, typed);
  } catch (error) {
    const key = error instanceof Problem ? FORM_ERRORS[error.code] : undefined;
    if (!key || !(error instanceof Problem)) throw error;
    const phoneTyped = typeof typed === 'string' ? typed.slice(0, 40) : '';
    const formError = deps.render.texts[lang][key] ?? key;
    const now = await findByToken(deps.core, token);
    if (now.insteadId) return leadTo(deps.core, ctx, now.insteadId);
    await sendCheckout(deps, ctx, token, now, {
      formError,
      phoneTyped,
      status: PROBLEMS[error.code].status,
    });
    return SENT;
  }
  return leadTo(deps.core, ctx, payment.id);
}

async function sendCheckout(
  { core, render, assets }: CheckoutDeps,
  ctx: Context,
  token: string,
  payment: ShownPayment,
  form?: { formError: string; phoneTyped: string; status: number },
): Promise<void> {
  const merchant = await findMerchant(core, payment.merchantId);
  const lang = langOf(ctx, merchant.defaultLanguage);
  const texts = render.texts[lang];
  const theme = readTheme(ctx);
  const view = {
    session: { ...(await makeSession(core, payment, lang, texts)), texts },
    token,
    script: assets.url('checkout/main.tsx'),
    ...(form && { formError: form.formError, phoneTyped: form.phoneTyped }),
    ...(theme && { frame: { theme, origins: merchant.allowedOrigins, script: assets.url('checkout/frame.ts') } }),
  };
  const policy = pagePolicy(render.stylesOf(view.session, theme), merchant.allowedOrigins);
  sendPage(ctx, render.renderCheckout(view), policy, form?.status ?? 200);
  if (theme) ctx.set(ISOLATED);
}
