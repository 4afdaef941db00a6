// Orders at the simulated rail: each is recorded once and decided once. Its decision queues a notification.
import { sql, type Expression, type ExpressionBuilder, type Insertable, type Kysely, type SqlBool } from 'kysely';
import type { PoolClient } from 'pg';
import { findRefundScript, type Plan, type PhoneVerdict } from './test-numbers.ts';
import { queueNotification } from './notifications.ts';
import { countUp, NEXT_SERIAL, periodOf } from './clearing-periods.ts';
import { planOrder, type OrderRequest } from './plans.ts';
import { takeSlot, withdrawQrCode } from './qr-slots.ts';
import { prepared, type OrderKind, type SimulatorTables } from './schema.ts';
import type { RailName, Simulation } from './simulation.ts';
import { inTransaction, lockIds } from './tables.ts';
import { railOf, viewOrder, viewScan, type OrderRow } from './view.ts';

export type RecordedCharge = { order: OrderRow; isNew: boolean; isSame: boolean };

/** Records an order, and decides it immediately if its plan has no delay. A repeated id only counts one more call. */
export async function recordOrder(sim: Simulation, request: OrderRequest): Promise<RecordedCharge> {
  // An authorization that is due is decided first, because its next step depends on its status.
  if (request.parentId) await decideDueAbout(sim, request.parentId);
  const recorded = await inTransaction(sim.pool, async (db) => {
    // The lock makes two steps of one authorization run in turn, and handles a void that arrives before its target.
    if (request.kind !== 'purchase') await lockIds(db, request.parentId ?? request.id);
    const { plan, inherited } = await planOrder(db, sim, request);
    const order = await insertOrder(db, sim, { ...request, ...inherited }, plan);
    const fields = Object.keys(request) as (keyof OrderRequest)[];
    // `ours` is not part of the order, because another release of the gateway may send fewer fields in it.
    const isSame = fields.every((field) => field === 'ours' || field in inherited || order[field] === request[field]);
    const isNew = order.calls === 1;
    const decided =
      isNew && plan.afterMs === 0 ? await decideInTransaction(db, sim.clock.now(), order.id, plan.verdict) : null;
    return { order: decided ?? order, isNew, isSame };
  });
  sim.poke(recorded.order.status === 'PENDING' ? 'decisions' : 'notifications');
  return recorded;
}

/** Adds a pending order with its planned verdict. */
export async function insertOrder(db: PoolClient, sim: Simulation, order: OrderRequest, plan: Plan): Promise<OrderRow> {
  const createdAt = sim.clock.now();
  const after = (ms: number) => new Date(createdAt.getTime() + ms);
  const times = { createdAt, expiresAt: after(sim.windowMs), decideAt: after(plan.afterMs) };
  return addOrder.one(db, { row: { ...order, ...times, verdict: plan.verdict, status: 'PENDING' } });
}

const addOrder = prepared((tables, { row }: { row: Insertable<SimulatorTables['purchases']> }) =>
  tables
    .insertInto('purchases')
    .values(row)
    .onConflict((on) => on.column('id').doUpdateSet((eb) => ({ calls: eb('purchases.calls', '+', eb.lit(1)) })))
    .returningAll(),
);

/** Finds an order's current state. A due order is decided first, because the loop may be late. */
export async function findOrder(sim: Simulation, kinds: OrderKind[], id: string): Promise<OrderRow | null> {
  await decideDueAbout(sim, id);
  return findOfKinds.first(sim.pool, { id, kinds });
}

const findOfKinds = prepared((tables, { id, kinds }: { id: string; kinds: OrderKind[] }) =>
  tables
    .selectFrom('purchases')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', sql<OrderKind>`any(${kinds})`),
);

/**
 * Decides every due order and returns the time at which the next one is due.
 * Only one run at a time: after an outage many orders are due, and parallel runs would read the same rows.
 */
export function decideDueOrders(sim: Simulation): Promise<Date | null> {
  const before = deciding.get(sim) ?? Promise.resolve();
  const own = before.catch(() => {}).then(() => decideDue(sim));
  deciding.set(sim, own);
  return own;
}

