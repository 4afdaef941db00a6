// The rails' books: every order, code and reference they know, and what it all comes to, to compare with the gateway's.
import { addMinor, toDecimal } from '../../shared/money.ts';
import { readCashbook } from './cashbook.ts';
import { readOutbox } from './outbox.ts';
import type { QrRow } from './places.ts';
import { viewQrCode } from './qrcodes.ts';
import type { Simulation } from './simulator.ts';
import { findApprovedSteps, readMinor, splitHold, writeOrder, type OrderKind, type OrderRow } from './view.ts';

type BookRow = OrderRow & { notifications: number; notified: number };

/** Everything, or what has this reference, oldest first; `data` and the plain totals are of purchases. */
export async function readBooks(sim: Simulation, reference: string | null) {
  const { rows } = await sim.pool.query<BookRow>(
    `select p.*, coalesce(sum(n.attempts), 0)::int as notifications, count(n.delivered_at)::int as notified
     from simulator.purchases p left join simulator.notifications n on n.purchase_id = p.id
     where ($1::text is null or p.reference = $1) and p.kind <> 'scan'
     group by p.id order by p.created_at, p.id`,
    [reference],
  );
  const of = (kind: OrderKind) => rows.filter((row) => row.kind === kind);
  const authorizations = await findHolds(sim, of('authorization'));
  return {
    totals: { ...sumPurchases(of('purchase')), holds: sumHolds(authorizations) },
    data: of('purchase').map((row) => ({ ...writeOrder(row, []), ...viewTraffic(row) })),
    authorizations,
    captures: of('capture').map((row) => ({ ...writeOrder(row, []), ...viewTraffic(row) })),
    voids: of('void').map((row) => ({ ...writeOrder(row, []), ...viewTraffic(row) })),
    qrcodes: await listQrCodes(sim, reference),
    ...(await readCashbook(sim.pool, reference, sim.clock.now())),
    messages: await readOutbox(sim.pool, reference),
  };
}

function viewTraffic({ merchant_id: merchantId, reference, calls, notifications, notified }: BookRow) {
  return { merchantId, reference, calls, notifications, notified };
}

/** Authorizations with where their money is; their captures may have other references. */
async function findHolds(sim: Simulation, rows: BookRow[]) {
  const ids = rows.map(({ id }) => id);
  const steps = Map.groupBy(await findApprovedSteps(sim.pool, ids), (step) => step.parent_id);
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

type Hold = ReturnType<typeof splitHold> & { currency: string };

/** By currency: captured + voided + held = authorized, always. */
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
  const { rows } = await sim.pool.query<QrRow>(
    'select * from simulator.qrcodes where $1::text is null or reference = $1 order by created_at, id',
    [reference],
  );
  const now = sim.clock.now();
  return Promise.all(
    rows.map(async (row) => {
      const { merchant_id: merchantId, reference: own, amount, currency, calls } = row;
      return { ...(await viewQrCode(sim.pool, row, now)), merchantId, reference: own, amount, currency, calls };
    }),
  );
}
