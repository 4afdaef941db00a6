// "Pay by QR code": the page of a payment has a code made, to be read by another phone or opened on this one.
import type { Context } from 'koa';
import { z } from 'zod';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { offerCode } from './offer-code.ts';
import { about, describe, findForPage, SENT, session, UNKEPT, type CheckoutDeps, TO_THE_PAGE } from './context.ts';
import { REFUSALS } from './page.ts';
import { leadTo } from './reference.ts';
import { findByToken } from './session.ts';

export function offerRoute(deps: CheckoutDeps): Route {
  const { core } = deps;
  return route({
    ...about,
    method: 'POST',
    path: '/checkout/{clientToken}/qrcode',
    operationId: 'payCheckoutByCode',
    summary: 'Have a QR code made (webframe)',
    description:
      'Where the page offers it (`ways` of the session). JSON answers 201 with the session, whose `qr` says how to show it; a form is redirected back to the page. A code that is there already is enough. Asking a phone, or going on by reference, takes it back where the rail can.',
    body: z.unknown(),
    bodyDoc: z.object({}),
    acceptsForm: true,
    answers: { 201: { description: 'It can be scanned', schema: session }, 303: TO_THE_PAGE },
    refusesByPage: true,
    refusals: { 409: 'payment_in_progress or payment_not_payable', 503: 'rail_unavailable: none could be made' },
    async run({ params, ctx }) {
      if (ctx.is('urlencoded')) return offerByForm(deps, ctx, params.clientToken);
      ctx.set(UNKEPT);
      const { id } = await findByToken(core, params.clientToken);
      await offerCode(core, id, ctx.req.socket);
      return { status: 201, body: await describe(deps, ctx, params.clientToken) };
    },
  });
}

async function offerByForm(deps: CheckoutDeps, ctx: Context, token: string): Promise<Answer> {
  const payment = await findForPage(deps, ctx, token);
  if (!payment) return SENT;
  try {
    await offerCode(deps.core, payment.id, ctx.req.socket);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return leadTo(deps.core, ctx, payment.id, REFUSALS[error.code] ?? 'try_again');
  }
  return leadTo(deps.core, ctx, payment.id);
}
