// The hosted checkout: page, session, stream and payment. Its only credential is the client token in the path.
import type { Context } from 'koa';
import { z } from 'zod';
import { normalizePhone } from '../../shared/phone.ts';
import { invalidFields, Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { submitAttempt } from '../payments/core/submit.ts';
import { submitPhone } from './submit-phone.ts';
import type { CheckoutPayment } from './payment.ts';
import { readClientToken } from '../payments/core/token.ts';
import {
  about,
  describeSessionAnswer,
  findForPage,
  langOf,
  limitMisses,
  RESPONSE_SENT,
  session,
  SCRIPT_RESPONSE_HEADERS,
  type CheckoutDeps,
  TO_THE_PAGE,
} from './context.ts';
import { offerRoute } from './code.ts';
import { codeRoute, logoRoute } from './images.ts';
import { previewRoute } from './preview.ts';
import { redirectToCheckout, referenceRoute } from './reference.ts';
import { findByToken, isEnded } from './session.ts';
import { isUnlisted, REFUSALS, sendCheckout, sendKept } from './page.ts';
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
        if (!payment || (await isUnlisted(deps, ctx, params.clientToken, payment))) return RESPONSE_SENT;
        if (payment.insteadId) return redirectToCheckout(core, ctx, payment.insteadId);
        if (ctx.query['keep'] === undefined) await sendCheckout(deps, ctx, params.clientToken, payment);
        else await sendKept(deps, ctx, payment);
        return RESPONSE_SENT;
      },
    }),
    payRoute(deps),
    route({
      ...about,
      method: 'GET',
      path: '/checkout/{clientToken}/session',
      operationId: 'readCheckoutSession',
      summary: 'Read the session: the payment for its payer',
      answers: { 200: { description: 'The session', schema: session } },
      async run({ params, ctx }) {
        ctx.set(SCRIPT_RESPONSE_HEADERS);
        return { status: 200, body: await describeSessionAnswer(deps, ctx, params.clientToken) };
      },
    }),
    route({
      ...about,
      method: 'GET',
      path: '/checkout/{clientToken}/events',
      operationId: 'streamCheckoutSession',
      summary: 'Stream the session (server-sent events)',
      answers: {
        200: { description: '`session` events, then `end`', contentType: 'text/event-stream' },
        204: { description: 'The payment has ended and `Last-Event-ID` is its last event: do not reconnect' },
      },
      async run({ params, ctx }) {
        ctx.set({
          ...SCRIPT_RESPONSE_HEADERS,
          'Cache-Control': `${SCRIPT_RESPONSE_HEADERS['Cache-Control']}, no-transform`,
        });
        if (ctx.method === 'HEAD') throw new Problem('method_not_allowed', { headers: { Allow: 'GET' } });
        const payment = await findByToken(core, params.clientToken);
        // An EventSource reconnects until the server responds with 204.
        if (isEnded(payment) && ctx.get('last-event-id') === String(payment.revision)) return { status: 204 };
        openStream(ctx, payment.id, langOf(ctx));
        return RESPONSE_SENT;
      },
    }),
    codeRoute(core),
    logoRoute(core),
    previewRoute(core),
    referenceRoute(deps),
    offerRoute(deps),
  ]);
}

function payRoute(deps: CheckoutDeps): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/checkout/{clientToken}/pay',
    operationId: 'payCheckout',
    summary: 'Send a push to a phone (webframe)',
    description:
      'A JSON request returns 202 with the session. A form is redirected to the page. ' +
      'A repeated request for the same phone sends no second push.',
    body: z.looseObject({}),
    bodyDoc: z.object({ phoneNumber: z.string() }),
    example: { phoneNumber: '923 456 789' },
    acceptsForm: true,
    answers: { 202: { description: 'The push is being sent', schema: session }, 303: TO_THE_PAGE },
    refusesByPage: true,
    refusals: PAY_REFUSALS,
    async run({ params, body, ctx }) {
      if (ctx.is('urlencoded')) return payByForm(deps, ctx, params.clientToken, body['phoneNumber']);
      ctx.set(SCRIPT_RESPONSE_HEADERS);
      const shown = await payByToken(deps, params.clientToken, body['phoneNumber']);
      return { status: 202, body: await describeSessionAnswer(deps, ctx, params.clientToken, shown) };
    },
  });
}

/** Pays by client token. `pay` reads the payment, so only after a refusal must the open checkout be checked. */
async function payByToken(deps: CheckoutDeps, token: string, typed: unknown): Promise<CheckoutPayment | null> {
  const id = readClientToken(deps.core.keyring, token);
  if (!id) throw new Problem('not_found');
  try {
    return await pay(deps, id, typed);
  } catch (error) {
    if (error instanceof Problem) await findByToken(deps.core, token);
    throw error;
  }
}

/**
 * @returns the payment for the page, or null if the page must read it
 * @throws Problem invalid_phone at /phoneNumber, and the problems of submitPhone
 */
async function pay({ core }: CheckoutDeps, paymentId: string, typed: unknown): Promise<CheckoutPayment | null> {
  if (typed === undefined || typed === null || typed === '')
    throw invalidFields([{ pointer: '/phoneNumber', code: 'required' }]);
  const phone = typeof typed === 'string' ? normalizePhone(typed) : null;
  if (!phone) throw invalidFields([{ pointer: '/phoneNumber', code: 'invalid_phone' }]);
  const submitted = await submitPhone(core, paymentId, phone);
  if (submitted) core.inBackground(submitAttempt(core, submitted.push));
  return submitted?.shown ?? null;
}

/** Pays by form. A refused form redirects to the page with the reason. The URL does not contain the typed number. */
async function payByForm(deps: CheckoutDeps, ctx: Context, token: string, typed: unknown): Promise<Answer> {
  const { core } = deps;
  const payment = await findForPage(deps, ctx, token);
  if (!payment) return RESPONSE_SENT;
  try {
    await pay(deps, payment.id, typed);
  } catch (error) {
    const refusal = error instanceof Problem ? REFUSALS[error.code] : undefined;
    if (!refusal) throw error;
    const { insteadId } = await findByToken(core, token);
    return insteadId ? redirectToCheckout(core, ctx, insteadId) : redirectToCheckout(core, ctx, payment.id, refusal);
  }
  return redirectToCheckout(core, ctx, payment.id);
}
