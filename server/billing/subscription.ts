// A merchant's subscription: the plan in force, and the one it has chosen for the months to come.
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { recordAudit, type Actor } from '../events/audit.ts';
import { invalid } from '../http/problem.ts';
import { BillingAccount, Plan, Subscription } from './entities.ts';
import { endOf, monthAfter, monthOf } from '../../shared/luanda.ts';
import { findPlan } from './plan.ts';

/** `next` comes into force with its month. */
export type Chosen = { plan: Plan; since: string; next: { plan: Plan; from: string } | null };

export type Choice = { merchantId: string; planId: string; actor: Actor };

/**
 * The first choice is in force for the current month, a later one from the next month on; choosing the current plan again
 * withdraws a planned change. `db` is a transaction.
 * @throws Problem unknown_plan
 */
export async function choosePlan(core: Pick<Core, 'clock'>, db: Db, choice: Choice): Promise<Chosen> {
  const { merchantId, planId, actor } = choice;
  const now = core.clock.now();
  const month = monthOf(now);
  await lockAccount(db, merchantId, month);
  const before = await findSubscription(db, merchantId, month);
  const planned = before?.next?.plan ?? before?.plan ?? null;
  const plan = await findPlan(db, planId);
  // Who has a plan may keep it, retired or not.
  if (!plan || (plan.retiredAt && plan.id !== before?.plan.id && plan.id !== planned?.id))
    throw invalid([{ pointer: '/planId', code: 'unknown_plan' }]);
  if (before && plan.id === planned?.id) return before;
  await em(db).nativeDelete(Subscription, { merchantId, month: { $gt: month } });
  const from = before ? monthAfter(month) : month;
  if (plan.id !== before?.plan.id)
    await em(db).insert(Subscription, { merchantId, month: from, planId: plan.id, createdAt: now });
  const changes = { planId: { before: planned?.id ?? null, after: plan.id }, from };
  await recordAudit(db, { merchantId, actor, action: 'subscription.changed', target: plan.id, changes, at: now });
  return (await findSubscription(db, merchantId, month)) as Chosen;
}

/** One choice after the other; with the first one invoices begin. */
async function lockAccount(db: Db, merchantId: string, month: string): Promise<void> {
  await insertAccount.run(db, { merchantId, month, dueAt: endOf(month) });
  await em(db).findOneOrFail(BillingAccount, { id: merchantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

type NewAccount = { merchantId: string; month: string; dueAt: Date };

const insertAccount = prepared((tables, { merchantId, month, dueAt }: NewAccount) =>
  tables
    .insertInto('billing_accounts')
    .values({ id: merchantId, nextMonth: month, dueAt })
    .onConflict((conflict) => conflict.doNothing()),
);

/** As it stands in a month; null: none. */
export async function findSubscription(db: Db, merchantId: string, month: string): Promise<Chosen | null> {
  const rows = await em(db).find(Subscription, { merchantId }, { orderBy: { month: 'asc' } });
  const current = rows.findLast((row) => row.month <= month);
  if (!current) return null;
  const next = rows.find((row) => row.month > month);
  const ids = [current.planId, next?.planId ?? current.planId];
  const plans = new Map((await em(db).find(Plan, { id: { $in: ids } })).map((plan) => [plan.id, plan]));
  const planOf = ({ planId }: Subscription) => plans.get(planId) as Plan;
  return { plan: planOf(current), since: current.month, next: next ? { plan: planOf(next), from: next.month } : null };
}
