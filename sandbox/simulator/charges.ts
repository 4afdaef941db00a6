// Orders at the rail: recorded once, decided once, each decision with its notification.
import { sql, type Expression, type ExpressionBuilder, type Insertable, type Kysely, type SqlBool } from 'kysely';
import type { PoolClient } from 'pg';
import { findRefundScript, type Plan, type PhoneVerdict } from './test-numbers.ts';
import { queueNotification } from './notifications.ts';
import { countUp, NEXT_SERIAL, periodOf } from './clearing-periods.ts';
import { planOrder, type OrderRequest } from './plans.ts';
import { takePlace, withdrawQrCode } from './qr-slots.ts';
import { prepared, type OrderKind, type SimulatorTables } from './schema.ts';
import type { RailName, Simulation } from './simulation.ts';
import { inTransaction, lockThing } from './tables.ts';
import { railOf, viewOrder, viewScan, type OrderRow } from './view.ts';

export type RecordedCharge = { order: OrderRow; isNew: boolean; isSame: boolean };

/** Records an order, and decides it where that takes no time; or counts one more call for the one with this id. */
export async function recordOrder(sim: Simulation, request: OrderRequest): Promise<RecordedCharge> {
  // A step's authorization may be due: it is decided before the step looks at it.
  if (request.parentId) await decideDueAbout(sim, request.parentId);
  const recorded = await inTransaction(sim.pool, async (db) => {
    // Two steps of one authorization, or a void before its target, come one after the other.
    if (request.kind !== 'purchase') await lockThing(db, request.parentId ?? request.id);
    const { plan, found } = await planOrder(db, sim, request);
    const order = await insertOrder(db, sim, { ...request, ...found }, plan);
    const fields = Object.keys(request) as (keyof OrderRequest)[];
    // What is kept for the gateway is no part of what is ordered: another release of it may send less.
    const isSame = fields.every((field) => field === 'ours' || field in found || order[field] === request[field]);
    const isNew = order.calls === 1;
    const decided =
      isNew && plan.afterMs === 0 ? await decideWithin(db, sim.clock.now(), order.id, plan.verdict) : null;
    return { order: decided ?? order, isNew, isSame };
  });
  sim.poke(recorded.order.status === 'PENDING' ? 'decisions' : 'notifications');
  return recorded;
}

/** Adds a pending order with what it will come to by itself. */
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

/** An order as it stands now: it is decided first where it is due, should the loop be a moment late. */
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
 * Decides every order whose time has come; says when the next one will be due. One at a time: after a hiccup there are many, and
 * each who wants them decided would otherwise go through all of them, in the way of all others.
 */
export function decideDueOrders(sim: Simulation): Promise<Date | null> {
  const before = deciding.get(sim) ?? Promise.resolve();
  const own = before.catch(() => {}).then(() => decideDue(sim));
  deciding.set(sim, own);
  return own;
}

const deciding = new WeakMap<Simulation, Promise<unknown>>();

/** Decided beside each other: the commit of one is most of its time, and of several together hardly more. */
const AT_ONCE = 3;

async function decideDue(sim: Simulation): Promise<Date | null> {
  const rows = await listUndecided.all(sim.pool, { rails: railsOf(sim) });
  const now = sim.clock.now();
  const due = rows.filter(({ decideAt }) => decideAt <= now);
  const waiting = [...Map.groupBy(due, ({ id, parentId }) => parentId ?? id).values()];
  // Steps of one order come one after the other, in the order of their moments.
  const decideFamilies = async () => {
    for (let family = waiting.shift(); family; family = waiting.shift())
      for (const { id, verdict } of family) await decideOrder(sim, id, verdict, 'script');
  };
  await Promise.all(Array.from({ length: AT_ONCE }, decideFamilies));
  return rows[due.length]?.decideAt ?? (rows.length > 0 ? now : null);
}

