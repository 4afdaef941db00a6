// Purchases at the rail: recorded once, decided once, each decision with its notification.
import type { PoolClient } from 'pg';
import { planDecision, type Verdict } from './magic.ts';
import { queueNotification } from './notifications.ts';
import type { Simulation } from './simulator.ts';
import { inTransaction } from './tables.ts';
import type { PurchaseRow } from './view.ts';

/** What a purchase request asks for, by its names on the wire. */
export type PurchaseRequest = {
  id: string;
  merchantId: string;
  terminalId: string;
  reference: string;
  phone: string;
  amount: string;
  currency: string;
  description: string | null;
};

/** Records a purchase, or counts one more call for the one that already has this id. */
export async function recordPurchase(
  sim: Simulation,
  request: PurchaseRequest,
): Promise<{ purchase: PurchaseRow; isNew: boolean; isSame: boolean }> {
  const { id, merchantId, terminalId, reference, phone, amount, currency, description } = request;
  const now = sim.clock.now();
  const plan = planDecision(phone, sim.windowMs);
  const after = (ms: number) => new Date(now.getTime() + ms);
  const asked = [id, merchantId, terminalId, reference, phone, amount, currency, description];
  const { rows } = await sim.pool.query<PurchaseRow>(
    `insert into simulator.purchases (id, merchant_id, terminal_id, reference, phone, amount, currency, description,
       status, created_at, expires_at, verdict, decide_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 'PENDING', $9, $10, $11, $12)
     on conflict (id) do update set calls = purchases.calls + 1
     returning *`,
    [...asked, now, after(sim.windowMs), plan.verdict, after(plan.afterMs)],
  );
  const [row] = rows as [PurchaseRow];
  const known = [row.id, row.merchant_id, row.terminal_id, row.reference, row.phone, row.amount, row.currency];
  const isSame = [...known, row.description].every((value, index) => value === asked[index]);
  sim.poke('decisions');
  return { purchase: row, isNew: row.calls === 1, isSame };
}

/** A purchase as it stands now: what is due is decided first, should the loop be a moment late. */
export async function findPurchase(sim: Simulation, id: string): Promise<PurchaseRow | null> {
  await decideDuePurchases(sim);
  const { rows } = await sim.pool.query<PurchaseRow>('select * from simulator.purchases where id = $1', [id]);
  return rows[0] ?? null;
}

/** Decides every purchase whose time has come; says when the next one will be due. */
export async function decideDuePurchases(sim: Simulation): Promise<Date | null> {
  const { rows } = await sim.pool.query<{ id: string; verdict: Verdict; decide_at: Date }>(
    `select id, verdict, decide_at from simulator.purchases where decide_at is not null order by decide_at limit 200`,
  );
  for (const { id, verdict, decide_at: decideAt } of rows) {
    if (decideAt > sim.clock.now()) return decideAt;
    await decidePurchase(sim, id, verdict, 'script');
  }
  return rows.length > 0 ? sim.clock.now() : null;
}

/**
 * Decides a pending purchase, by its script (a push that runs out included) or by the payer while there is time.
 * One conditional update lets exactly one of them win; null for the others.
 */
export async function decidePurchase(
  sim: Simulation,
  id: string,
  verdict: Verdict,
  by: 'script' | 'payer',
): Promise<PurchaseRow | null> {
  const { decidedAt, inTime } = DECIDERS[by];
  const status = verdict === 'APPROVED' ? 'APPROVED' : 'DECLINED';
  const reason = verdict === 'APPROVED' ? null : verdict;
  const decided = await inTransaction(sim.pool, async (db) => {
    const { rows } = await db.query<PurchaseRow>(
      `update simulator.purchases set status = $3, reason = $4, decided_at = ${decidedAt}, decide_at = null
       where id = $1 and status = 'PENDING' and ${inTime} returning *`,
      [id, sim.clock.now(), status, reason],
    );
    const row = rows[0] && verdict === 'APPROVED' ? await bookTransaction(db, rows[0]) : rows[0];
    if (row) await queueNotification(db, row);
    return row ?? null;
  });
  if (decided) sim.poke('notifications');
  return decided;
}

/** A script's decision carries the time it was due, also when the rail was down then. */
const DECIDERS = {
  script: { decidedAt: 'decide_at', inTime: 'decide_at <= $2' },
  payer: { decidedAt: '$2', inTime: 'expires_at > $2' },
};

/** Gives the money its numbers. The id is never used twice, even by a simulator that lost its data. */
async function bookTransaction(db: PoolClient, purchase: PurchaseRow): Promise<PurchaseRow> {
  const decidedAt = purchase.decided_at as Date;
  const { rows } = await db.query<PurchaseRow>(
    `with number as (
       insert into simulator.periods values ($2, $3, 1)
       on conflict (terminal_id, period) do update set last_number = periods.last_number + 1 returning last_number)
     update simulator.purchases
     set transaction_number = (select last_number from number), clearing_period = $3,
       transaction_id = $4 || lpad((nextval('simulator.transaction_ids') % 100000)::text, 5, '0')
     where id = $1 returning *`,
    [purchase.id, purchase.terminal_id, periodOf(decidedAt), String(decidedAt.getTime())],
  );
  return rows[0] as PurchaseRow;
}

/** The banking day's number: it closes at 20:00 in Luanda, which is 19:00 UTC all year. */
function periodOf(time: Date): string {
  return String(Math.floor((time.getTime() + 5 * 3_600_000) / 86_400_000));
}
