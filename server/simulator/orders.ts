// Orders at the rail: recorded once, decided once, each decision with its notification.
import type { PoolClient } from 'pg';
import type { Plan, Verdict } from './magic.ts';
import { queueNotification } from './notifications.ts';
import { periodOf } from './periods.ts';
import { planOrder, type OrderRequest } from './plans.ts';
import { takePlace, withdrawQrCode } from './places.ts';
import type { Simulation } from './simulator.ts';
import { inTransaction, lockThing } from './tables.ts';
import { viewOrder, viewScan, type OrderKind, type OrderRow } from './view.ts';

export type Recorded = { order: OrderRow; isNew: boolean; isSame: boolean };

/** Records an order, and decides it where that takes no time; or counts one more call for the one with this id. */
export async function recordOrder(sim: Simulation, request: OrderRequest): Promise<Recorded> {
  // A step's authorization may be due: it is decided before the step looks at it.
  if (request.parentId) await decideDueOrders(sim);
  const recorded = await inTransaction(sim.pool, async (db) => {
    // Two steps of one authorization, or a void before its target, come one after the other.
    if (request.kind !== 'purchase') await lockThing(db, request.parentId ?? request.id);
    const { plan, found } = await planOrder(db, sim, request);
    const order = await insertOrder(db, sim, { ...request, ...found }, plan);
    const same = Object.keys(COLUMNS) as (keyof OrderRequest)[];
    const isSame = same.every((field) => field in found || order[COLUMNS[field]] === request[field]);
    const isNew = order.calls === 1;
    const decided =
      isNew && plan.afterMs === 0 ? await decideWithin(db, sim.clock.now(), order.id, plan.verdict) : null;
    return { order: decided ?? order, isNew, isSame };
  });
  sim.poke(recorded.order.status === 'PENDING' ? 'decisions' : 'notifications');
  return recorded;
}

const COLUMNS: Record<keyof OrderRequest, keyof OrderRow> = {
  id: 'id',
  kind: 'kind',
  merchantId: 'merchant_id',
  terminalId: 'terminal_id',
  reference: 'reference',
  phone: 'phone',
  amount: 'amount',
  currency: 'currency',
  description: 'description',
  parentId: 'parent_id',
  target: 'target',
};

/** Adds a pending order with what it will come to by itself. */
export async function insertOrder(db: PoolClient, sim: Simulation, order: OrderRequest, plan: Plan): Promise<OrderRow> {
  const now = sim.clock.now();
  const after = (ms: number) => new Date(now.getTime() + ms);
  const asked = (Object.keys(COLUMNS) as (keyof OrderRequest)[]).map((field) => order[field]);
  const { rows } = await db.query<OrderRow>(
    `insert into simulator.purchases (${Object.values(COLUMNS).join(', ')},
       status, created_at, expires_at, verdict, decide_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'PENDING', $12, $13, $14, $15)
     on conflict (id) do update set calls = purchases.calls + 1
     returning *`,
    [...asked, now, after(sim.windowMs), plan.verdict, after(plan.afterMs)],
  );
  return rows[0] as OrderRow;
}

/** An order as it stands now: what is due is decided first, should the loop be a moment late. */
export async function findOrder(sim: Simulation, kinds: OrderKind[], id: string): Promise<OrderRow | null> {
  await decideDueOrders(sim);
  const { rows } = await sim.pool.query<OrderRow>(
    'select * from simulator.purchases where id = $1 and kind = any($2)',
    [id, kinds],
  );
  return rows[0] ?? null;
}

/** Decides every order whose time has come; says when the next one will be due. */
export async function decideDueOrders(sim: Simulation): Promise<Date | null> {
  const { rows } = await sim.pool.query<{ id: string; verdict: Verdict; decide_at: Date }>(
    `select id, verdict, decide_at from simulator.purchases where decide_at is not null order by decide_at limit 200`,
  );
  for (const { id, verdict, decide_at: decideAt } of rows) {
    if (decideAt > sim.clock.now()) return decideAt;
    await decideOrder(sim, id, verdict, 'script');
  }
  return rows.length > 0 ? sim.clock.now() : null;
}

