// The simulated GPO rail as a whole: its Koa app, its two loops, start and stop.
import type { IncomingMessage, ServerResponse } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import type { Pool } from 'pg';
import type { Clock } from '../clock.ts';
import { startLoop, trackUntilDone, type Loop } from './loop.ts';
import { createNotifier } from './notifications.ts';
import { peopleRoutes } from './people.ts';
import { decideDueOrders } from './orders.ts';
import { railRoutes } from './rail.ts';
import { answerRefusals } from './refusal.ts';
import { scanRoutes } from './scans.ts';
import { openPool, prepareTables } from './tables.ts';
import { testerRoutes } from './testers.ts';

export type SimulatorOptions = {
  /** Where its own schema, `simulator`, lives: the gateway's database or another. */
  databaseUrl: string;
  clock: Clock;
  /** Signs both ways. */
  key: string;
  /** Asked at each notification: the gateway's port may be known only after it listens. */
  notifyUrl: () => string;
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
  /** Finishes what runs, drops what hangs, closes the database's connections. */
  stop(): Promise<void>;
};

/** What the simulator's parts share. */
export type Simulation = {
  pool: Pool;
  clock: Clock;
  key: string;
  notifyUrl: () => string;
  windowMs: number;
  log: (message: string, error: unknown) => void;
  stopping: AbortSignal;
  /** Responses that are never given, so that stopping can drop them. */
  hanging: Set<ServerResponse>;
  /** Word of a new order to decide, or of a new notification to send. */
  poke(what: 'decisions' | 'notifications'): void;
};

/** A rail in miniature. It speaks docs/rail.md only: nothing in the gateway knows that it is simulated. */
export function createSimulator(options: SimulatorOptions): Simulator {
  const stopping = new AbortController();
  const log = options.log ?? ((message, error) => console.error(`simulator: ${message}`, error));
  const loops = new Map<string, Loop>();
  const sim: Simulation = {
    pool: openPool(options.databaseUrl, log),
    clock: options.clock,
    key: options.key,
    notifyUrl: options.notifyUrl,
    windowMs: options.gpoWindowMs ?? 90_000,
    log,
    stopping: stopping.signal,
    hanging: new Set(),
    poke: (what) => loops.get(what)?.poke(),
  };
  const notifier = createNotifier(sim);
  const router = new Router();
  for (const routes of [railRoutes, peopleRoutes, scanRoutes, testerRoutes]) router.use(routes(sim).routes());
  const app = new Koa();
  // Connections cut on purpose are no news; whatever else fails is logged by answerRefusals.
  app.silent = true;
  const running = new Set<Promise<unknown>>();
  app.use((_ctx, next) => trackUntilDone(running, next()));
  app.use(answerRefusals(log));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return {
    callback: () => app.callback(),
    async start() {
      await prepareTables(sim.pool);
      loops.set(
        'decisions',
        startLoop(sim, () => decideDueOrders(sim)),
      );
      loops.set(
        'notifications',
        startLoop(sim, () => notifier.sendDue()),
      );
    },
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
