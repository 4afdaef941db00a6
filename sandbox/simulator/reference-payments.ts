// Payments of references: recorded immediately, and published later with a position in the rail's list.
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Connection } from '../../server/database/queries.ts';
import { queueNotification } from './notifications.ts';
import { numberPayment } from './clearing-periods.ts';
import type { ReferenceRow } from './references.ts';
import { prepared, type Channel, type Payment, type Row } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { inTransaction, lockIds } from './tables.ts';

export type PaymentRow = Row<'ppr_payments'>;

/** The details of terminal and bank that the rail reports, by channel. */
const CHANNELS: Record<Channel, Pick<Payment, 'terminal' | 'nib' | 'bank'>> = {
  ATM: {
    terminal: { type: 'ATM', id: '0000012345', location: 'Luanda Ilha' },
    nib: '004400006729503010102',
    bank: 'Banco da Baía',
  },
  // The POS channel: the payer pays cash at a counter.
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

/** Records a payment for a reference in any status. The caller has checked the status. */
export async function insertPayment(db: PoolClient, row: ReferenceRow, taking: Taking): Promise<Payment> {
  const { id: referenceId, entity, reference, currency } = row;
  const { amount, channel, at, publicAt, isLost } = taking;
  const { transactionId, period, number } = await numberPayment(db, entity, at);
  const money = { transactionId, entity, reference, amount, currency, paidAt: at.toISOString() };
  const payment = { ...money, period, number, ...CHANNELS[channel] };
  await addPayment.run(db, {
    row: { transactionId, referenceId, payment, publicAt, isLost, notificationId: randomUUID() },
  });
  return payment;
}

const addPayment = prepared((tables, { row }: { row: Omit<PaymentRow, 'seq' | 'position'> }) =>
  tables.insertInto('ppr_payments').values(row),
);

/** Publishes the due payments and returns the time at which the next one is due. */
export async function publishDue(sim: Simulation): Promise<Date | null> {
  const { next } = await findNext.one(sim.pool, {});
  if (!next || next > sim.clock.now()) return next;
  await inTransaction(sim.pool, (db) => publishInTransaction(db, sim.clock.now()));
  sim.poke('notifications');
  return (await findNext.one(sim.pool, {})).next;
}

const findNext = prepared((tables) =>
  tables
    .selectFrom('ppr_payments')
    .select((eb) => eb.fn.min<Date | null>('publicAt').as('next'))
    .where('position', 'is', null),
);

/**
 * Like `publishDue`, but inside the caller's transaction.
 * The lock orders transactions, so that a position does not become visible after a higher one.
 */
export async function publishInTransaction(db: PoolClient, now: Date): Promise<void> {
  await lockIds(db, 'positions of payments');
  const rows = await assignPositions.all(db, { now });
  const inOrder = rows.toSorted((a, b) => Number(a.position) - Number(b.position));
  for (const row of inOrder) if (!row.isLost) await queuePaymentNotification(db, row, now);
}

const assignPositions = prepared((tables, { now }: { now: Date }) =>
  tables
    .updateTable('ppr_payments')
    .from((from) =>
      from
        .selectFrom('ppr_payments')
        .select((eb) => [
          'transactionId as dueId',
          eb(
            eb
              .selectFrom('ppr_payments')
              .select((last) => last.fn.coalesce(last.fn.max('position'), last.lit(0)).as('n')),
            '+',
            eb.fn.agg<number>('row_number').over((over) => over.orderBy('publicAt').orderBy('seq')),
          ).as('position'),
        ])
        .where('position', 'is', null)
        .where('publicAt', '<=', now)
        .as('due'),
    )
    .set((eb) => ({ position: eb.ref('due.position') }))
    .whereRef('transactionId', '=', 'due.dueId')
    .returningAll('ppr_payments'),
);

/** Queues a payment's notification. A repeat has the id of the first notification, or a given id. */
export async function queuePaymentNotification(
  db: PoolClient,
  row: PaymentRow,
  at: Date,
  id = row.notificationId,
): Promise<void> {
  const { payment, transactionId: aboutId } = row;
  const notification = { rail: 'ppr', type: 'reference_payment', name: 'payment', thing: payment } as const;
  await queueNotification(db, { ...notification, id, aboutId, faultKey: payment.reference, at });
}

/** Finds one payment of a reference, published or not. */
export function findPayment(db: Connection, transactionId: string): Promise<PaymentRow | null> {
  return findById.first(db, { transactionId });
}

const findById = prepared((tables, { transactionId }: { transactionId: string }) =>
  tables.selectFrom('ppr_payments').selectAll().where('transactionId', '=', transactionId),
);

/** Lists the published payments of a reference, oldest first. */
export async function listPublishedPayments(pool: Pool, referenceId: string): Promise<Payment[]> {
  return (await listPublic.all(pool, { referenceId })).map(({ payment }) => payment);
}

const listPublic = prepared((tables, { referenceId }: { referenceId: string }) =>
  tables
    .selectFrom('ppr_payments')
    .select('payment')
    .where('referenceId', '=', referenceId)
    .where('position', 'is not', null)
    .orderBy('position'),
);

/** Lists a page of published payments after a position, and returns the position at which the page ends. */
export async function listPublishedAfter(
  pool: Pool,
  after: string,
  limit: number,
): Promise<{ payments: Payment[]; next: string }> {
  const rows = await listBehind.all(pool, { after: Number(after), limit });
  return { payments: rows.map(({ payment }) => payment), next: String(rows.at(-1)?.position ?? after) };
}

const listBehind = prepared((tables, { after, limit }: { after: number; limit: number }) =>
  tables
    .selectFrom('ppr_payments')
    .select(['payment', 'position'])
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit),
);
