// What testers use: faults on demand, and the rail's books to compare with. Unsigned; whoever mounts it guards it.
import Router from '@koa/router';
import type { Pool } from 'pg';
import { z } from 'zod';
import { addMinor, toDecimal, toMinor } from '../../shared/money.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { parseBody, readBody } from './body.ts';
import { clearFaults, FAULTS, listFaults, orderFault, type FaultKind, type FaultTarget } from './faults.ts';
import { decideDuePurchases } from './purchases.ts';
import type { Simulation } from './simulator.ts';
import { viewPurchase, type PurchaseRow } from './view.ts';

/** Faults and books. */
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
    await decideDuePurchases(sim);
    const { reference } = ctx.query;
    ctx.body = await readBooks(sim.pool, typeof reference === 'string' ? reference : null);
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
    delayMs: z.number().int().min(0).max(86_400_000).default(5_000),
  })
  .refine(({ on, kind }) => (FAULTS[on] as readonly string[]).includes(kind), {
    path: ['kind'],
    message: `must be one of ${JSON.stringify(FAULTS)}`,
  })
  .transform((order) => ({ ...order, kind: order.kind as FaultKind }));

type BookRow = PurchaseRow & { notifications: number; notified: number };

/** Every purchase the rail knows, oldest first, and what it all comes to. */
async function readBooks(pool: Pool, reference: string | null) {
  const { rows } = await pool.query<BookRow>(
    `select p.*, coalesce(sum(n.attempts), 0)::int as notifications, count(n.delivered_at)::int as notified
     from simulator.purchases p left join simulator.notifications n on n.purchase_id = p.id
     where $1::text is null or p.reference = $1
     group by p.id order by p.created_at, p.id`,
    [reference],
  );
  const approved = Object.groupBy(
    rows.filter((row) => row.status === 'APPROVED'),
    (row) => row.currency,
  );
  return {
    totals: {
      purchases: rows.length,
      pending: rows.filter((row) => row.status === 'PENDING').length,
      approved: rows.filter((row) => row.status === 'APPROVED').length,
      declined: rows.filter((row) => row.status === 'DECLINED').length,
      taken: Object.entries(approved).map(([currency, taken = []]) => ({ currency, amount: sum(taken, currency) })),
    },
    data: rows.map((row) => ({
      ...viewPurchase(row),
      merchantId: row.merchant_id,
      reference: row.reference,
      calls: row.calls,
      notifications: row.notifications,
      notified: row.notified,
    })),
  };
}

function sum(rows: BookRow[], currency: string): string {
  const amounts = rows.map(({ amount }) => toMinor(amount, currency));
  return toDecimal(addMinor(...amounts.map((read) => ('minor' in read ? read.minor : 0))), currency);
}