/**
 * Decides a pending order, by its script (a push that runs out included) or by the payer while there is time.
 * One conditional update lets exactly one of them win; null for the others.
 */
export async function decideOrder(
  sim: Simulation,
  id: string,
  verdict: Verdict,
  by: keyof typeof DECIDERS,
): Promise<OrderRow | null> {
  const decided = await inTransaction(sim.pool, (db) => decideWithin(db, sim.clock.now(), id, verdict, by));
  if (decided) sim.poke('notifications');
  return decided;
}

/** The same inside a transaction. */
export async function decideWithin(
  db: PoolClient,
  now: Date,
  id: string,
  verdict: Verdict,
  by: keyof typeof DECIDERS = 'script',
): Promise<OrderRow | null> {
  const { decidedAt, inTime } = DECIDERS[by];
  const status = verdict === 'APPROVED' ? 'APPROVED' : 'DECLINED';
  const reason = verdict === 'APPROVED' ? null : verdict;
  const { rows } = await db.query<OrderRow>(
    `update simulator.purchases set status = $3, reason = $4, decided_at = ${decidedAt}, decide_at = null
     where id = $1 and status = 'PENDING' and ${inTime} returning *`,
    [id, now, status, reason],
  );
  if (!rows[0]) return null;
  const decided = verdict === 'APPROVED' ? await APPROVALS[rows[0].kind](db, rows[0]) : rows[0];
  await tellDecision(db, decided);
  return decided;
}

/** A script's decision carries the time it was due, also when the rail was down then. */
const DECIDERS = {
  script: { decidedAt: 'decide_at', inTime: 'decide_at <= $2' },
  payer: { decidedAt: '$2', inTime: `expires_at > $2 and kind in ('purchase', 'authorization')` },
  void: { decidedAt: '$2', inTime: 'true' },
};

/** What an approval does, by kind. */
const APPROVALS: Record<OrderKind, (db: PoolClient, order: OrderRow) => Promise<OrderRow>> = {
  purchase: bookTransaction,
  authorization: bookTransaction,
  capture: bookTransaction,
  async void(db, order) {
    const [targetId, at] = [order.parent_id as string, order.decided_at as Date];
    // What an approved authorization holds is released by this void's being there (view.ts, splitHold).
    if (order.target === 'qrcode') await withdrawQrCode(db, targetId, at);
    else await decideWithin(db, at, targetId, 'VOIDED', 'void');
    return order;
  },
  async scan(db, order) {
    const refusal = await takePlace(db, order.parent_id as string, order.decided_at as Date);
    if (!refusal) return bookTransaction(db, order);
    const { rows } = await db.query<OrderRow>(
      `update simulator.purchases set status = 'DECLINED', reason = $2 where id = $1 returning *`,
      [order.id, refusal],
    );
    return rows[0] as OrderRow;
  },
};

/** Gives the money its numbers. The id is never used twice, even by a simulator that lost its data. */
async function bookTransaction(db: PoolClient, order: OrderRow): Promise<OrderRow> {
  const decidedAt = order.decided_at as Date;
  const { rows } = await db.query<OrderRow>(
    `with number as (
       insert into simulator.periods values ($2, $3, 1)
       on conflict (terminal_id, period) do update set last_number = periods.last_number + 1 returning last_number)
     update simulator.purchases
     set transaction_number = (select last_number from number), clearing_period = $3,
       transaction_id = $4 || lpad((nextval('simulator.transaction_ids') % 100000)::text, 5, '0')
     where id = $1 returning *`,
    [order.id, order.terminal_id, periodOf(decidedAt), String(decidedAt.getTime())],
  );
  return rows[0] as OrderRow;
}

async function tellDecision(db: PoolClient, order: OrderRow): Promise<void> {
  const { id: aboutId, kind, phone, status } = order;
  const about = { rail: 'gpo', aboutId, whose: phone || null, at: order.decided_at as Date } as const;
  if (kind !== 'scan') {
    return queueNotification(db, { ...about, type: kind, name: kind, thing: await viewOrder(db, order) });
  }
  // Only money is told: nobody waits for a refused scan.
  if (status === 'APPROVED') {
    await queueNotification(db, { ...about, type: 'qrcode_payment', name: 'payment', thing: viewScan(order) });
  }
}
