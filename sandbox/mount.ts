// Mounts the sandbox in a node: the simulator at /sandbox/rail, the pages for people, and the guard for both.
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { SCOPES } from '../shared/scopes.ts';
import { loadRender, type Assets } from '../server/http/pages.ts';
import type { MovableClock } from '../server/clock.ts';
import type { Core } from '../server/core.ts';
import { prepared } from '../server/database/db.ts';
import { createSimulator, type Simulator } from './simulator/simulator.ts';
import { callbackPages } from './shop/callbacks.ts';
import { guardSandbox } from './guard.ts';
import { openInbox, type KeptLetter } from './simulator/inbox.ts';
import { inboxPages } from './inbox.ts';
import type { SandboxOptions as SandboxPageOptions } from './page.ts';
import { sandboxPages } from './pages.ts';
import { trialPages } from './trials.ts';
import type { SandboxRender } from './render.ts';
import { DEMO, seedDemo } from './seed.ts';
import { demoPeople } from './people.ts';
import { clockPages, openTime } from './time.ts';

const RAIL = '/sandbox/rail';

export type SandboxOptions = {
  core: Core;
  /** The core's clock, which the sandbox can move ahead. */
  clock: MovableClock;
  databaseUrl: string;
  /** The node's URL for calls to itself. */
  localUrl: string;
  /** The signing key of each rail. */
  keys: { gpo: string; ppr: string; sms: string };
  assets: Assets;
  distDir: string;
  stops: (() => unknown)[];
};

export type Sandbox = {
  /** The sandbox's middleware, in order: the guard, the simulator and the pages. */
  middleware: Middleware[];
  /** Stores a mail in the inbox. A repeated `id` is stored once. */
  keepMail(mail: KeptLetter): Promise<void>;
  /** Adopts the time if another node has moved it. */
  syncClock(): Promise<void>;
};

/** Creates the demo merchant, and starts the simulator for the rails without an external URL. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { core, clock, localUrl, assets, distDir } = options;
  const { config, pool, stopping } = core;
  const inbox = openInbox(pool, clock);
  await inbox.prepare();
  let pollNow = () => {};
  const time = openTime(pool, clock, () => pollNow());
  await time.catchUp();
  const password = config.SANDBOX_PASSWORD ?? null;
  const secret = password ?? 'demo-secret';
  await seedDemo({ ...core, secret, scopes: SCOPES });
  const publicUrl = () => core.publicUrl;
  const shown = {
    publicUrl,
    apiUrl: () => localUrl,
    railUrl: () => config.GPO_URL ?? `${localUrl}${RAIL}`,
    pprUrl: () => config.PPR_URL ?? `${localUrl}${RAIL}`,
    clientId: DEMO.clientId,
    clientSecret: () => secret,
    assets,
    render: await loadRender<SandboxRender>(distDir, 'sandbox'),
    password,
    clock,
    findName: async (gpoMerchantId) => (await findNamed.first(core, { gpoMerchantId }))?.name ?? null,
  } satisfies SandboxPageOptions;
  const home = new Router().get('/', (ctx) => ctx.redirect('/sandbox'));
  const isElsewhere = !!config.GPO_URL && !!config.PPR_URL && !!config.SMS_URL;
  const simulator = isElsewhere ? null : await mountSimulator(options);
  pollNow = simulator?.pollNow ?? pollNow;
  const callbacks = await callbackPages({ ...shown, pool, stopping });
  const smsUrl = () => config.SMS_URL ?? `${localUrl}${RAIL}`;
  const routers = [
    home,
    clockPages(shown, clock, time),
    trialPages(shown, options.stops),
    sandboxPages(shown),
    demoPeople(core),
    callbacks,
    inboxPages({ ...shown, smsUrl, hasMailServer: !!config.SMTP_URL, hasSmsRail: !!config.SMS_URL }, inbox),
  ].map((router) => router.routes() as unknown as Middleware);
  return {
    middleware: [guardSandbox({ password, publicUrl }), ...(simulator ? [simulator.middleware] : []), ...routers],
    keepMail: (mail) => inbox.keep('mail', mail),
    syncClock: time.catchUp,
  };
}

const findNamed = prepared((tables, { gpoMerchantId }: { gpoMerchantId: string }) =>
  tables
    .selectFrom('merchants')
    .select('name')
    .where((eb) => eb(eb.val(gpoMerchantId), '=', eb.fn.any('gpoMerchantIds')))
    .orderBy('createdAt')
    .limit(1),
);

async function mountSimulator(
  options: SandboxOptions,
): Promise<Pick<Simulator, 'pollNow'> & { middleware: Middleware }> {
  const { core, databaseUrl, localUrl, stops } = options;
  const { keys } = options;
  const { GPO_URL, PPR_URL, SMS_URL } = core.config;
  const simulator = await createSimulator({
    databaseUrl,
    clock: core.clock,
    key: GPO_URL ? undefined : keys.gpo,
    notifyUrl: () => `${localUrl}/rails/gpo/notifications`,
    pprKey: PPR_URL ? undefined : keys.ppr,
    pprNotifyUrl: () => `${localUrl}/rails/ppr/notifications`,
    smsKey: SMS_URL ? undefined : keys.sms,
    smsNotifyUrl: () => `${localUrl}/rails/sms/notifications`,
    gpoWindowMs: core.config.GPO_PUSH_WINDOW_S * 1000,
    log: (message, error) => core.log.warn({ err: error }, `simulator: ${message}`),
  });
  stops.push(simulator.stop);
  await simulator.start();
  const answer = simulator.callback();
  const middleware: Middleware = (ctx, next) => {
    if (!ctx.path.startsWith(`${RAIL}/`)) return next();
    ctx.state['route'] = `${RAIL}/*`;
    ctx.respond = false;
    ctx.req.url = ctx.req.url?.slice(RAIL.length) ?? '/';
    // Koa presets the status 404, but the simulator's own app sets the status.
    ctx.res.statusCode = 200;
    answer(ctx.req, ctx.res);
    return undefined;
  };
  return { middleware, pollNow: simulator.pollNow };
}
