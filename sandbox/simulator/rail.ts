// The GPO rail of docs/rail.md: signed routes for orders, QR codes and terminals.
import Router from '@koa/router';
import type { Context } from 'koa';
import { parseBody } from './body.ts';
import { answerWithFault, claimFault, claimRequestFault } from './faults.ts';
import { findOrder, recordOrder } from './charges.ts';
import type { OrderRequest } from './plans.ts';
import { findQrCode, recordQrCode, viewQrCode } from './qrcodes.ts';
import { refuse } from './refusal.ts';
import { ORDER_REQUESTS, qrRequest, terminalMove } from './requests.ts';
import { requireSignature } from './signed.ts';
import type { Simulation } from './simulation.ts';
import { findTerminal, moveTerminal, viewTerminal } from './terminals.ts';
import { viewOrder } from './view.ts';

/** The routes of the GPO rail, which the gateway calls. */
export function gpoRoutes(sim: Simulation): Router {
  const router = new Router({ prefix: '/v1' });
  router.use(requireSignature(sim, 'gpo'));
  for (const kind of ['purchase', 'authorization', 'capture', 'void'] as const) addOrderRoutes(router, sim, kind);
  addQrRoutes(router, sim);
  addTerminalRoutes(router, sim);
  return router;
}

function addOrderRoutes(router: Router, sim: Simulation, kind: keyof typeof ORDER_REQUESTS): void {
  const [noun, code] = [`${kind}s`, kind.toUpperCase()];

  router.post(`/${noun}`, async (ctx) => {
    const request = parseBody(ORDER_REQUESTS[kind], ctx.state.body as Buffer);
    const fault = await claimRequestFault(sim, kind, await findPhone(sim, request));
    await answerWithFault(sim, ctx, fault, async () => {
      const { order, isNew, isSame } = await recordOrder(sim, request);
      if (!isSame) refuse(409, `${code}_CHANGED`, `This id belongs to an order with other content.`);
      ctx.status = isNew ? 202 : 200;
      ctx.body = await viewOrder(sim.pool, (await findOrder(sim, [kind], request.id)) ?? order);
    });
  });

  router.get(`/${noun}/:id`, async (ctx) => {
    const order = await findOrder(sim, [kind], ctx.params.id ?? '');
    const fault = await claimFault(sim.pool, 'query', order?.phone ?? null);
    await answerWithFault(sim, ctx, fault, async () => {
      if (!order) refuse(404, `UNKNOWN_${code}`, `No ${kind} has this id.`);
      ctx.body = await viewOrder(sim.pool, order);
    });
  });
}

/** Finds the phone of an order. A capture or void has the phone of its authorization. */
async function findPhone(sim: Simulation, { phone, parentId }: OrderRequest): Promise<string | null> {
  if (phone || !parentId) return phone || null;
  return (await findOrder(sim, ['authorization'], parentId))?.phone ?? null;
}

function addQrRoutes(router: Router, sim: Simulation): void {
  router.post('/qrcodes', async (ctx) => {
    const request = parseBody(qrRequest, ctx.state.body as Buffer);
    await answerWithFault(sim, ctx, await claimFault(sim.pool, 'qrcode', null), async () => {
      const { code, isNew, isSame } = await recordQrCode(sim, request);
      if (!isSame) refuse(409, 'QRCODE_CHANGED', 'This id belongs to a code with other content.');
      ctx.status = isNew ? 201 : 200;
      ctx.body = await viewQrCode(sim.pool, (await findQrCode(sim, 'id', code.id)) ?? code, sim.clock.now());
    });
  });

  router.get('/qrcodes/:id', async (ctx) => {
    const code = await findQrCode(sim, 'id', ctx.params.id ?? '');
    await answerWithFault(sim, ctx, await claimFault(sim.pool, 'query', null), async () => {
      if (!code) refuse(404, 'UNKNOWN_QRCODE', 'No code has this id.');
      ctx.body = await viewQrCode(sim.pool, code, sim.clock.now());
    });
  });
}

function addTerminalRoutes(router: Router, sim: Simulation): void {
  router.get('/terminals/:posId', async (ctx) => {
    const posId = readPosId(ctx);
    await answerWithFault(sim, ctx, await claimFault(sim.pool, 'query', null), async () => {
      ctx.body = viewTerminal(await findTerminal(sim, posId));
    });
  });

  for (const action of ['open', 'close'] as const) {
    router.post(`/terminals/:posId/${action}`, async (ctx) => {
      const move = { ...parseBody(terminalMove, ctx.state.body as Buffer), posId: readPosId(ctx), action };
      await answerWithFault(sim, ctx, await claimFault(sim.pool, 'terminal', null), async () => {
        ctx.body = viewTerminal(await moveTerminal(sim, move));
      });
    });
  }
}

/** Reads a terminal id. Any well-formed id is accepted, because the sandbox has no onboarding. */
export function readPosId({ params }: Pick<Context, 'params'>): string {
  const posId = String(params.posId);
  return /^[\x21-\x7e]{1,64}$/.test(posId) ? posId : refuse(404, 'UNKNOWN_TERMINAL', 'No terminal has this id.');
}
