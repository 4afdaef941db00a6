// Builds the Koa application of a node: middleware in order, then the routes of every module.
import Koa, { type Context, type Middleware } from 'koa';
import helmet from 'koa-helmet';
import { tokenRoutes } from './oauth/routes.ts';
import { createSigningKeys } from './oauth/tokens.ts';
import { accountPageRoutes, type AccountRender } from './people/email-pages.ts';
import { peopleRoutes } from './people/routes.ts';
import { createTokens } from './oauth/verify.ts';
import { articleRoutes } from './articles/routes.ts';
import { billingRoutes } from './billing/routes.ts';
import { bookRoutes } from './books/routes.ts';
import { describeBody } from './webhooks/message.ts';
import { describeWebhooks } from './webhooks/document.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import type { Targets } from './webhooks/send.ts';
import { checkoutRoutes } from './checkout/routes.ts';
import { drawSpecimen } from './checkout/specimen.ts';
import { showTrouble } from './checkout/page.ts';
import type { CheckoutRender } from './checkout/context.ts';
import { ACCOUNT_SCRIPT, signInPerson } from './console/sign-in.ts';
import { consoleRoutes } from './console/routes.ts';
import type { ConsoleRender } from '../shared/console.ts';
import { outsideClock } from './clock.ts';
import type { Core } from './core.ts';
import { linkPageRoutes, type LinkRender } from './links/page.ts';
import { linkRoutes } from './links/routes.ts';
import { listMigrations } from './database/migrations.ts';
import type { Watch } from './database/watch.ts';
import { describeDocument, writeDocument } from './docs/document.ts';
import { interfaceRoutes, type ProblemPage } from './docs/interface.ts';
import { docsRoutes, type DocsRender } from './docs/routes.ts';
import type { Event } from './events/entities.ts';
import { eventRoutes } from './events/routes.ts';
import type { Lag } from './http/overload.ts';
import { boundQueries } from './http/body.ts';
import { createExports } from './exports/send.ts';
import { listNetworks } from './http/client/public-address.ts';
import { createLimits, type Limits } from './http/limits.ts';
import { logFailure, logRequests } from './http/log.ts';
import { createMetrics, type Figures, type Metrics } from './metrics/registry.ts';
import {
  type Assets,
  type FrontRender,
  serveFiles,
  showErrorPages,
  showFrontPages,
  type TroublePages,
} from './http/pages.ts';
import { catchProblems, viewFaults, type Fault } from './http/problem.ts';
import type { Merchant } from './merchants/entities.ts';
import type { Refusals } from './merchants/refusals.ts';
import { createRouter, type Route } from './http/route.ts';
import { createStreams, type Streams } from './http/sse.ts';
import { accessRoutes } from './access/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { merchantRoutes } from './merchants/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { describeEvents } from './payments/core/event-snapshot.ts';
import { renewSearchTerms } from './payments/core/rows.ts';
import { privacyRoutes } from './privacy/routes.ts';
import { readPaymentReadiness } from './payments/readiness.ts';
import { paymentRoutes } from './payments/routes.ts';
import { refundRoutes } from './payments/refund/routes.ts';
import type { Apply } from './rails/inbox.ts';
import { notificationRoutes as railNotificationRoutes } from './rails/notifications.ts';
import { referenceRoutes } from './payments/reference/routes.ts';
import { receiptRoutes } from './receipts/routes.ts';
import { referenceSmsRoutes } from './reference-sms/routes.ts';
import { noticeRoutes, type NoticeRender } from './checkout/notice.ts';
import { shiftRoutes } from './shifts/routes.ts';
import { optOutRoutes, type OptOutRender } from './sms/opt-outs/page.ts';
import { smsRoutes } from './sms/routes.ts';
import { railRoutes } from './rails/routes.ts';
import { statusRoutes } from './http/status.ts';
import { terminalRoutes } from './terminals/routes.ts';

export type AppOptions = {
  core: Core;
  apply: Apply;
  targets: Targets;
  assets: Assets;
  render: CheckoutRender & ProblemPage;
  account: AccountRender & OptOutRender & NoticeRender & FrontRender;
  link: LinkRender;
  docs: DocsRender;
  console: ConsoleRender;
  figures: Figures;
  lag: Lag;
  /** `refusals`: stores refused requests of merchants. */
  refusals: Refusals;
  watch: Watch;
  /** `sandbox`: middleware of the sandbox's own paths. Empty in production. */
  sandbox: Middleware[];
};

export type App = { koa: Koa; routes: Route[]; streams: Streams; close(): void };

