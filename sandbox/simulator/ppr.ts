// The PPR rail of docs/rail.md: signed routes for payment references and their payments.
import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { parseBody } from './body.ts';
import { answerWithFault, claimFault } from './faults.ts';
import { findReference, recordReference, viewReference, withdrawReference } from './references.ts';
import { refuse } from './refusal.ts';
import { referenceRequest } from './requests.ts';
import { requireSignature } from './signed.ts';
import type { Simulation } from './simulation.ts';
import { listPublishedAfter, listPublishedPayments, publishDue } from './reference-payments.ts';

/** The routes of the PPR rail, which the gateway calls. */
export function pprRoutes(sim: Simulation): Router {
  const router = new Router({ prefix: '/v1' });
  router.use(requireSignature(sim, 'ppr'));

  router.put('/references/:id', async (ctx) => {
    const request = { ...parseBody(referenceRequest, ctx.state.body as Buffer), id: readId(ctx) };
    const fault = await claimFault(sim.pool, 'reference_register', request.reference);
    await answerWithFault(sim, ctx, fault, async () => {
      await publishDue(sim);
      const { row, isNew, isSame } = await recordReference(sim, request);
      if (!isSame) refuse(409, 'REFERENCE_CHANGED', 'This id belongs to a reference with other content.');
      ctx.status = isNew ? 201 : 200;
      ctx.body = viewReference(row, sim.clock.now());
    });
  });

  router.delete('/references/:id', async (ctx) => {
    const id = readId(ctx);
    const known = await findReference(sim.pool, id);
    const fault = await claimFault(sim.pool, 'reference_withdraw', known?.reference ?? null);
    await answerWithFault(sim, ctx, fault, async () => {
      await publishDue(sim);
      ctx.body = viewReference(await withdrawReference(sim, id), sim.clock.now());
    });
  });

  router.get('/references/:id', async (ctx) => {
    await publishDue(sim);
    const row = await findReference(sim.pool, readId(ctx));
    await answerWithFault(sim, ctx, await claimFault(sim.pool, 'reference_query', row?.reference ?? null), async () => {
      if (!row) refuse(404, 'UNKNOWN_REFERENCE', 'No reference has this id.');
      ctx.body = { ...viewReference(row, sim.clock.now()), payments: await listPublishedPayments(sim.pool, row.id) };
    });
  });

  router.get('/payments', async (ctx) => {
    const parsed = pageRequest.safeParse(ctx.query);
    if (!parsed.success) refuse(400, 'BAD_REQUEST', z.prettifyError(parsed.error));
    const { after, limit } = parsed.data;
    await answerWithFault(sim, ctx, await claimFault(sim.pool, 'payments_list', null), async () => {
      await publishDue(sim);
      ctx.body = await listPublishedAfter(sim.pool, after, limit);
    });
  });
  return router;
}

const pageRequest = z.object({
  after: z
    .string()
    .regex(/^\d{1,18}$/)
    .default('0'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

function readId({ params }: Pick<Context, 'params'>): string {
  const { data, error } = z.uuid().safeParse(params.id);
  return error ? refuse(400, 'BAD_REQUEST', 'The id of a reference must be a UUID.') : data;
}
