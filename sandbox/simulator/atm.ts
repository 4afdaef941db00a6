// The simulator's routes for payers of references: cash machines, counters and internet banking.
// These routes are unsigned, so the app that mounts them must guard them.
import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import { z } from 'zod';
import { toDecimal, toMinor } from '../../shared/money.ts';
import { parseBody, readBody } from './body.ts';
import { claimFault } from './faults.ts';
import {
  findByDigits,
  lockByDigits,
  digitsLockName,
  referenceStatusOf,
  viewReference,
  type ReferenceRow,
} from './references.ts';
import { refuse } from './refusal.ts';
import type { Simulation } from './simulation.ts';
import { inTransaction, lockIds } from './tables.ts';
import type { Payment } from './schema.ts';
import {
  findPayment,
  insertPayment,
  publishInTransaction,
  queuePaymentNotification,
  type PaymentRow,
} from './reference-payments.ts';
import { HOUR_MS } from '../../shared/durations.ts';

/** The routes of cash machines, counters, internet banking and the banking app. */
export function atmRoutes(sim: Simulation): Router {
  const router = new Router();

  router.post('/atm/read', async (ctx) => {
    const { entity, reference } = parseBody(digits, await readBody(ctx.req));
    const now = sim.clock.now();
    const row = chooseReference(await findByDigits(sim.pool, entity, reference), now);
    const { id: _, ...shown } = viewReference(row, now, 'taken');
    ctx.body = shown;
  });

  router.post('/atm/payments', async (ctx) => {
    const order = parseBody(paying, await readBody(ctx.req));
    if (await claimFault(sim.pool, 'atm', order.reference)) {
      refuse(503, 'UNAVAILABLE', 'The rail is temporarily unavailable.');
    }
    ctx.body = { payments: await payReference(sim, order) };
    ctx.status = 201;
  });

  router.get('/atm/payments/:transactionId', async (ctx) => {
    ctx.body = (await requirePayment(sim, ctx.params.transactionId ?? '')).payment;
  });

  // Repeats a payment's notification. Real rails do that days later, after clearing.
  router.post('/atm/payments/:transactionId/repeat', async (ctx) => {
    const { newId } = parseBody(repeating, await readBody(ctx.req));
    const row = await requirePayment(sim, ctx.params.transactionId ?? '');
    const id = newId ? randomUUID() : row.notificationId;
    await inTransaction(sim.pool, (db) => queuePaymentNotification(db, row, sim.clock.now(), id));
    sim.poke('notifications');
    ctx.body = { id };
    ctx.status = 201;
  });
  return router;
}

async function requirePayment(sim: Simulation, transactionId: string): Promise<PaymentRow> {
  const row = await findPayment(sim.pool, transactionId);
  return row ?? refuse(404, 'UNKNOWN_PAYMENT', 'No payment has this id.');
}

/** Chooses the payable reference, otherwise the newest with these digits. @throws Refusal UNKNOWN_REFERENCE */
function chooseReference(rows: ReferenceRow[], now: Date): ReferenceRow {
  const live = rows.find((row) => referenceStatusOf(row, now, 'taken') === 'ACTIVE');
  return live ?? rows[0] ?? refuse(404, 'UNKNOWN_REFERENCE', 'No reference has these digits.');
}

const REFUSALS: Partial<Record<string, string>> = {
  PAID: 'This reference has been paid.',
  EXPIRED: 'This reference’s time is over.',
  WITHDRAWN: 'This reference was withdrawn.',
};

/** Takes the money for a reference once, or twice as a fault. Concurrent payments of the same digits run in turn. */
async function payReference(sim: Simulation, order: z.output<typeof paying>): Promise<Payment[]> {
  const { entity, reference, channel, fault } = order;
  const payments = await inTransaction(sim.pool, async (db) => {
    await lockIds(db, digitsLockName(entity, reference));
    // A concurrent withdrawal of the reference waits for this lock. An earlier withdrawal is visible in these rows.
    const rows = await lockByDigits(db, entity, reference);
    const at = sim.clock.now();
    const row = chooseReference(rows, at);
    const status = referenceStatusOf(row, at, 'taken');
    const refusal = REFUSALS[status];
    if (refusal && fault !== 'late') refuse(409, `REFERENCE_${status}`, refusal);
    const publicAt = fault === 'notify_later' ? new Date(at.getTime() + HOUR_MS) : at;
    const taking = { amount: readPaid(row, order), channel, at, publicAt, isLost: fault === 'lost' };
    const taken = [];
    for (let copies = fault === 'twice' ? 2 : 1; copies > 0; copies--) {
      taken.push(await insertPayment(db, row, taking));
    }
    if (publicAt <= at) await publishInTransaction(db, at);
    return taken;
  });
  sim.poke(fault === 'notify_later' ? 'publications' : 'notifications');
  return payments;
}

/** The amount paid to a reference: its fixed amount, or the payer's choice. */
function readPaid(row: ReferenceRow, { amount, fault }: z.output<typeof paying>): string {
  const read = toMinor(amount ?? row.amount ?? '', row.currency);
  const isMoney = 'minor' in read && read.minor > 0;
  const paid = isMoney ? toDecimal(read.minor, row.currency) : '';
  if (!isMoney || (row.amount !== null && fault !== 'wrong_amount' && paid !== row.amount)) {
    refuse(400, 'WRONG_AMOUNT', row.amount === null ? 'Choose an amount.' : 'This reference asks for another amount.');
  }
  return paid;
}

/** The digits of a reference as people type them, with spaces. */
const typed = z
  .string()
  .regex(/^[^\0]{0,64}$/)
  .transform((text) => text.replace(/\s/g, ''));

const digits = z.object({ entity: typed, reference: typed });

const paying = digits.extend({
  amount: z
    .string()
    .nullish()
    .transform((text) => text ?? null),
  channel: z.enum(['ATM', 'POS', 'IB', 'MB']).default('ATM'),
  fault: z.enum(['twice', 'late', 'wrong_amount', 'notify_later', 'lost']).nullish(),
});

const repeating = z.object({ newId: z.boolean().default(false) });
