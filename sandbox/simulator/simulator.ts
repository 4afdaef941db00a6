// The simulated rails as a whole: their Koa app, their loops, start and stop.
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
  /** Where its own schema, `simulator`, lives: the gateway's database or another. */
  databaseUrl: string;
  clock: Clock;
  /** Signs both ways with the GPO rail; without it there is none here. */
  key?: string | undefined;
  /** Asked at each notification: the gateway's port may be known only after it listens. */
  notifyUrl?: () => string;
  /** The same of the PPR rail. */
  pprKey?: string | undefined;
  pprNotifyUrl?: () => string;
  /** The same of the SMS rail. */
  smsKey?: string | undefined;
  smsNotifyUrl?: () => string;
  /** How long a payer has to approve. */
  gpoWindowMs?: number;
  /** Default: the standard error output. */
  log?: (message: string, error: unknown) => void;
};

export type Simulator = {
  /** For a Node server; `req.url` must already be without the prefix it is mounted under. */
  callback(): (req: IncomingMessage, res: ServerResponse) => void;
  /** Makes the tables and goes on with whatever was left undone. */
  start(): Promise<void>;
  /** Looks at once for what is due: the time was moved. */
  lookNow(): void;
  /** Finishes what runs, drops what hangs, closes the database's connections. */
  stop(): Promise<void>;
};

/** A rail in miniature. It speaks docs/rail.md only: nothing in the gateway knows that it is simulated. */
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
  // Connections cut on purpose are no news; whatever else fails is logged by answerRefusals.
  app.silent = true;
  const running = new Set<Promise<unknown>>();
  app.use((_ctx, next) => trackUntilDone(running, next()));
  app.use(answerRefusals(log));
  // Each on its own: the signature that one rail demands is nothing to the other.
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
    lookNow: () => loops.forEach((loop) => loop.poke()),
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
