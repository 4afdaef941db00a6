// The hosted checkout (decisions §11): page, session, stream and pay, by the payment's client token; no cookies.
import type { Context } from 'koa';
import { z } from 'zod';
import type { Lang } from '../../shared/checkout.ts';
import { PROBLEMS, type ProblemCode } from '../../shared/errors.ts';
import { normalizePhone } from '../../shared/phone.ts';
import type { Core } from '../core.ts';
import { pagePolicy, sendPage, type Assets } from '../http/page.ts';
import { invalid, Problem } from '../http/problem.ts';
import { route, type Answer, type Route } from '../http/route.ts';
import type { Streams } from '../http/sse.ts';
import { findMerchant } from '../merchants/find.ts';
import { sendAttempt, submitPhone } from '../payments/charge.ts';
import { drawQrSvg } from '../payments/qrcode-image.ts';
import type { ShownPayment } from '../payments/shown.ts';
import { readClientToken } from '../payments/token.ts';
import type { GpoRail } from '../providers/provider.ts';
import type { CheckoutRender } from './page.ts';
import { chooseLang, findByToken, makeSession } from './session.ts';
import { createCheckoutStreams } from './stream.ts';

export type CheckoutDeps = { core: Core; rail: GpoRail; streams: Streams; assets: Assets; render: CheckoutRender };

const byToken = z.object({ clientToken: z.string() });
const session = z.looseObject({ revision: z.int(), status: z.string() }).meta({ id: 'CheckoutSession' });

/** Any page may read a session with its token: there are no cookies that could be abused (decisions §11). */
const CORS = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };

/** Opened by itself an SVG is a document: it may do nothing. Its code never changes. */
const IMAGE = {
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'Cache-Control': 'private, max-age=60',
};

const about = { tag: 'Checkout', access: { kind: 'clientToken' }, bucket: 'public', params: byToken } as const;

const PAY_REFUSALS = {
  409: 'payment_in_progress, payment_not_payable, attempts_exhausted or reference_in_flight',
  429: 'too_many_requests or too_many_pushes; see Retry-After',
};

export function checkoutRoutes(deps: CheckoutDeps): Route[] {
  const { core, streams, render } = deps;
  const openStream = createCheckoutStreams(core, streams, render.texts);
  return [
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
        if (payment) await sendCheckout(deps, ctx, params.clientToken, payment);
        return SENT;
      },
    }),
    route({
      ...about,
      method: 'POST',
      path: '/checkout/{clientToken}/pay',
      operationId: 'payCheckout',
      summary: 'Ask a phone to approve the payment (webframe)',
      description:
        'JSON answers 202 with the session; a form is redirected back to the page. The same phone again is no second push.',
      body: z.looseObject({}),
      bodyDoc: z.object({ phoneNumber: z.string() }),
      acceptsForm: true,
      answers: { 202: { description: 'Being asked', schema: session }, 303: { description: 'To the page' } },
      refusals: PAY_REFUSALS,
      async run({ params, body, ctx }) {
        if (ctx.is('urlencoded')) return payByForm(deps, ctx, params.clientToken, body['phoneNumber']);
        ctx.set(CORS);
        const shown = await payByToken(deps, params.clientToken, body['phoneNumber']);
        return { status: 202, body: await describe(deps, ctx, params.clientToken, shown) };
      },
    }),
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
    imageRoute(core),
  ];
}

function imageRoute(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/checkout/{clientToken}/qrcode.svg',
    operationId: 'drawCheckoutQrCode',
    summary: 'The QR code to be scanned (qrcode)',
    answers: { 200: { description: 'The image', contentType: 'image/svg+xml' } },
    async run({ params, ctx }) {
      ctx.set(CORS);
      const { qrContent } = await findByToken(core, params.clientToken);
      if (!qrContent) throw new Problem('not_found');
      return { status: 200, body: drawQrSvg(qrContent), type: 'image/svg+xml', headers: IMAGE };
    },
  });
}

/** The handler wrote the answer itself. */
const SENT: Answer = { status: 0 };

function langOf(ctx: Context, fallback: Lang = 'pt'): Lang {
  return chooseLang(ctx.query['lang'], ctx.acceptsLanguages('pt', 'en', 'fr'), fallback);
}

/** @param known the payment as it is shown now, where that is at hand */
async function describe(
  { core, render }: CheckoutDeps,
  ctx: Context,
  token: string,
  known: ShownPayment | null = null,
): Promise<object> {
  const lang = langOf(ctx);
  const texts = render.texts[lang];
  const session = await makeSession(core, known ?? (await findByToken(core, token)), lang, texts);
  return { ...session, texts: render.chooseTexts({ ...session, texts }) };
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
    await sendCheckout(deps, ctx, token, await findByToken(deps.core, token), {
      formError,
      phoneTyped,
      status: PROBLEMS[error.code].status,
    });
    return SENT;
  }
  return { status: 303, headers: { Location: `/checkout/${encodeURIComponent(token)}?lang=${lang}` } };
}

/** The payment, or null after a "wrong link" page was sent. */
async function findForPage({ core, render }: CheckoutDeps, ctx: Context, token: string): Promise<ShownPayment | null> {
  try {
    return await findByToken(core, token);
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'not_found')) throw error;
    sendPage(ctx, render.renderMissing(langOf(ctx)), pagePolicy(render.styles, []), 404);
    return null;
  }
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
  const view = {
    session: { ...(await makeSession(core, payment, lang, texts)), texts },
    token,
    script: assets.url('checkout/main.tsx'),
    ...(form && { formError: form.formError, phoneTyped: form.phoneTyped }),
  };
  const policy = pagePolicy(render.styles, merchant.allowedOrigins);
  sendPage(ctx, render.renderCheckout(view), policy, form?.status ?? 200);
}
