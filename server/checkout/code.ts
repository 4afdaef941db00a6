// "Pay by QR code": the payer's page requests a code to scan with another phone or to open on this phone.
import type { Context } from 'koa';
import { z } from 'zod';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { offerCode } from './offer-code.ts';
import {
  about,
  describeSessionAnswer,
  findForPage,
  RESPONSE_SENT,
  session,
  SCRIPT_RESPONSE_HEADERS,
  type CheckoutDeps,
  TO_THE_PAGE,
} from './context.ts';
import { REFUSALS } from './page.ts';
import { redirectToCheckout } from './reference.ts';
import { findByToken } from './session.ts';

export function offerRoute(deps: CheckoutDeps): Route {
  const { core } = deps;
  return route({
    ...about,
    method: 'POST',
    path: '/checkout/{clientToken}/qrcode',
    operationId: 'payCheckoutByCode',
    summary: 'Create a QR code (webframe)',
    description:
      'Only if the session’s `ways` include `qrcode`. A JSON request returns 201 with the session, ' +
      'and its `qr` describes the code. A form is redirected to the page. ' +
      'A repeated request returns the existing code. ' +
      'A push or a payment by reference withdraws the code, if the rail supports that.',
    body: z.unknown(),
    bodyDoc: z.object({}),
    acceptsForm: true,
    answers: { 201: { description: 'The session with the code', schema: session }, 303: TO_THE_PAGE },
    refusesByPage: true,
    refusals: {
      409: 'payment_in_progress or payment_not_payable',
      503: 'rail_unavailable: the rail created no code',
    },
    async run({ params, ctx }) {
      if (ctx.is('urlencoded')) return offerByForm(deps, ctx, params.clientToken);
      ctx.set(SCRIPT_RESPONSE_HEADERS);
      const { id } = await findByToken(core, params.clientToken);
      await offerCode(core, id, ctx.req.socket);
      return { status: 201, body: await describeSessionAnswer(deps, ctx, params.clientToken) };
    },
  });
}

async function offerByForm(deps: CheckoutDeps, ctx: Context, token: string): Promise<Answer> {
  const payment = await findForPage(deps, ctx, token);
  if (!payment) return RESPONSE_SENT;
  try {
    await offerCode(deps.core, payment.id, ctx.req.socket);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return redirectToCheckout(deps.core, ctx, payment.id, REFUSALS[error.code] ?? 'try_again');
  }
  return redirectToCheckout(deps.core, ctx, payment.id);
}
