// A rail's list of transactions and refunds (docs/rail.md), by clearing period or since a time.
// The pages of the list follow the order of the transaction ids.
import Router from '@koa/router';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { z } from 'zod';
import { answerWithFault, claimFault } from './faults.ts';
import { refuse } from './refusal.ts';
import { prepared } from './schema.ts';
import { requireSignature } from './signed.ts';
import type { RailName, Simulation } from './simulation.ts';
import type { OrderRow } from './view.ts';

const pageRequest = z
  .object({
    rail: z.enum(['gpo', 'ppr']),
    period: z
      .string()
      .regex(/^[\x21-\x7e]{1,64}$/)
      .optional(),
    since: z.iso
      .datetime()
      .transform((time) => new Date(time))
      .optional(),
    after: z
      .string()
      .regex(/^\d{1,32}$/)
      .default(''),
    limit: z.coerce.number().int().min(1).max(500).default(100),
  })
  .refine(({ period, since }) => (period === undefined) !== (since === undefined), 'send either period or since');

/** The list's route, which the gateway calls. Both rails share the URL, so the query names the rail. */
export function movementRoutes(sim: Simulation): Router {
  const router = new Router({ prefix: '/v1' });
  router.use(requireSignature(sim, 'gpo', 'ppr'));
  router.get('/movements', async (ctx) => {
    const parsed = pageRequest.safeParse(ctx.query);
    if (!parsed.success) refuse(400, 'BAD_REQUEST', z.prettifyError(parsed.error));
    const { rail, period, since, after, limit } = parsed.data;
    if (!(ctx.state.signedFor as RailName[]).includes(rail))
      refuse(403, 'OTHER_RAIL', 'This key belongs to another rail.');
    await answerWithFault(sim, ctx, await claimFault(sim.pool, 'movements', null), async () => {
      const isKnown = period === undefined || (await findPeriod.first(sim.pool, { period }));
      if (!isKnown) refuse(404, 'UNKNOWN_PERIOD', 'This rail has no such clearing period.');
      ctx.body = await listPage(sim.pool, { rail, period: period ?? null, since: since ?? null, after, limit });
    });
  });
  return router;
}

type Page = { rail: 'gpo' | 'ppr'; period: string | null; since: Date | null; after: string; limit: number };
/** The filter of the list. It reads one row more than a page, which shows if another page follows. */
type MovementFilter = Pick<Page, 'period' | 'since' | 'after'> & { isPpr: boolean; most: number };
type Listed = { transactionId: string };

async function listPage(pool: Pool, page: Page) {
  const filter = { ...page, isPpr: page.rail === 'ppr', most: page.limit + 1 };
  const orders = (await listOrders.all(pool, filter)).map((row) => ({
    type: row.kind === 'refund' ? 'REFUND' : 'PAYMENT',
    // The gateway knows the QR code of a scan, but not the scan itself.
    id: row.kind === 'scan' ? row.parentId : row.id,
    transactionId: String(row.transactionId),
    amount: row.amount,
    currency: row.currency,
    occurredAt: (row.decidedAt ?? row.createdAt).toISOString(),
    period: row.clearingPeriod,
    ...(row.kind === 'purchase' && { order: writePurchase(row) }),
  }));
  const cash = filter.isPpr ? await listCash.all(pool, filter) : [];
  const paid = cash.map(({ referenceId, payment: { transactionId, amount, currency, paidAt, period } }) => {
    return { type: 'PAYMENT', id: referenceId, transactionId, amount, currency, occurredAt: paidAt, period };
  });
  const all = [...orders, ...paid].toSorted(byNumber);
  const movements = all.slice(0, page.limit);
  return { movements, next: all.length > page.limit ? (movements.at(-1)?.transactionId ?? null) : null };
}

function writePurchase({ merchantId, terminalId, reference, phone, amount, currency, ours }: OrderRow) {
  const kept = ours === null ? {} : { ours: JSON.parse(ours) as object };
  return { kind: 'PURCHASE', merchantId, terminalId, reference, phone, amount, currency, ...kept };
}

const byNumber = (a: Listed, b: Listed) => (a.transactionId < b.transactionId ? -1 : 1);

const findPeriod = prepared((tables, { period }: { period: string }) =>
  tables.selectFrom('periods').select('period').where('period', '=', period).limit(1),
);

const listOrders = prepared((tables, { isPpr, period, since, after, most }: MovementFilter) =>
  tables
    .selectFrom('purchases')
    .selectAll()
    .where(sql<boolean>`(${period}::text is null or clearing_period = ${period})`)
    .where(sql<boolean>`(${since}::timestamptz is null or decided_at >= ${since})`)
    .where('status', '=', 'APPROVED')
    .where('kind', 'in', ['purchase', 'capture', 'scan', 'refund'])
    .where((eb) => eb(eb.parens(eb.fn.coalesce('target', eb.val('')), '=', 'reference'), '=', isPpr))
    .where('transactionId', '>', after)
    .orderBy('transactionId')
    .limit(most),
);

/** Lists payments by reference from the time they were made, even before the rail published them. */
const listCash = prepared((tables, { period, since, after, most }: MovementFilter) =>
  tables
    .selectFrom('ppr_payments')
    .select(['referenceId', 'payment'])
    .where(sql<boolean>`(${period}::text is null or payment ->> 'period' = ${period})`)
    .where(sql<boolean>`(${since}::timestamptz is null or (payment ->> 'paidAt')::timestamptz >= ${since})`)
    .where('transactionId', '>', after)
    .orderBy('transactionId')
    .limit(most),
);
