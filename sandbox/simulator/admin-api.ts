// The simulator's routes for testers: faults, and the rail's records for comparison with the gateway.
// These routes are unsigned, so the app that mounts them must guard them.
import Router from '@koa/router';
import { z } from 'zod';
import { DAY_MS } from '../../shared/durations.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { parseBody, readBody } from './body.ts';
import { readRailRecords } from './books.ts';
import { FAULTS, type FaultKind, type FaultTarget } from './fault-kinds.ts';
import { clearFaults, listFaults, orderFault } from './faults.ts';
import { deliverDue } from './messages.ts';
import { decideDueOrders } from './charges.ts';
import { readPosId } from './rail.ts';
import { TERMINAL_STATUSES } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { publishDue } from './reference-payments.ts';
import { changeTerminal, viewTerminal } from './terminals.ts';

/** The tester's routes: faults, the rail's records, and terminals in the state that a test needs. */
export function testerRoutes(sim: Simulation): Router {
  const router = new Router();
  router.post('/faults', async (ctx) => {
    await orderFault(sim.pool, parseBody(faultOrder, await readBody(ctx.req)));
    ctx.status = 201;
    ctx.body = { data: await listFaults(sim.pool) };
  });
  router.get('/faults', async (ctx) => {
    ctx.body = { data: await listFaults(sim.pool) };
  });
  router.delete('/faults', async (ctx) => {
    await clearFaults(sim.pool);
    ctx.status = 204;
  });
  router.get('/books', async (ctx) => {
    await decideDueOrders(sim);
    await publishDue(sim);
    await deliverDue(sim);
    const { reference } = ctx.query;
    ctx.body = await readRailRecords(sim, typeof reference === 'string' ? reference : null);
  });
  router.put('/terminals/:posId', async (ctx) => {
    const change = parseBody(terminalChange, await readBody(ctx.req));
    ctx.body = viewTerminal(await changeTerminal(sim, readPosId(ctx), change));
  });
  return router;
}

const faultOrder = z
  .object({
    on: z.enum(Object.keys(FAULTS) as [FaultTarget, ...FaultTarget[]]),
    kind: z.string(),
    times: z.number().int().min(1).max(1_000).default(1),
    phone: z
      .string()
      .nullish()
      .transform((phone) => (phone ? normalizePhone(phone) : null)),
    reference: z
      .string()
      .regex(/^\d{9,15}$/)
      .nullish(),
    delayMs: z.number().int().min(0).max(DAY_MS).default(5_000),
  })
  .refine(({ on, kind }) => (FAULTS[on] as readonly string[]).includes(kind), {
    path: ['kind'],
    message: `must be one of ${JSON.stringify(FAULTS)}`,
  })
  .transform(({ kind, phone, reference, ...order }) => ({
    ...order,
    kind: kind as FaultKind,
    phone: phone ?? reference ?? null,
  }));

const terminalChange = z.object({
  status: z.enum(TERMINAL_STATUSES).optional(),
  supervisors: z.array(z.string().min(1).max(64)).max(100).optional(),
  notify: z.boolean().default(false),
});
