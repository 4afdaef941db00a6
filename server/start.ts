// Starts and stops a node: database, rails, HTTP application, job queues and background loops.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { ConsoleRender } from '../shared/console.ts';
import { DEMO_CLIENT_ID } from '../shared/sandbox.ts';
import { COST } from './people/password.ts';
import { createApp, type App, type AppOptions } from './app.ts';
import { handoverQueue } from './billing/handover.ts';
import { billingQueue } from './billing/issue.ts';
import { settlementQueue } from './books/close.ts';
import { reconciliationQueue } from './books/reconcile.ts';
import { createDeliveries } from './webhooks/queue.ts';
import { createTargets } from './webhooks/send.ts';
import type { CheckoutRender } from './checkout/context.ts';
import { movableClock, outsideClock, systemClock, type Clock, type MovableClock } from './clock.ts';
import { CannotStart, localUrlOf, type Config } from './config.ts';
import type { Core, PasswordCost } from './core.ts';
import { startEmbedded } from './database/embedded/start.ts';
import { refuseRehearsal } from './rehearsal.ts';
import { prepared } from './database/db.ts';
import { watchFloor } from './database/floor.ts';
import { openMigrated } from './database/migrate.ts';
import { closeDatabase } from './database/orm.ts';
import { openWatch, type Watch } from './database/watch.ts';
import type { ProblemPage } from './docs/interface.ts';
import type { DocsRender } from './docs/routes.ts';
import { countLists } from './lists/fold.ts';
import { indexPayments } from './payments/search-index.ts';
import { createJobs, runJobs } from './jobs/engine.ts';
import { cleanDaily } from './jobs/daily.ts';
import { erasureQueue } from './privacy/erasures.ts';
import { nightlyErasures } from './privacy/retention.ts';
import { watchDue } from './jobs/due.ts';
import { entities } from './entities.ts';
import { limitUnavailableLog } from './database/unavailable.ts';
import { oneResponsePerConnection, type Lag, watchLag } from './http/overload.ts';
import { MAX_HEADER_BYTES } from './http/body.ts';
import { createRefusals } from './merchants/refusals.ts';
import { createLog } from './http/log.ts';
import { type Assets, loadAssets, loadRender, publishFiles } from './http/pages.ts';
import { createChanges } from './changes/notify.ts';
import { pollEvents } from './changes/poll.ts';
import { noticeMailQueue } from './notifications/mail.ts';
import { mailQueue } from './mail/due.ts';
import { openSandboxInbox, openSmtp, type Post } from './mail/post.ts';
import { paymentQueues } from './payments/core/polling.ts';
import { describeEvents } from './payments/core/event-snapshot.ts';
import { paymentHandlers } from './payments/notifications.ts';
import { createApply, inboxQueue } from './rails/inbox.ts';
import { outcomeOf, type NotificationHandlers } from './rails/notification-handlers.ts';
import { receiveMessageStatus, receiveReply } from './sms/receive.ts';
import { applyTerminalNotification } from './terminals/apply-outcome.ts';
import { openRailAccounts } from './rails/rail-accounts.ts';
import { nodeRailKeys, createNodeRails } from './rails/node-rails.ts';
import { referenceQueues } from './payments/reference/due.ts';
import { startFeed } from './rails/feed.ts';
import { requireMatchingKeys } from './sealed.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
import { openKeyring } from './secrets.ts';
import { smsQueues } from './sms/due.ts';
import { ensureDigestKey } from './sms/opt-outs/refusals.ts';
import { stopOnce, type Shutdown, type Stop } from './stop.ts';
import { terminalQueue } from './terminals/query.ts';
import { startTracing } from './metrics/span.ts';
import { openFigures } from './metrics/figures.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));

export type StartOptions = {
  clock?: Clock;
  log?: Logger;
  /** `passwordCost`: cost of password hashes in tests. Production ignores it. */
  passwordCost?: PasswordCost;
  /** `lag`: event loop lag, measured by default. Tests may replace it. */
  lag?: Lag;
  /** The folder of the built pages and scripts. Tests give another build. */
  distDir?: string;
  /** Called when a newer release has changed the database, so that this release must stop. */
  onTooOld?: () => void;
};

export type RunningNode = { core: Core; app: App; url: string; stop(): Promise<void> };

/**
 * Starts a node. The promise resolves when the node answers requests.
 * @throws CannotStart and other errors of a wrong set-up, DataDirInUse if another server uses the same folder
 */
