// Billing plans, and a merchant's subscription to a plan.
import { LockMode } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import { endOf, monthAfter, monthOf } from '../../shared/luanda.ts';
import { toMinor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { faultsOf } from '../http/validate.ts';
import { UUID, matching } from '../http/fields.ts';
import { invalidFields, type Fault } from '../http/problem.ts';
import { BillingAccount, Plan, Subscription } from './entities.ts';

/** The largest fee of one payment, in minor units, so that the sums of an invoice stay exact. */
const MAX_PAYMENT_FEE_MINOR = 10_000_000;

const newPlan = z.object({
  name: z.string().trim().min(1).max(60),
  currency: matching(/^[A-Z]{3}$/, 'currency'),
  includedPayments: z.int().min(0).max(100_000_000),
  /** The monthly fee as decimal text in major units. */
  monthlyFee: z.string(),
  paymentFee: z.string(),
});

export type NewPlan = z.input<typeof newPlan>;

/**
 * Creates a plan. Fees are decimal text in major units, without tax: `"15000.00"`.
 * @throws Problem validation_failed, or the code of a single fault
 */
export async function createPlan(
  core: Pick<Core, 'orm' | 'pool' | 'listeners' | 'clock'>,
  input: NewPlan,
): Promise<Plan> {
  const { data, error } = newPlan.safeParse(input);
  if (error) throw invalidFields(faultsOf(error, input));
  const { name, currency, includedPayments } = data;
  const monthly = toMinor(data.monthlyFee, currency);
  const each = toMinor(data.paymentFee, currency);
  const faults: Fault[] = [];
  if ('fault' in monthly) faults.push(describeFault('/monthlyFee', monthly.fault, currency));
  if ('fault' in each) faults.push(describeFault('/paymentFee', each.fault, currency));
  else if (each.minor > MAX_PAYMENT_FEE_MINOR) faults.push(describeFault('/paymentFee', 'too_big', currency));
  if ('fault' in monthly || 'fault' in each || faults.length > 0) throw invalidFields(faults);
  const plan = {
    id: uuid(),
    name,
    currency,
    monthlyFeeMinor: monthly.minor,
    includedPayments,
    paymentFeeMinor: each.minor,
    createdAt: core.clock.now(),
  };
  await em(core).insert(Plan, plan);
  return { ...plan, retiredAt: null };
}

function describeFault(pointer: string, code: Fault['code'], currency: string): Fault {
  return { pointer, code, params: { currency, minimum: 0, maximum: '100000' } };
}

/** Retires a plan, so that merchants cannot choose it any more. Returns false if no such active plan exists. */
export async function retirePlan(
  core: Pick<Core, 'orm' | 'pool' | 'listeners' | 'clock'>,
  id: string,
): Promise<boolean> {
  if (!UUID.test(id)) return false;
  return (await em(core).nativeUpdate(Plan, { id, retiredAt: null }, { retiredAt: core.clock.now() })) > 0;
}

/** Lists plans that merchants can choose, cheapest first. */
export function listPlans(db: Db): Promise<Plan[]> {
  const orderBy = { currency: 'asc', monthlyFeeMinor: 'asc', createdAt: 'asc', id: 'asc' } as const;
  return em(db).find(Plan, { retiredAt: null }, { orderBy });
}

/** The current plan with its first month, and the next plan with its first month if the merchant chose one. */
export type SubscribedPlans = { plan: Plan; since: string; next: { plan: Plan; from: string } | null };

type Choice = { merchantId: string; planId: string; actor: Actor };

/**
 * Chooses a plan. The first choice is valid from the current month, later choices from the next month.
 * `db` must be a transaction.
 * If the merchant chooses the current plan again, a planned change is withdrawn.
 * @throws Problem unknown_plan
 */
export async function choosePlan(core: Pick<Core, 'clock'>, db: Db, choice: Choice): Promise<SubscribedPlans> {
  const { merchantId, planId, actor } = choice;
  const now = core.clock.now();
  const month = monthOf(now);
  await lockAccount(db, merchantId, month);
  const before = await findSubscription(db, merchantId, month);
  const planned = before?.next?.plan ?? before?.plan ?? null;
  const plan = await em(db).findOne(Plan, { id: planId });
  // A merchant may keep its current or planned plan even if the plan is retired.
  if (!plan || (plan.retiredAt && plan.id !== before?.plan.id && plan.id !== planned?.id))
    throw invalidFields([{ pointer: '/planId', code: 'unknown_plan' }]);
  if (before && plan.id === planned?.id) return before;
  await em(db).nativeDelete(Subscription, { merchantId, month: { $gt: month } });
  const from = before ? monthAfter(month) : month;
  if (plan.id !== before?.plan.id)
    await em(db).insert(Subscription, { merchantId, month: from, planId: plan.id, createdAt: now });
  const changes = { planId: { before: planned?.id ?? null, after: plan.id }, from };
  await recordAudit(db, { merchantId, actor, action: 'subscription.changed', target: plan.id, changes, at: now });
  return (await findSubscription(db, merchantId, month)) as SubscribedPlans;
}

/**
 * Locks the billing account, so that choices run one by one.
 * The first choice creates the account, and invoices begin with it.
 */
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

/** Returns a merchant's subscription in a month. Null without a subscription. */
export async function findSubscription(db: Db, merchantId: string, month: string): Promise<SubscribedPlans | null> {
  const rows = await em(db).find(Subscription, { merchantId }, { orderBy: { month: 'asc' } });
  const current = rows.findLast((row) => row.month <= month);
  if (!current) return null;
  const next = rows.find((row) => row.month > month);
  const ids = [current.planId, next?.planId ?? current.planId];
  const plans = new Map((await em(db).find(Plan, { id: { $in: ids } })).map((plan) => [plan.id, plan]));
  const planOf = ({ planId }: Subscription) => plans.get(planId) as Plan;
  return { plan: planOf(current), since: current.month, next: next ? { plan: planOf(next), from: next.month } : null };
}
