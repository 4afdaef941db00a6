// The simulated rails' records: every order, code and reference with totals, to compare with the gateway's records.
import { addMinor, toDecimal } from '../../shared/money.ts';
import { readPprRecords } from './ledger-export.ts';
import { readSmsRecords } from './outbox.ts';
import { viewQrCode } from './qrcodes.ts';
import { query, type OrderKind } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { findApprovedSteps, railOf, readMinor, splitHold, writeOrder, type OrderRow } from './view.ts';

type BookRow = OrderRow & { notifications: number; notified: number };

/** The rails' records, or those with one reference, oldest first. `data` and totals without a kind: purchases. */
export async function readRailRecords(sim: Simulation, reference: string | null) {
  const rows = await listOrders(reference).all(sim.pool);
  const of = (kind: OrderKind) => rows.filter((row) => row.kind === kind);
  const refunds = of('refund').map((row) => ({ ...writeOrder(row, []), ...viewTraffic(row), rail: railOf(row) }));
  const authorizations = await findHolds(sim, of('authorization'));
  return {
    totals: { ...sumPurchases(of('purchase')), holds: sumHolds(authorizations) },
    data: of('purchase').map((row) => ({ ...writeOrder(row, []), ...viewTraffic(row) })),
    authorizations,
    captures: of('capture').map((row) => ({ ...writeOrder(row, []), ...viewTraffic(row) })),
    voids: of('void').map((row) => ({ ...writeOrder(row, []), ...viewTraffic(row) })),
    refunds,
    refundTotals: sumRefunds(of('refund')),
    qrcodes: await listQrCodes(sim, reference),
    ...(await readPprRecords(sim.pool, reference, sim.clock.now())),
    messages: await readSmsRecords(sim.pool, reference),
  };
}

function listOrders(reference: string | null) {
  return query((tables) => {
    const orders = tables
      .selectFrom('purchases as p')
      .leftJoin('notifications as n', 'n.purchaseId', 'p.id')
      .selectAll('p')
      .select((eb) => [
        eb.fn.coalesce(eb.fn.sum<number>('n.attempts'), eb.lit(0)).as('notifications'),
        eb.fn.count<number>('n.deliveredAt').as('notified'),
      ])
      .where('p.kind', '<>', 'scan')
      .groupBy('p.id')
      .orderBy('p.createdAt')
      .orderBy('p.id');
    return reference === null ? orders : orders.where('p.reference', '=', reference);
  });
}

function viewTraffic({ merchantId, reference, calls, notifications, notified }: BookRow) {
  return { merchantId, reference, calls, notifications, notified };
}

/** The authorizations with their captured, voided and held amounts. Their captures may have other references. */
async function findHolds(sim: Simulation, rows: BookRow[]) {
  const ids = rows.map(({ id }) => id);
  const steps = Map.groupBy(await findApprovedSteps(sim.pool, ids), (step) => step.parentId);
  return rows.map((row) => {
    const own = steps.get(row.id) ?? [];
    return { ...writeOrder(row, own), ...viewTraffic(row), currency: row.currency, ...splitHold(row, own) };
  });
}

function sumPurchases(rows: BookRow[]) {
  const count = (status: OrderRow['status']) => rows.filter((row) => row.status === status).length;
  const approved = rows.filter((row) => row.status === 'APPROVED');
  const taken = [...Map.groupBy(approved, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    amount: sum(own, 'amount', currency),
  }));
  return {
    purchases: rows.length,
    pending: count('PENDING'),
    approved: count('APPROVED'),
    declined: count('DECLINED'),
    taken,
  };
}

/** Refunded amounts by rail and currency. */
function sumRefunds(rows: BookRow[]) {
  const approved = rows.filter(({ status }) => status === 'APPROVED');
  const series = Map.groupBy(approved, (row) => `${railOf(row)} ${row.currency}`);
  return [...series.values()].map((own) => {
    const [rail, currency] = [railOf(own[0]!), own[0]!.currency];
    return { rail, currency, count: own.length, amount: sum(own, 'amount', currency) };
  });
}

type Hold = ReturnType<typeof splitHold> & { currency: string };

/** Totals of authorizations by currency. Their invariant: captured + voided + held = authorized. */
function sumHolds(holds: Hold[]) {
  return [...Map.groupBy(holds, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    authorized: sum(own, 'authorized', currency),
    captured: sum(own, 'captured', currency),
    voided: sum(own, 'voided', currency),
    held: sum(own, 'held', currency),
  }));
}

function sum<K extends string>(rows: Record<K, string>[], field: K, currency: string): string {
  return toDecimal(addMinor(...rows.map((row) => readMinor(row[field], currency))), currency);
}

async function listQrCodes(sim: Simulation, reference: string | null) {
  const codes = query((tables) => {
    const all = tables.selectFrom('qrcodes').selectAll().orderBy('createdAt').orderBy('id');
    return reference === null ? all : all.where('reference', '=', reference);
  });
  const now = sim.clock.now();
  return Promise.all(
    (await codes.all(sim.pool)).map(async (row) => {
      const { merchantId, reference: own, amount, currency, calls } = row;
      return { ...(await viewQrCode(sim.pool, row, now)), merchantId, reference: own, amount, currency, calls };
    }),
  );
}
