// "Pay by reference instead": replaces a refused payment by a payment by reference, and opens its checkout.
import type { Context } from 'koa';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { clientTokenOf } from '../payments/core/token.ts';
import { replaceByReference } from './replace-by-reference.ts';
import {
  about,
  describeSessionAnswer,
  findForPage,
  FRAME_HEADERS,
  langOf,
  RESPONSE_SENT,
  session,
  SCRIPT_RESPONSE_HEADERS,
  type CheckoutDeps,
  TO_THE_PAGE,
} from './context.ts';
import { checkoutUrlOf, findByToken } from './session.ts';

const replaced = z
  .object({ url: z.url(), clientToken: z.string(), session })
  .describe('The checkout of the replacement');

export function referenceRoute(deps: CheckoutDeps): Route {
  const { core } = deps;
  return route({
    ...about,
    method: 'POST',
    path: '/checkout/{clientToken}/reference',
    operationId: 'payCheckoutByReference',
    summary: 'Pay by reference instead (webframe, after a refused push)',
    description:
      'Only if the merchant allows it (`metadata.allowReferenceFallback`). In one transaction the payment becomes ' +
      'Canceled (`replacedBy`), and a payment by reference replaces it (`replaces`). ' +
      'The new payment has the same amount, description and customMetadata. ' +
      'A JSON request returns 201 with its checkout. A form is redirected there. ' +
      'A repeated request returns the same payment.',
    body: z.unknown(),
    bodyDoc: z.object({}),
    acceptsForm: true,
    answers: { 201: { description: 'The new payment’s checkout', schema: replaced }, 303: TO_THE_PAGE },
    refusesByPage: true,
    refusals: {
      409: 'payment_in_progress, payment_not_payable or reference_not_offered',
      503: 'references_exhausted: the entity has no free number',
    },
    async run({ params, ctx }) {
      if (ctx.is('urlencoded')) return switchByForm(deps, ctx, params.clientToken);
      ctx.set(SCRIPT_RESPONSE_HEADERS);
      const { id } = await findByToken(core, params.clientToken);
      const next = await replaceByReference(core, id);
      const clientToken = clientTokenOf(core.keyring, next);
      const url = checkoutUrlOf(core, next, langOf(ctx));
      return { status: 201, body: { url, clientToken, session: await describeSessionAnswer(deps, ctx, clientToken) } };
    },
  });
}

/** Problem codes whose reason the checkout page shows. Other errors get the general error page. */
const SHOWN_BY_PAGE: ReadonlySet<string> = new Set([
  'payment_in_progress',
  'payment_not_payable',
  'reference_not_offered',
]);

async function switchByForm(deps: CheckoutDeps, ctx: Context, token: string): Promise<Answer> {
  const { core } = deps;
  const payment = await findForPage(deps, ctx, token);
  if (!payment) return RESPONSE_SENT;
  try {
    return redirectToCheckout(core, ctx, await replaceByReference(core, payment.id));
  } catch (error) {
    if (error instanceof Problem && SHOWN_BY_PAGE.has(error.code)) return redirectToCheckout(core, ctx, payment.id);
    throw error;
  }
}

/** Redirects to a payment's page in the same language and frame. @param refusal a value of `REFUSALS` */
export function redirectToCheckout(
  { keyring }: Core,
  { search }: Context,
  paymentId: string,
  refusal?: string,
): Answer {
  const why = refusal ? `${search ? '&' : '?'}error=${refusal}` : '';
  const page = `/checkout/${clientTokenOf(keyring, paymentId)}`;
  return { status: 303, headers: { Location: page + search + why, ...FRAME_HEADERS } };
}
