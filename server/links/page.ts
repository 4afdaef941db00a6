// /l/{slug}: the public page of a payment link. It needs no JavaScript, cookie or token.
import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import { z } from 'zod';
import type { Brand } from '../../shared/checkout.ts';
import type { Language } from '../../shared/language.ts';
import type { LinkState, LinkView } from '../../shared/link.ts';
import { showMoney } from '../../shared/money.ts';
import { viewPayee } from '../checkout/payee.ts';
import { CORS } from '../checkout/context.ts';
import { answerLogo, NO_SCRIPT_HEADERS } from '../checkout/images.ts';
import { answerPreview, PREVIEW_PATH } from '../checkout/preview.ts';
import { formatTime } from '../checkout/session.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { readTexts } from '../http/body.ts';
import { consumeLimit, type Limits } from '../http/limits.ts';
import { languageOf, pagePolicy, sendPage } from '../http/pages.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Request, type Route } from '../http/route.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import { clientTokenOf } from '../payments/core/token.ts';
import { drawQrSvg } from '../exports/qr-image.ts';
import type { Link } from './entities.ts';
import { readForm } from './form.ts';
import { useLink } from './pay.ts';
import { linkUrlOf, readSlug } from './slug.ts';
import { stateOf } from './state.ts';

/** Renders HTML documents. `styles` is the exact text of the style element, whose hash the security policy has. */
export type LinkRender = {
  styles: string;
  stylesOf(brand: Brand | null): string;
  renderLink(view: LinkView): string;
  renderLinkMissing(lang: Language): string;
  renderLinkTrouble(lang: Language, againUrl: string | null): string;
};

export type LinkPageDeps = { core: Core; limits: Limits; render: LinkRender };

const PATH = '/l/{slug}';
const hidden = {
  tag: 'Links',
  access: { kind: 'public' },
  bucket: 'public',
  isHidden: true,
  params: z.object({ slug: z.string() }),
} as const;

/** Declares the link's page, its form and the merchant's logo. They are not part of the published API. */
export function linkPageRoutes(deps: LinkPageDeps): Route[] {
  return [declarePage(deps), declareUse(deps), declareLogo(deps), declareCode(deps), declarePreview(deps)];
}

function declarePage(deps: LinkPageDeps): Route {
  return route({
    ...hidden,
    method: 'GET',
    path: PATH,
    operationId: 'open:link',
    summary: 'Show the page of a payment link',
    answers: { 200: { description: 'The page', contentType: 'text/html' } },
    async run(request) {
      const link = await findBySlug(deps, request);
      return show(deps, request.ctx, link, { state: stateOf(link, deps.core.clock.now()) });
    },
  });
}

function declareUse(deps: LinkPageDeps): Route {
  const { core } = deps;
  return route({
    ...hidden,
    method: 'POST',
    path: PATH,
    operationId: 'submit:link',
    summary: 'Create a payment through the link',
    acceptsForm: true,
    body: z.looseObject({}),
    answers: { 303: { description: 'Redirects to the payment’s page' } },
    refusesByPage: true,
    async run({ body, ...request }) {
      const { ctx } = request;
      const link = await findBySlug(deps, request);
      const fields = readTexts(body);
      const { typed, wrong, ...read } = readForm(link, fields);
      const formKey = (fields['form'] ?? '').slice(0, MAX_KEY);
      const form = { typed, wrong, formKey };
      const state = stateOf(link, core.clock.now());
      if (Object.keys(wrong).length > 0) return show(deps, ctx, link, { ...form, state }, 400);
      const result = await useLink(core, { link, formKey, address: request.address, ...read });
      if ('paymentId' in result) return redirectToPayment(core, ctx, result.paymentId);
      if (result.state === 'unfit')
        return show(deps, ctx, link, { ...form, state, wrong: { amount: 'amount.unfit' } }, 400);
      const now = await findBySlug(deps, request);
      if (result.state !== 'changed') return show(deps, ctx, now, { ...form, state: result.state }, 409);
      const changed = { ...form, state: stateOf(now, core.clock.now()), isChanged: true };
      return show(deps, ctx, now, changed, 409);
    },
  });
}

/** Maximum length of the form's idempotency key. The page itself writes a shorter key. */
const MAX_KEY = 64;

function declareLogo(deps: LinkPageDeps): Route {
  return route({
    ...hidden,
    method: 'GET',
    path: `${PATH}/logo`,
    operationId: 'open:link-logo',
    summary: 'The merchant’s logo',
    answers: { 200: { description: 'The image', contentType: 'image/*' } },
    run: async (request) => answerLogo(deps.core, (await findBySlug(deps, request)).merchantId),
  });
}

