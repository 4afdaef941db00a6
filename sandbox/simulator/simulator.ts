// The simulated rails as one Koa app, with loops, start and stop.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Router from '@koa/router';
import Koa from 'koa';
import type { Clock } from '../../server/clock.ts';
import { boundQueries } from '../../server/http/body.ts';
import { atmRoutes } from './atm.ts';
import { startLoop, trackUntilDone, type Loop } from './loop.ts';
import { deliverDue } from './messages.ts';
import { movementRoutes } from './movements.ts';
import { createNotifier } from './notifications.ts';
import { decideDueOrders } from './charges.ts';
import { peopleRoutes } from './payer-api.ts';
import { pprRoutes } from './ppr.ts';
import { gpoRoutes } from './rail.ts';
import { refundRoutes } from './refunds.ts';
import { answerRefusals } from './refusal.ts';
import { scanRoutes } from './scans.ts';
import type { Simulation } from './simulation.ts';
import { replyRoutes, smsRoutes } from './sms.ts';
import { openPool, prepareTables } from './tables.ts';
import { publishDue } from './reference-payments.ts';
import { testerRoutes } from './admin-api.ts';

export type SimulatorOptions = {
  /** The URL of the database that contains the schema `simulator`: the gateway's database or another one. */
  databaseUrl: string;
  clock: Clock;
  /** The signing key shared with the GPO rail. Without this key the GPO rail is off. */
  key?: string | undefined;
  /** The notification URL of the GPO rail, read for each notification. The gateway may learn its port late. */
  notifyUrl?: () => string;
  /** The signing key shared with the PPR rail. */
  pprKey?: string | undefined;
  pprNotifyUrl?: () => string;
  /** The signing key shared with the SMS rail. */
  smsKey?: string | undefined;
  smsNotifyUrl?: () => string;
  /** The time in milliseconds that a payer has to approve a push. */
  gpoWindowMs?: number;
  /** The simulator's logger. Default: standard error. */
  log?: (message: string, error: unknown) => void;
};

export type Simulator = {
  /** The request listener for a Node server. The caller must remove the mount prefix from `req.url`. */
  callback(): (req: IncomingMessage, res: ServerResponse) => void;
  /** Creates the simulator's tables and continues unfinished work. */
  start(): Promise<void>;
  /** Checks for due rows immediately, after the sandbox's time was moved. */
  pollNow(): void;
  /** Finishes running work, closes responses that a fault keeps open, and closes the database connections. */
  stop(): Promise<void>;
};

/** Creates a small rail that speaks only docs/rail.md. The gateway cannot see that it is simulated. */
export async function createSimulator(options: SimulatorOptions): Promise<Simulator> {
  const stopping = new AbortController();
  const log = options.log ?? ((message, error) => console.error(`simulator: ${message}`, error));
  const loops = new Map<string, Loop>();
  const sim: Simulation = {
    pool: await openPool(options.databaseUrl, log),
    clock: options.clock,
    rails: listRails(options),
    windowMs: options.gpoWindowMs ?? 90_000,
    log,
    stopping: stopping.signal,
    hanging: new Set(),
    poke: (what) => loops.get(what)?.poke(),
  };
  const notifier = createNotifier(sim);
  const app = new Koa();
  boundQueries(app);
  // Koa would log connections that were closed on purpose. `answerRefusals` logs all other errors.
  app.silent = true;
  const running = new Set<Promise<unknown>>();
  app.use((_ctx, next) => trackUntilDone(running, next()));
  app.use(answerRefusals(log));
  // Each rail has its own router, because each one requires its own signature.
  for (const router of listRouters(sim)) app.use(router.routes()).use(router.allowedMethods());
  return {
    callback: () => app.callback(),
    async start() {
      await prepareTables(sim.pool);
      const run = (name: string, step: () => Promise<Date | null>) => loops.set(name, startLoop(sim, step));
      if (sim.rails.gpo || sim.rails.ppr) run('decisions', () => decideDueOrders(sim));
      if (sim.rails.ppr) run('publications', () => publishDue(sim));
      if (sim.rails.sms) run('deliveries', () => deliverDue(sim));
      run('notifications', () => notifier.sendDue());
    },
    pollNow: () => loops.forEach((loop) => loop.poke()),
    async stop() {
      stopping.abort();
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
      await notifier.finish();
      await Promise.all(running);
      for (const response of sim.hanging) response.destroy();
      await sim.pool.end();
    },
  };
}

function listRails(options: SimulatorOptions): Simulation['rails'] {
  const { key, notifyUrl, pprKey, pprNotifyUrl, smsKey, smsNotifyUrl } = options;
  return {
    ...(key && notifyUrl && { gpo: { key, notifyUrl } }),
    ...(pprKey && pprNotifyUrl && { ppr: { key: pprKey, notifyUrl: pprNotifyUrl } }),
    ...(smsKey && smsNotifyUrl && { sms: { key: smsKey, notifyUrl: smsNotifyUrl } }),
  };
}

function listRouters(sim: Simulation): Router[] {
  const { gpo, ppr, sms } = sim.rails;
  return [
    ...(gpo ? [gpoRoutes(sim), peopleRoutes(sim), scanRoutes(sim)] : []),
    ...(ppr ? [pprRoutes(sim), atmRoutes(sim)] : []),
    ...(sms ? [smsRoutes(sim), replyRoutes(sim)] : []),
    ...(gpo || ppr ? [refundRoutes(sim), movementRoutes(sim)] : []),
    testerRoutes(sim),
  ];
}