const deciding = new WeakMap<Simulation, Promise<unknown>>();

/** Number of parallel decisions. A commit takes most of a decision's time, and commits can run in parallel. */
const WORKERS = 3;

async function decideDue(sim: Simulation): Promise<Date | null> {
  const rows = await listUndecided.all(sim.pool, { rails: railsOf(sim) });
  const now = sim.clock.now();
  const due = rows.filter(({ decideAt }) => decideAt <= now);
  const waiting = [...Map.groupBy(due, ({ id, parentId }) => parentId ?? id).values()];
  // The steps of one order run in turn, by their due times.
  const decideFamilies = async () => {
    for (let family = waiting.shift(); family; family = waiting.shift())
      for (const { id, verdict } of family) await decideOrder(sim, id, verdict, 'script');
  };
  await Promise.all(Array.from({ length: WORKERS }, decideFamilies));
  return rows[due.length]?.decideAt ?? (rows.length > 0 ? now : null);
}

/** Decides the due steps of one order, code or transaction. They are few, even if many other orders are due. */
export async function decideDueAbout(sim: Simulation, id: string): Promise<void> {
  const rows = await listDueAbout.all(sim.pool, { id, rails: railsOf(sim), now: sim.clock.now() });
  for (const { id, verdict } of rows) await decideOrder(sim, id, verdict, 'script');
}

const railsOf = ({ rails }: Simulation) => Object.keys(rails) as RailName[];

/** Undecided orders of the rails that this simulator runs. Another simulator decides the orders of its own rails. */
function selectUndecided(tables: Kysely<SimulatorTables>, rails: RailName[]) {
  return tables
    .selectFrom('purchases')
    .select((eb) => ['id', 'parentId', 'verdict', eb.ref('decideAt').$notNull().as('decideAt')])
    .where('decideAt', 'is not', null)
    .where((eb) =>
      eb(eb.case().when('target', '=', 'reference').then('ppr').else('gpo').end(), '=', sql<string>`any(${rails})`),
    )
    .orderBy('decideAt');
}

const listUndecided = prepared((tables, { rails }: { rails: RailName[] }) =>
  selectUndecided(tables, rails).limit((eb) => eb.lit(200)),
);

const listDueAbout = prepared((tables, { id, rails, now }: { id: string; rails: RailName[]; now: Date }) =>
  selectUndecided(tables, rails)
    .where('decideAt', '<=', now)
    .where((eb) => eb.or([eb('id', '=', id), eb('parentId', '=', id)])),
);

/**
 * Decides a pending order by its script (also a timeout of a push), or by the payer before the timeout.
 * The conditional update lets exactly one decision of an order succeed. It returns null to the others.
 */
export async function decideOrder(
  sim: Simulation,
  id: string,
  verdict: PhoneVerdict,
  by: keyof typeof DECIDERS,
): Promise<OrderRow | null> {
  const decided = await inTransaction(sim.pool, (db) => decideInTransaction(db, sim.clock.now(), id, verdict, by));
  if (decided) sim.poke('notifications');
  return decided;
}

/** Like `decideOrder`, but inside the caller's transaction. */
export async function decideInTransaction(
  db: PoolClient,
  now: Date,
  id: string,
  verdict: PhoneVerdict,
  by: keyof typeof DECIDERS = 'script',
): Promise<OrderRow | null> {
  const status = verdict === 'APPROVED' ? 'APPROVED' : 'DECLINED';
  const reason = verdict === 'APPROVED' ? null : verdict;
  const row = await DECIDERS[by].first(db, { id, now, status, reason });
  if (!row) return null;
  const decided = verdict === 'APPROVED' ? await APPROVALS[row.kind](db, row) : row;
  await queueDecisionNotification(db, decided);
  return decided;
}

type Decision = { id: string; now: Date; status: 'APPROVED' | 'DECLINED'; reason: string | null };
type Pending = ExpressionBuilder<SimulatorTables, 'purchases'>;

const DECIDERS = {
  /** A script's decision gets its due time, even if the rail was down at that time. */
  script: decideWhere(
    (eb, now) => eb('decideAt', '<=', now),
    (eb) => eb.ref('decideAt'),
  ),
  payer: decideWhere((eb, now) => eb.and([eb('expiresAt', '>', now), eb('kind', 'in', ['purchase', 'authorization'])])),
  void: decideWhere((eb) => eb.lit(true)),
};

