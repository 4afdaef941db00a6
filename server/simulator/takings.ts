// Money paid to references: taken at once, known to everybody when its time has come, each with its place in the list.
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { queueNotification } from './notifications.ts';
import { numberPayment } from './periods.ts';
import type { ReferenceRow } from './references.ts';
import type { Simulation } from './simulator.ts';
import { inTransaction, lockThing } from './tables.ts';

/** A payment as the rail writes it (docs/rail.md). */
export type Payment = {
  transactionId: string;
  entity: string;
  reference: string;
  amount: string;
  currency: string;
  paidAt: string;
  period: string;
  number: string;
  terminal: { type: Channel; id: string; location: string };
  nib: string | null;
  bank: string | null;
};

export type PaymentRow = {
  transaction_id: string;
  reference_id: string;
  payment: Payment;
  public_at: Date;
  /** Its place in the list of all; null until everybody may know it. */
  position: string | null;
  is_lost: boolean;
  notification_id: string;
};

export type Channel = 'ATM' | 'POS' | 'IB' | 'MB';

/** What the rail says of where and from which account somebody paid. */
const CHANNELS: Record<Channel, Pick<Payment, 'terminal' | 'nib' | 'bank'>> = {
  ATM: {
    terminal: { type: 'ATM', id: '0000012345', location: 'Luanda Ilha' },
    nib: '004400006729503010102',
    bank: 'Banco da Baía',
  },
  // Paid in cash at a counter.
  POS: { terminal: { type: 'POS', id: '0000067890', location: 'Luanda Talatona' }, nib: null, bank: null },
  IB: {
    terminal: { type: 'IB', id: '0000000044', location: 'Internet' },
    nib: '004400006729503010102',
    bank: 'Banco da Baía',
  },
  MB: {
    terminal: { type: 'MB', id: '0000000000', location: 'Internet' },
    nib: '005500001883402710174',
    bank: 'Banco do Planalto',
  },
};

export type Taking = { amount: string; channel: Channel; at: Date; publicAt: Date; isLost: boolean };

/** Takes money for a reference, whatever its state: whoever calls has looked at that. */
export async function insertPayment(db: PoolClient, row: ReferenceRow, taking: Taking): Promise<Payment> {
  const { id: referenceId, entity, reference, currency } = row;
  const { amount, channel, at, publicAt, isLost } = taking;
  const { transactionId, period, number } = await numberPayment(db, entity, at);
  const money = { transactionId, entity, reference, amount, currency, paidAt: at.toISOString() };
  const payment = { ...money, period, number, ...CHANNELS[channel] };
  await db.query(
    `insert into simulator.ppr_payments (transaction_id, reference_id, payment, public_at, is_lost, notification_id)
     values ($1, $2, $3, $4, $5, $6)`,
    [transactionId, referenceId, JSON.stringify(payment), publicAt, isLost, randomUUID()],
  );
  return payment;
}

/** Tells everybody of the payments whose time has come; says when the next one's will. */
export async function publishDue(sim: Simulation): Promise<Date | null> {
  const next = await findNext(sim.pool);
  if (!next || next > sim.clock.now()) return next;
  await inTransaction(sim.pool, (db) => publishWithin(db, sim.clock.now()));
  sim.poke('notifications');
  return findNext(sim.pool);
}

async function findNext(pool: Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ next: Date | null }>(
    'select min(public_at) as next from simulator.ppr_payments where position is null',
  );
  return rows[0]?.next ?? null;
}

/**
 * The same inside a transaction. Places are given one transaction after the other: none that becomes visible later
 * stands before one that was seen.
 */
export async function publishWithin(db: PoolClient, now: Date): Promise<void> {
  await lockThing(db, 'the places of payments');
  const { rows } = await db.query<PaymentRow>(
    `update simulator.ppr_payments set position = due.place
     from (select transaction_id as due_id, (select coalesce(max(position), 0) from simulator.ppr_payments)
         + row_number() over (order by public_at, seq) as place
       from simulator.ppr_payments where position is null and public_at <= $1) due
     where transaction_id = due.due_id returning *`,
    [now],
  );
  const inOrder = rows.toSorted((a, b) => Number(a.position) - Number(b.position));
  for (const row of inOrder) if (!row.is_lost) await tellPayment(db, row, now);
}

/** Queues the notification of a payment: the first one, or a repetition with the id of the first or with another. */
export async function tellPayment(db: PoolClient, row: PaymentRow, at: Date, id = row.notification_id): Promise<void> {
  const { payment, transaction_id: aboutId } = row;
  const news = { rail: 'ppr', type: 'reference_payment', name: 'payment', thing: payment } as const;
  await queueNotification(db, { ...news, id, aboutId, whose: payment.reference, at });
}

/** One payment, known to everybody or not yet. */
export async function findPayment(pool: Pool, transactionId: string): Promise<PaymentRow | null> {
  const { rows } = await pool.query<PaymentRow>('select * from simulator.ppr_payments where transaction_id = $1', [
    transactionId,
  ]);
  return rows[0] ?? null;
}

/** What everybody may know of a reference's payments, oldest first. */
export async function listOfReference(pool: Pool, referenceId: string): Promise<Payment[]> {
  const { rows } = await pool.query<PaymentRow>(
    'select * from simulator.ppr_payments where reference_id = $1 and position is not null order by position',
    [referenceId],
  );
  return rows.map(({ payment }) => payment);
}

/** A page of everything that everybody may know, behind a place; and the place it ends at. */
export async function listAfter(
  pool: Pool,
  after: string,
  limit: number,
): Promise<{ payments: Payment[]; next: string }> {
  const { rows } = await pool.query<PaymentRow>(
    'select * from simulator.ppr_payments where position > $1 order by position limit $2',
    [after, limit],
  );
  return { payments: rows.map(({ payment }) => payment), next: rows.at(-1)?.position ?? after };
}
