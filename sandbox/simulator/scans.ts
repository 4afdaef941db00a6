// The simulator's routes for payers of QR codes: reading and paying a code.
// These routes are unsigned, so the app that mounts them must guard them.
import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import { z } from 'zod';
import { normalizePhone } from '../../shared/phone.ts';
import { parseBody, readBody } from './body.ts';
import { claimRequestFault } from './faults.ts';
import { planScan } from './test-numbers.ts';
import { decideInTransaction, findOrder, insertOrder } from './charges.ts';
import { qrCodeStatusOf, type QrRow } from './qr-slots.ts';
import { findQrCode } from './qrcodes.ts';
import { refuse } from './refusal.ts';
import type { Simulation } from './simulation.ts';
import { inTransaction } from './tables.ts';
import { viewScan, type OrderRow } from './view.ts';

/** The routes of the payer's app and its camera. */
export function scanRoutes(sim: Simulation): Router {
  const router = new Router();

  const findByContent = async (content: string): Promise<QrRow> =>
    (await findQrCode(sim, 'content', content.trim())) ?? refuse(404, 'UNKNOWN_QRCODE', 'No code has this content.');

  router.post('/codes/read', async (ctx) => {
    const { content } = parseBody(reading, await readBody(ctx.req));
    ctx.body = viewForPayer(await findByContent(content), sim.clock.now());
  });

  router.post('/scans', async (ctx) => {
    const { content, phone } = parseBody(scanning, await readBody(ctx.req));
    const fault = await claimRequestFault(sim, 'scan', phone);
    if (fault) refuse(503, 'UNAVAILABLE', 'The rail is temporarily unavailable.');
    ctx.body = viewScan(await recordScan(sim, await findByContent(content), phone));
    ctx.status = 201;
  });

  router.get('/scans/:id', async (ctx) => {
    const scan = await findOrder(sim, ['scan'], ctx.params.id ?? '');
    ctx.body = viewScan(scan ?? refuse(404, 'UNKNOWN_SCAN', 'No scan has this id.'));
  });
  return router;
}

const REFUSALS: Partial<Record<string, string>> = {
  USED_UP: 'This code was paid as often as it may be.',
  ENDED: 'This code’s time is over.',
  WITHDRAWN: 'This code was withdrawn.',
};

/** Records a scan. A payment without delay takes its slot now. A refused payment is not stored. */
async function recordScan(sim: Simulation, code: QrRow, phone: string): Promise<OrderRow> {
  refuseUnlessActive(qrCodeStatusOf(code, sim.clock.now()));
  const { merchantId, terminalId, reference, amount, currency, description } = code;
  const money = { merchantId, terminalId, reference, amount, currency, description };
  const plan = planScan(phone, sim.windowMs);
  const scan = await inTransaction(sim.pool, async (db) => {
    const id = randomUUID();
    const order = { kind: 'scan', id, ...money, phone, parentId: code.id, target: null, ours: null } as const;
    const pending = await insertOrder(db, sim, order, plan);
    if (plan.afterMs > 0) return pending;
    const decided = (await decideInTransaction(db, sim.clock.now(), id, plan.verdict)) ?? pending;
    if (decided.reason) refuseUnlessActive(decided.reason);
    return decided;
  });
  sim.poke(scan.status === 'PENDING' ? 'decisions' : 'notifications');
  return scan;
}

function refuseUnlessActive(status: string): void {
  const message = REFUSALS[status];
  if (message) refuse(409, status, message);
}

function viewForPayer(code: QrRow, now: Date) {
  return {
    merchantId: code.merchantId,
    reference: code.reference,
    description: code.description,
    amount: code.amount,
    currency: code.currency,
    status: qrCodeStatusOf(code, now),
    accepted: code.accepted,
    maxTransactions: code.maxTransactions,
    endDate: code.endDate.toISOString(),
  };
}

const reading = z.object({ content: z.string().max(1_000) });

const scanning = reading.extend({
  phone: z.string().transform((phone, context) => {
    const normal = normalizePhone(phone);
    if (!normal) context.addIssue('must have nine digits and begin with 9');
    return normal ?? z.NEVER;
  }),
});