/** Of one order, code or transaction: itself and the steps that it depends on, which are few whatever else is due. */
export async function decideDueAbout(sim: Simulation, id: string): Promise<void> {
  const rows = await listDueAbout.all(sim.pool, { id, rails: railsOf(sim), now: sim.clock.now() });
  for (const { id, verdict } of rows) await decideOrder(sim, id, verdict, 'script');
}

const railsOf = ({ rails }: Simulation) => Object.keys(rails) as RailName[];

/** Those of the rails that are here: another one decides its own. */
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
 * Decides a pending order, by its script (a push that runs out included) or by the payer while there is time.
 * One conditional update lets exactly one of them win; null for the others.
 */
export async function decideOrder(
  sim: Simulation,
  id: string,
  verdict: PhoneVerdict,
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
  verdict: PhoneVerdict,
  by: keyof typeof DECIDERS = 'script',
): Promise<OrderRow | null> {
  const status = verdict === 'APPROVED' ? 'APPROVED' : 'DECLINED';
  const reason = verdict === 'APPROVED' ? null : verdict;
  const row = await DECIDERS[by].first(db, { id, now, status, reason });
  if (!row) return null;
  const decided = verdict === 'APPROVED' ? await APPROVALS[row.kind](db, row) : row;
  await tellDecision(db, decided);
  return decided;
}

type Decision = { id: string; now: Date; status: 'APPROVED' | 'DECLINED'; reason: string | null };
type Pending = ExpressionBuilder<SimulatorTables, 'purchases'>;

const DECIDERS = {
  /** A script's decision carries the time it was due, also when the rail was down then. */
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

/** What an approval does, by kind. */
const APPROVALS: Record<OrderKind, (db: PoolClient, order: OrderRow) => Promise<OrderRow>> = {
  purchase: bookTransaction,
  authorization: bookTransaction,
  capture: bookTransaction,
  refund: bookTransaction,
  async void(db, order) {
    const [targetId, at] = [order.parentId as string, order.decidedAt as Date];
    // What an approved authorization holds is released by this void's being there (view.ts, splitHold).
    if (order.target === 'qrcode') await withdrawQrCode(db, targetId, at);
    else await decideWithin(db, at, targetId, 'VOIDED', 'void');
    return order;
  },
  async scan(db, order) {
    const refusal = await takePlace(db, order.parentId as string, order.decidedAt as Date);
    if (!refusal) return bookTransaction(db, order);
    return decline.one(db, { id: order.id, reason: refusal });
  },
};

/** Gives the money its numbers. The id is never used twice, even by a simulator that lost its data. */
async function bookTransaction(db: PoolClient, order: OrderRow): Promise<OrderRow> {
  const decidedAt = order.decidedAt as Date;
  const { id, terminalId } = order;
  return book.one(db, { id, terminalId, period: periodOf(decidedAt), prefix: String(decidedAt.getTime()) });
}

type Booking = { id: string; terminalId: string; period: string; prefix: string };

const book = prepared((tables, { id, terminalId, period, prefix }: Booking) =>
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

async function tellDecision(db: PoolClient, order: OrderRow): Promise<void> {
  const { id: aboutId, kind, phone, status } = order;
  if (kind === 'refund') return tellRefund(db, order);
  const about = { rail: 'gpo', aboutId, whose: phone || null, at: order.decidedAt as Date } as const;
  if (kind !== 'scan') {
    return queueNotification(db, { ...about, type: kind, name: kind, thing: await viewOrder(db, order) });
  }
  // Only money is told: nobody waits for a refused scan.
  if (status === 'APPROVED') {
    await queueNotification(db, { ...about, type: 'qrcode_payment', name: 'payment', thing: viewScan(order) });
  }
}

async function tellRefund(db: PoolClient, order: OrderRow): Promise<void> {
  const { id: aboutId, reference, phone, amount } = order;
  await queueNotification(db, {
    rail: railOf(order),
    aboutId,
    whose: phone || reference,
    at: order.decidedAt as Date,
    type: 'refund',
    name: 'refund',
    thing: await viewOrder(db, order),
    script: findRefundScript(amount),
    faultTarget: 'refund_notification',
  });
}