/** Creates the HTTP application of one node. */
export async function createApp(options: AppOptions): Promise<App> {
  const { core, apply, targets, assets, render, account, link, docs, ...services } = options;
  // Authentication uses real time, even if the sandbox's clock is ahead of it.
  const signInCore = { ...core, clock: outsideClock(core.clock) };
  const keys = createSigningKeys(signInCore);
  const tokens = createTokens(signInCore, keys);
  const describe = (events: Event[]) => describeEvents(core, events);
  const limits = await createLimits(core.config);
  const streams = createStreams(core.clock, core.stopping);
  const metrics = openMetrics(core, { limits, streams, figures: services.figures, watch: services.watch });
  const exports = createExports(core.clock);
  const routes: Route[] = [
    ...tokenRoutes(signInCore, keys, tokens),
    ...peopleRoutes(signInCore),
    ...accountPageRoutes({
      core: signInCore,
      render: account,
      script: assets.url(ACCOUNT_SCRIPT),
      signIn: (ctx, user, address) => signInPerson(signInCore, ctx, user, address),
    }),
    ...paymentRoutes(core),
    ...refundRoutes(core),
    ...referenceRoutes(core),
    ...bookRoutes(core),
    ...shiftRoutes(core),
    ...terminalRoutes(core),
    ...eventRoutes({ core, streams, describe }),
    ...webhookRoutes(core, { guard: targets, describeBody: (delivery) => describeBody(core, describe, delivery) }),
    ...merchantRoutes(core, renewSearchTerms),
    ...accessRoutes(core),
    ...auditRoutes(core),
    ...notificationRoutes(core),
    ...privacyRoutes(core, exports),
    ...billingRoutes(core),
    ...smsRoutes(core),
    ...referenceSmsRoutes(core),
    ...receiptRoutes(core),
    ...optOutRoutes(core, account),
    ...checkoutRoutes({ core, streams, limits, assets, render }),
    ...noticeRoutes(core, account),
    ...linkRoutes(core),
    ...articleRoutes(core),
    ...linkPageRoutes({ core, limits, render: link }),
    ...railRoutes(core),
    ...railNotificationRoutes({ core, apply, limits }),
  ];
  const document = () => describeDocument(routes, core.publicUrl, describeWebhooks());
  routes.push(
    ...statusRoutes({ watch: services.watch, stopping: core.draining, metrics }),
    ...interfaceRoutes(() => writeDocument(routes, core.publicUrl, describeWebhooks()), render),
    ...docsRoutes({ core, assets, render: docs, document }),
  );
  const consoleServices = {
    core,
    signInCore,
    assets,
    render: services.console,
    drawSpecimen: (merchant: Merchant) => drawSpecimen(core, render, merchant),
    readPaymentReadiness: (merchantId: string) => readPaymentReadiness(core, merchantId),
  };
  routes.push(...consoleRoutes({ ...consoleServices, routes: routes.slice(), limits, exports }));

  const koa = new Koa();
  koa.silent = true;
  boundQueries(koa);
  koa.context['operatorContact'] = core.config.OPERATOR_CONTACT;
  koa.context['trustedProxies'] = listNetworks(core.config.trustedProxies);
  koa.use(logRequests(core.log, metrics));
  koa.use(secureHeaders());
  koa.use(closeWhenDraining(core));
  koa.use(showFrontPages(account));
  koa.use(showTrouble(render));
  for (const [below, pages] of listTroublePages({ account, link, console: services.console }))
    koa.use(showErrorPages(below, pages));
  const report = (error: unknown, ctx: Context) => logFailure(core.log, error, ctx);
  koa.use(catchProblems(() => core.publicUrl, report, services.refusals.note));
  koa.use(noteWarnings(core, services.refusals));
  koa.use(allowAnyOrigin);
  koa.use(serveFiles({ ...core, limits }, assets));
  for (const middleware of services.sandbox) koa.use(middleware);
  const router = createRouter(routes, { verify: tokens.verify, limits, exports, lag: services.lag });
  koa.use(router.routes() as Middleware);
  koa.use(router.allowedMethods() as Middleware);
  return { koa, routes, streams, close: () => limits.close() };
}

/** Notes the warnings of accepted requests, and logs them in the sandbox. */
function noteWarnings({ config, log }: Core, refusals: Refusals): Middleware {
  return async (ctx, next) => {
    await next();
    const { warnings, requestId } = ctx.state as { warnings?: Fault[]; requestId?: string };
    if (!warnings) return;
    refusals.warn(ctx, warnings);
    if (config.isSandbox) log.warn({ requestId, warnings: viewFaults(warnings, 'en') }, 'request with warnings');
  };
}

type Trouble = Pick<AppOptions, 'account' | 'link' | 'console'>;

/** Lists HTML error pages, with the path prefixes below which they replace problem+json. */
function listTroublePages({ account, link, ...given }: Trouble): [below: string, TroublePages][] {
  const { styles, renderAccountTrouble: renderTrouble } = account;
  const { renderLinkTrouble, renderLinkMissing } = link;
  return [
    ['/account/', { styles, renderTrouble, renderMissing: account.renderAccountMissing }],
    ['/parar/', { styles, renderTrouble, renderMissing: account.renderOptOutMissing }],
    ['/console', given.console],
    ['/privacidade/', { styles, renderTrouble, renderMissing: account.renderNoticeMissing }],
    ['/l/', { styles: link.styles, renderTrouble: renderLinkTrouble, renderMissing: renderLinkMissing }],
  ];
}

type Watched = { limits: Limits; streams: Streams; figures: Figures; watch: Watch };

function openMetrics({ config, pool, changes }: Core, { limits, streams, figures, watch }: Watched): Metrics {
  const redis = { limits: limits.hasRedis, changes: changes.hasRedis };
  const about = { node: config.NODE_NAME, schema: listMigrations().at(-1) ?? '' };
  return createMetrics({ ...about, pool, isReady: watch.isReady, openStreams: streams.count, redis, figures });
}

/** Sets strict security headers. Pages replace the content security policy with their own. */
function secureHeaders(): Middleware {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
  }) as Middleware;
}

/** Closes each connection with its answer while the node drains. */
function closeWhenDraining(core: Core): Middleware {
  return (ctx, next) => {
    if (core.draining.aborted) ctx.set('Connection', 'close');
    return next();
  };
}

/** CORS for the widget on merchants' pages. Any origin may call the checkout, because it uses no cookies. */
const allowAnyOrigin: Middleware = (ctx, next) => {
  if (!ctx.path.startsWith('/checkout/') || !ctx.get('origin')) return next();
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.set('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id');
  if (ctx.method !== 'OPTIONS' || !ctx.get('access-control-request-method')) return next();
  ctx.set({
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': 'Content-Type, Last-Event-ID',
    'Access-Control-Max-Age': '86400',
  });
  ctx.state['route'] = '/checkout/*';
  ctx.status = 204;
  return undefined;
};
