// The simulator's routes for payers: the pushes on a phone, and the payer's answers.
// These routes are unsigned, so the app that mounts them must guard them.
import Router from '@koa/router';
import { z } from 'zod';
import { normalizePhone } from '../../shared/phone.ts';
import { parseBody, readBody } from './body.ts';
import { REASONS, type PhoneVerdict } from './test-numbers.ts';
import { decideDueOrders, decideOrder, findOrder } from './charges.ts';
import { refuse } from './refusal.ts';
import { prepared, type OrderKind } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { viewPush } from './view.ts';

/** Number of decided pushes that stay visible on a phone. */
const DECIDED_SHOWN = 10;

/** The kinds of orders for which a phone shows a push. */
const PUSHED: OrderKind[] = ['purchase', 'authorization'];

/** The routes of the sandbox's test phones. */
export function peopleRoutes(sim: Simulation): Router {
  const router = new Router();

  router.get('/phones', async (ctx) => {
    await decideDueOrders(sim);
    ctx.body = { data: await countWaiting.all(sim.pool, {}) };
  });

  router.get('/phones/:phone/pushes', async (ctx) => {
    const phone = normalizePhone(ctx.params.phone ?? '');
    if (!phone) refuse(400, 'BAD_PHONE', 'A phone has nine digits and begins with 9.');
    await decideDueOrders(sim);
    ctx.body = { data: (await listPushes.all(sim.pool, { phone })).map(viewPush) };
  });

  const decide = async (id: string, verdict: PhoneVerdict) => {
    const decided = await decideOrder(sim, id, verdict, 'payer');
    if (decided) return viewPush(decided);
    if (await findOrder(sim, PUSHED, id))
      refuse(409, 'ALREADY_DECIDED', 'This push was already decided or has expired.');
    return refuse(404, 'UNKNOWN_PURCHASE', 'No push has this id.');
  };
  router.post('/pushes/:id/approve', async (ctx) => {
    ctx.body = await decide(ctx.params.id ?? '', 'APPROVED');
  });
  router.post('/pushes/:id/decline', async (ctx) => {
    const { reason } = parseBody(decline, await readBody(ctx.req));
    ctx.body = await decide(ctx.params.id ?? '', reason);
  });
  return router;
}

const countWaiting = prepared((tables) =>
  tables
    .selectFrom('purchases')
    .select((eb) => ['phone', eb.fn.countAll<number>().as('waiting')])
    .where('status', '=', 'PENDING')
    .where('kind', 'in', PUSHED)
    .groupBy('phone')
    .orderBy((eb) => eb.fn.max('createdAt'), 'desc'),
);

const listPushes = prepared((tables, { phone }: { phone: string }) =>
  tables
    .selectFrom((eb) => {
      const pushes = eb.selectFrom('purchases').selectAll().where('phone', '=', phone).where('kind', 'in', PUSHED);
      const decided = pushes.where('status', '<>', 'PENDING').orderBy('decidedAt', 'desc');
      return pushes
        .where('status', '=', 'PENDING')
        .unionAll(eb.parens(decided.limit(DECIDED_SHOWN)))
        .as('pushes');
    })
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc'),
);

const decline = z.object({ reason: z.enum(REASONS).default('CUSTOMER_REFUSED') });