function decideWhere(
  isInTime: (eb: Pending, now: Date) => Expression<SqlBool>,
  decidedAt: (eb: Pending, now: Date) => Expression<Date | null> = (eb, now) => eb.val(now),
) {
  return prepared((tables, { id, now, status, reason }: Decision) =>
    tables
      .updateTable('purchases')
      .set((eb) => ({ status, reason, decidedAt: decidedAt(eb, now), decideAt: null }))
      .where('id', '=', id)
      .where('status', '=', 'PENDING')
      .where((eb) => isInTime(eb, now))
      .returningAll(),
  );
}

/** The effect of an order's approval, by the order's kind. */
const APPROVALS: Record<OrderKind, (db: PoolClient, order: OrderRow) => Promise<OrderRow>> = {
  purchase: assignTransaction,
  authorization: assignTransaction,
  capture: assignTransaction,
  refund: assignTransaction,
  async void(db, order) {
    const [targetId, at] = [order.parentId as string, order.decidedAt as Date];
    // The approved void releases the authorization's money without a further row (see `splitHold` in view.ts).
    if (order.target === 'qrcode') await withdrawQrCode(db, targetId, at);
    else await decideInTransaction(db, at, targetId, 'VOIDED', 'void');
    return order;
  },
  async scan(db, order) {
    const refusal = await takeSlot(db, order.parentId as string, order.decidedAt as Date);
    if (!refusal) return assignTransaction(db, order);
    return decline.one(db, { id: order.id, reason: refusal });
  },
};

/** Assigns a transaction's numbers. Ids do not repeat, even after the simulator lost its data. */
async function assignTransaction(db: PoolClient, order: OrderRow): Promise<OrderRow> {
  const decidedAt = order.decidedAt as Date;
  const { id, terminalId } = order;
  return assignNumbers.one(db, { id, terminalId, period: periodOf(decidedAt), prefix: String(decidedAt.getTime()) });
}

type TransactionKey = { id: string; terminalId: string; period: string; prefix: string };

const assignNumbers = prepared((tables, { id, terminalId, period, prefix }: TransactionKey) =>
  tables
    .with('number', (part) => countUp(part, terminalId, period))
    .updateTable('purchases')
    .set((eb) => ({
      transactionNumber: eb.selectFrom('number').select((own) => own.cast<string>('lastNumber', 'text').as('text')),
      clearingPeriod: period,
      transactionId: sql<string>`${prefix}::text || ${NEXT_SERIAL}`,
    }))
    .where('id', '=', id)
    .returningAll(),
);

const decline = prepared((tables, { id, reason }: { id: string; reason: string }) =>
  tables.updateTable('purchases').set({ status: 'DECLINED', reason }).where('id', '=', id).returningAll(),
);

async function queueDecisionNotification(db: PoolClient, order: OrderRow): Promise<void> {
  const { id: aboutId, kind, phone, status } = order;
  if (kind === 'refund') return queueRefundNotification(db, order);
  const about = { rail: 'gpo', aboutId, faultKey: phone || null, at: order.decidedAt as Date } as const;
  if (kind !== 'scan') {
    return queueNotification(db, { ...about, type: kind, name: kind, thing: await viewOrder(db, order) });
  }
  // Only an accepted scan causes a notification, because no system waits for a refused scan.
  if (status === 'APPROVED') {
    await queueNotification(db, { ...about, type: 'qrcode_payment', name: 'payment', thing: viewScan(order) });
  }
}

async function queueRefundNotification(db: PoolClient, order: OrderRow): Promise<void> {
  const { id: aboutId, reference, phone, amount } = order;
  await queueNotification(db, {
    rail: railOf(order),
    aboutId,
    faultKey: phone || reference,
    at: order.decidedAt as Date,
    type: 'refund',
    name: 'refund',
    thing: await viewOrder(db, order),
    script: findRefundScript(amount),
    faultTarget: 'refund_notification',
  });
}