export async function startNode(config: Config, options: StartOptions = {}): Promise<RunningNode> {
  const clock = movableClock(options.clock ?? systemClock);
  const log = limitUnavailableLog(options.log ?? createLog(config), clock);
  const stops: Stop[] = [];
  const [draining, stopping] = [new AbortController(), new AbortController()];
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, answerStarting);
  // Before the node is ready no clients are connected, so a stop needs no drain delay.
  const shutdown: Shutdown = { draining, stopping, server, stops, drain: async () => {} };
  const stop = stopOnce(shutdown);
  try {
    stops.push(await startTracing(config));
    const port = await listen(server, config);
    const localUrl = localUrlOf(config, port);
    const databaseUrl = config.DATABASE_URL ?? (await openEmbedded({ config, log, stops, localUrl }));
    const opening = { entities, poolMax: config.DATABASE_POOL };
    const { holdWrites, ...database } = await openMigrated(databaseUrl, opening, {
      log: (message) => log.warn(message),
    });
    stops.push(() => closeDatabase(database));
    const watch = await openWatch({
      databaseUrl,
      clock,
      toleranceMs: config.CLOCK_TOLERANCE_S * 1_000 || Infinity,
      log,
      stopping: stopping.signal,
      holdWrites,
    });
    stops.push(watch.close);
    const changes = await createChanges(config.REDIS_URL);
    stops.push(changes.close);
    const publicUrl = config.PUBLIC_URL ?? `http://localhost:${port}`;
    const keyring = openKeyring(config);
    await requireMatchingKeys({ ...database, config, keyring });
    await ensureDigestKey({ ...database, keyring });
    const background = new Set<Promise<void>>();
    const inBackground = (work: Promise<void>) => {
      background.add(work);
      void work.finally(() => background.delete(work));
    };
    stops.push(() => Promise.allSettled(background));
    const passwordCost = config.isSandbox ? (options.passwordCost ?? COST) : COST;
    const base = { config, clock, ...database, changes, jobs: createJobs(), keyring, passwordCost, log, publicUrl };
    const rails = await openRailAccounts(base, createNodeRails(base, nodeRailKeys(base), `${localUrl}/sandbox/rail`));
    stops.push(rails.close);
    const signals = { draining: draining.signal, stopping: stopping.signal };
    const core: Core = { ...base, ...signals, rails, inBackground, isClockCorrect: watch.isClockCorrect };
    const lag = options.lag ?? watchLag(systemClock, stopping.signal);
    const { distDir = DIST } = options;
    const app = await buildApp(core, { clock, localUrl, databaseUrl, stops, watch, lag, distDir });
    stops.push(app.close);
    server.removeListener('request', answerStarting);
    server.on('request', oneResponsePerConnection(app.koa.callback() as RequestListener));
    const drainMs = config.DRAIN_S * 1000;
    if (drainMs > 0) shutdown.drain = (hurry) => app.streams.drain(drainMs, hurry);
    stopping.signal.addEventListener('abort', app.streams.closeAll);
    const watched = watchFloor({ ...core, clock: outsideClock(clock) }, (error) => {
      log.error(error.message);
      options.onTooOld?.();
    });
    stops.push(() => watched);
    return { core, app, url: `http://127.0.0.1:${port}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type BuildOptions = {
  clock: MovableClock;
  localUrl: string;
  databaseUrl: string;
  stops: Stop[];
  watch: Watch;
  lag: Lag;
  distDir: string;
};

function notificationHandlers(core: Core): NotificationHandlers {
  return {
    ...paymentHandlers(core),
    terminal: async (_rail, { posId, outcome }) => outcomeOf(await applyTerminalNotification(core, posId, outcome)),
    message: async (rail, { messageId, outcome }) =>
      outcomeOf(await receiveMessageStatus(core, rail, messageId, outcome)),
    reply: async (_rail, { reply }) => outcomeOf(await receiveReply(core, reply)),
  };
}

async function buildApp(core: Core, at: BuildOptions): Promise<App> {
  const { distDir } = at;
  const assets: Assets = loadAssets(distDir);
  await publishFiles(core, assets);
  const apply = createApply(core, notificationHandlers(core));
  const sandbox = await enterSandbox({
    core,
    ...at,
    keys: nodeRailKeys(core),
    assets,
  });
  const targets = createTargets(core, at.localUrl);
  const deliveries = createDeliveries({ core, targets, describe: (events) => describeEvents(core, events) });
  core.listeners.add({ onEvents: ({ merchantId }) => core.changes.publish(`events:${merchantId}`) });
  core.listeners.add(deliveries);
  const due = listQueues(core, apply, await openPost(core, sandbox));
  const kinds = due.map(({ kind }) => kind);
  const figures = await openFigures({ ...at, clock: core.clock, kinds });
  at.stops.push(figures.close);
  const refusals = createRefusals(core.clock);
  const app = await createApp({
    core,
    refusals,
    apply,
    targets,
    assets,
    figures,
    lag: at.lag,
    watch: at.watch,
    sandbox: sandbox?.middleware ?? [],
    render: await loadRender<CheckoutRender & ProblemPage>(distDir, 'render'),
    account: await loadRender<AppOptions['account']>(distDir, 'account'),
    link: await loadRender<AppOptions['link']>(distDir, 'link'),
    docs: await loadRender<DocsRender>(distDir, 'docs'),
    console: await loadRender<ConsoleRender>(distDir, 'console'),
  });
  for (const { id } of core.rails.listAll('ppr')) await startFeed(core, id, core.clock.now());
  const lookOuts = [deliveries.watch, watchDue(core, due), ...(sandbox ? [sandbox.syncClock] : [])];
  const jobs = runJobs(core, [deliveries.queue, ...due], lookOuts);
  const works = [
    jobs.finally(targets.close),
    pollEvents(core, core.changes.notifyLocal),
    core.rails.watch(core.stopping),
    countLists(core),
    indexPayments(core),
    refusals.write(core),
    cleanDaily(
      { ...core, clock: outsideClock(core.clock) },
      nightlyErasures({ ...core, clock: outsideClock(core.clock) }),
    ),
  ];
  at.stops.push(() => Promise.all(works));
  return app;
}

/** Lists the job queues except the deliveries, which have an engine of their own. */
function listQueues(core: Core, apply: Parameters<typeof inboxQueue>[1], post: Parameters<typeof mailQueue>[1]) {
  return [
    ...paymentQueues(core),
    ...referenceQueues(core),
    inboxQueue(core, apply),
    terminalQueue(core),
    ...smsQueues(core),
    billingQueue(core),
    handoverQueue(core),
    settlementQueue(core),
    reconciliationQueue(core),
    erasureQueue(core),
    noticeMailQueue(core),
    mailQueue(core, post),
  ];
}

/**
 * Opens the simulated rails and pages of a sandbox. Returns null in production.
 * @throws CannotStart if production gets a sandbox's database, whose credentials are public
 */
async function enterSandbox(options: SandboxOptions): Promise<Sandbox | null> {
  const { core } = options;
  if (core.config.isSandbox) return openSandbox(options);
  if (await findDemoClient.first(core, {}))
    throw new CannotStart(
      'DATABASE_URL: this database contains the sandbox’s demo credentials; production refuses them',
    );
  return null;
}

const findDemoClient = prepared((tables) => tables.selectFrom('clients').select('id').where('id', '=', DEMO_CLIENT_ID));

/** Opens the mail server. A sandbox without a mail server stores mail in its inbox instead. */
async function openPost({ config, publicUrl }: Core, sandbox: Sandbox | null): Promise<Post> {
  if (config.SMTP_URL) return openSmtp(config, config.SMTP_URL, publicUrl);
  // The configuration requires a mail server in production, so this error cannot occur.
  if (!sandbox) throw new Error('SMTP_URL: no mail server');
  return openSandboxInbox(config, sandbox.keepMail, publicUrl);
}

type Opening = { config: Config; log: Logger; stops: Stop[]; localUrl: string };

async function openEmbedded({ config, log, stops, localUrl }: Opening): Promise<string> {
  refuseRehearsal(config.DATA_DIR);
  const embedded = await startEmbedded({
    dataDir: config.DATA_DIR,
    gatewayUrl: localUrl,
    log: (message) => log.info(message),
    onRestart: () => log.warn('embedded database crashed and was restarted'),
  });
  stops.push(embedded.stop);
  return embedded.url;
}

async function listen(server: Server, config: Config): Promise<number> {
  // A client that sends slowly has at most 30 seconds for a whole request.
  server.requestTimeout = 30_000;
  server.headersTimeout = 10_000;
  // Proxies and clients keep idle connections mostly 60 s. A longer timeout closes only unused connections.
  server.keepAliveTimeout = 75_000;
  server.listen(config.PORT, config.HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Answers requests until the node is ready: 503, except for `/healthz`. */
const answerStarting: RequestListener = (req, res) => {
  // A starting process is healthy: a supervisor must not kill it during a long migration.
  const status = req.url === '/healthz' ? 200 : 503;
  res.writeHead(status, { 'Retry-After': '1', 'Content-Type': 'application/json' });
  res.end('{"status":"starting"}');
};