/** Declares the link's QR code, for pages of other sites. */
function declareCode(deps: LinkPageDeps): Route {
  return route({
    ...hidden,
    method: 'GET',
    path: `${PATH}/qr.svg`,
    operationId: 'open:link-code',
    summary: 'The link’s address as a QR code',
    answers: { 200: { description: 'The image', contentType: 'image/svg+xml' } },
    async run(request) {
      const { slug } = await findBySlug(deps, request);
      request.ctx.set(CORS);
      const headers = { ...NO_SCRIPT_HEADERS, 'Cache-Control': 'public, max-age=3600' };
      return { status: 200, body: drawQrSvg(linkUrlOf(deps.core, slug)), type: 'image/svg+xml', headers };
    },
  });
}

function declarePreview(deps: LinkPageDeps): Route {
  return route({
    ...hidden,
    method: 'GET',
    path: `${PATH}${PREVIEW_PATH}`,
    operationId: 'open:link-preview',
    summary: 'The picture that chats show for the link',
    answers: { 200: { description: 'The image', contentType: 'image/*' } },
    run: async (request) => answerPreview(deps.core, (await findBySlug(deps, request)).merchantId),
  });
}

/** Finds a link. Unknown slugs count against the IP address (guessing). @throws Problem not_found, too_many_requests */
async function findBySlug(
  { core, limits }: LinkPageDeps,
  { params, address, ctx }: Pick<Request<{ slug: string }, unknown, unknown>, 'params' | 'address' | 'ctx'>,
): Promise<Link> {
  const slug = readSlug(params.slug);
  const link = slug && (await selectLink.first(core, { slug }));
  if (link) return link;
  await consumeLimit(limits, 'miss', address, ctx);
  throw new Problem('not_found');
}

const selectLink = prepared((tables, { slug }: { slug: string }) =>
  tables.selectFrom('links').selectAll().where('slug', '=', slug),
);

/** Redirects to the page of the payment, in the same language. */
function redirectToPayment({ keyring }: Core, { search }: Context, paymentId: string): Answer {
  return { status: 303, headers: { Location: `/checkout/${clientTokenOf(keyring, paymentId)}${search}` } };
}

type PageState = { state: LinkState } & Partial<Pick<LinkView, 'typed' | 'wrong' | 'formKey' | 'isChanged'>>;

async function show(
  { core, render }: LinkPageDeps,
  ctx: Context,
  link: Link,
  shown: PageState,
  status = 200,
): Promise<Answer> {
  const merchant = await findMerchant(core, link.merchantId);
  const lang = languageOf(ctx, merchant.defaultLanguage);
  const continueUrl = shown.state === 'busy' ? await findContinuation(core, link, lang) : null;
  const view = describeLink(core, link, merchant, { lang, continueUrl, ...shown });
  sendPage(ctx, render.renderLink(view), pagePolicy(render.stylesOf(view.merchant.brand), []), status);
  // The Back button then shows the same form again, with the typed amount and the key of its open payment.
  if (status === 200 && view.state === 'open') ctx.set('Cache-Control', 'private, no-cache');
  // `sendPage` has already written the response.
  return { status: 0 };
}

type PageContext = PageState & Pick<LinkView, 'lang' | 'continueUrl'>;

/** The page shows the remaining stock if it is at most this number. */
const FEW = 10;

function describeLink(core: Core, link: Link, merchant: Merchant, context: PageContext): LinkView {
  const { slug, title, amountMinor, minMinor, maxMinor, currency, stock, openCount, paidCount, expiresAt, asks } = link;
  const money = (minor: number | null | undefined) => (minor == null ? null : showMoney(minor, currency));
  const left = stock == null || stock === 1 ? null : stock - openCount - paidCount;
  return {
    sandbox: core.config.isSandbox,
    slug,
    url: linkUrlOf(core, slug),
    merchant: viewPayee(merchant),
    title,
    amountText: money(amountMinor),
    bounds: { min: money(minMinor), max: money(maxMinor) },
    currency,
    untilText: expiresAt ? formatTime(expiresAt, context.lang) : null,
    left: left !== null && left > 0 && left <= FEW ? left : null,
    asks,
    formKey: randomUUID(),
    typed: {},
    wrong: {},
    isChanged: false,
    ...context,
  };
}

/** Finds the payment of a single-use link. The link's next visitor continues this payment. */
async function findContinuation({ keyring, ...core }: Core, link: Link, lang: Language): Promise<string | null> {
  const open = link.stock === 1 ? await findOpen.first(core, { linkId: link.id }) : null;
  return open && `/checkout/${clientTokenOf(keyring, open.paymentId)}?lang=${lang}`;
}

const findOpen = prepared((tables, { linkId }: { linkId: string }) =>
  tables
    .selectFrom('link_payments')
    .select('paymentId')
    .where('linkId', '=', linkId)
    .where('status', '=', 'Open')
    .limit(1),
);
