// Refund routes of docs/rail.md. GPO and PPR share these URLs, so the signing key determines the rail.
import Router from '@koa/router';
import { parseBody } from './body.ts';
import { findOrder, recordOrder } from './charges.ts';
import { answerWithFault, claimFault, claimRequestFault } from './faults.ts';
import { refuse } from './refusal.ts';
import { findMoney, type ReceivedMoney } from './refund-plans.ts';
import { refundRequest } from './requests.ts';
import { requireSignature } from './signed.ts';
import type { RailName, Simulation } from './simulation.ts';
import { findRefundScript } from './test-numbers.ts';
import { railOf, viewOrder, type OrderRow } from './view.ts';

/** The routes of refunds, which the gateway calls. */
export function refundRoutes(sim: Simulation): Router {
  const router = new Router({ prefix: '/v1' });
  router.use(requireSignature(sim, 'gpo', 'ppr'));

  const findOwn = async (id: string, rails: RailName[]): Promise<OrderRow | null> => {
    const order = await findOrder(sim, ['refund'], id);
    return order && rails.includes(railOf(order)) ? order : null;
  };

  router.post('/refunds', async (ctx) => {
    const rails = ctx.state.signedFor as RailName[];
    const received = parseBody(refundRequest, ctx.state.body as Buffer);
    // If both rails have the same key, the refund belongs to the rail that has the money.
    const targets = rails.map((rail) => (rail === 'gpo' ? 'order' : 'reference'));
    const found = await Promise.all(targets.map((target) => findMoney(sim.pool, { ...received, target })));
    const nth = Math.max(found.findIndex(Boolean), 0);
    const request = { ...received, target: targets[nth] as 'order' | 'reference' };
    const fault = await claimRequestFault(sim, 'refund', faultKeyOf(found[nth]), findRefundScript(received.amount));
    await answerWithFault(sim, ctx, fault, async () => {
      const { order, isNew, isSame } = await recordOrder(sim, request);
      if (!isSame) refuse(409, 'REFUND_CHANGED', 'This id belongs to another refund or order.');
      ctx.status = isNew ? 202 : 200;
      ctx.body = await viewOrder(sim.pool, (await findOwn(request.id, rails)) ?? order);
    });
  });

  router.get('/refunds/:id', async (ctx) => {
    const order = await findOwn(ctx.params.id ?? '', ctx.state.signedFor as RailName[]);
    await answerWithFault(sim, ctx, await claimFault(sim.pool, 'refund_query', faultKeyOf(order)), async () => {
      if (!order) refuse(404, 'UNKNOWN_REFUND', 'No refund has this id.');
      ctx.body = await viewOrder(sim.pool, order);
    });
  });
  return router;
}

/** The key that selects a refund's faults: the payer's phone, or the digits of the paid reference. */
function faultKeyOf(money: Pick<ReceivedMoney, 'phone' | 'reference'> | null | undefined): string | null {
  return money ? money.phone || money.reference : null;
}
