// The rail's side of docs/rail.md: purchases and their status, signed.
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { z } from 'zod';
import { toDecimal, toMinor } from '../../shared/money.ts';
import { verifySignature } from '../http/signature.ts';
import { parseBody, readBody } from './body.ts';
import { answerWithFault, claimFault, type Fault } from './faults.ts';
import { findScript } from './magic.ts';
import { findPurchase, recordPurchase } from './purchases.ts';
import { refuse } from './refusal.ts';
import type { Simulation } from './simulator.ts';
import { viewPurchase } from './view.ts';

/** What the gateway calls. */
export function railRoutes(sim: Simulation): Router {
  const router = new Router({ prefix: '/v1' });
  router.use(requireSignature(sim));

  router.post('/purchases', async (ctx) => {
    const request = parseBody(purchaseRequest, ctx.state.body as Buffer);
    const scripted = findScript(request.phone).purchaseFault;
    const fault: Fault | null =
      (await claimFault(sim.pool, 'purchase', request.phone)) ?? (scripted ? { kind: scripted, delayMs: 0 } : null);
    await answerWithFault(sim, ctx, fault, async () => {
      const { purchase, isNew, isSame } = await recordPurchase(sim, request);
      if (!isSame) refuse(409, 'PURCHASE_CHANGED', 'This id belongs to a purchase with other content.');
      ctx.status = isNew ? 202 : 200;
      ctx.body = viewPurchase((await findPurchase(sim, request.id)) ?? purchase);
    });
  });

  router.get('/purchases/:id', async (ctx) => {
    const purchase = await findPurchase(sim, ctx.params.id ?? '');
    const fault = await claimFault(sim.pool, 'query', purchase?.phone ?? null);
    await answerWithFault(sim, ctx, fault, async () => {
      if (!purchase) refuse(404, 'UNKNOWN_PURCHASE', 'No purchase has this id.');
      ctx.body = viewPurchase(purchase);
    });
  });
  return router;
}

function requireSignature(sim: Simulation): Middleware {
  return async (ctx, next) => {
    const body = await readBody(ctx.req);
    const message = { method: ctx.method, path: ctx.url, body };
    if (!verifySignature(sim.key, message, ctx.headers, sim.clock.now())) {
      refuse(401, 'BAD_SIGNATURE', 'Rail-Timestamp and Rail-Signature do not sign this message, or are too old.');
    }
    ctx.state.body = body;
    await next();
  };
}

const text = z.string().regex(/^[^\0]{1,64}$/);

const purchaseRequest = z
  .object({
    id: z.uuid(),
    merchantId: text,
    terminalId: text,
    reference: z.string().regex(/^[A-Za-z0-9-]{1,15}$/),
    phone: z.string().regex(/^\+2449\d{8}$/),
    amount: z.string(),
    // Aborts: the amount cannot be checked without it.
    currency: z.string().regex(/^[A-Z]{3}$/, { abort: true }),
    description: z
      .string()
      .regex(/^[^\0]*$/)
      .nullish()
      .transform((value) => value ?? null),
  })
  .refine(({ amount, currency }) => isAmount(amount, currency), {
    path: ['amount'],
    message: 'must be above zero, as text with exactly the decimals of its currency',
  });

function isAmount(amount: string, currency: string): boolean {
  const read = toMinor(amount, currency);
  return 'minor' in read && read.minor > 0 && toDecimal(read.minor, currency) === amount;
}
