// Plans: made and retired by the operator, chosen by merchants, never changed.
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import { toMinor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
import { invalid, type Fault } from '../http/problem.ts';
import { faultsOf } from '../http/body.ts';
import { Plan } from './entities.ts';

/** Most of a fee for one payment, in minor units: so that no invoice can grow beyond what is exact. */
const MAX_PAYMENT_FEE_MINOR = 10_000_000;

const newPlan = z.object({
  name: z.string().trim().min(1).max(60),
  currency: z.string().regex(/^[A-Z]{3}$/),
  includedPayments: z.int().min(0).max(100_000_000),
  /** Decimal text in major units. */
  monthlyFee: z.string(),
  paymentFee: z.string(),
});

export type NewPlan = z.input<typeof newPlan>;

/**
 * Makes a plan that merchants can choose. @param asked fees are decimal text in major units, without tax: `"15000.00"`
 * @throws Problem validation_failed, or the one fault there is
 */
export async function createPlan(
  core: Pick<Core, 'orm' | 'pool' | 'listeners' | 'clock'>,
  asked: NewPlan,
): Promise<Plan> {
  const { data, error } = newPlan.safeParse(asked);
  if (error) throw invalid(faultsOf(error, asked));
  const { name, currency, includedPayments } = data;
  const monthly = toMinor(data.monthlyFee, currency);
  const each = toMinor(data.paymentFee, currency);
  const faults: Fault[] = [];
  if ('fault' in monthly) faults.push(describeFault('/monthlyFee', monthly.fault, currency));
  if ('fault' in each) faults.push(describeFault('/paymentFee', each.fault, currency));
  else if (each.minor > MAX_PAYMENT_FEE_MINOR) faults.push(describeFault('/paymentFee', 'too_big', currency));
  if ('fault' in monthly || 'fault' in each || faults.length > 0) throw invalid(faults);
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

/** Nobody can choose it any more; who has it keeps it. False: there is none that could be retired. */
export async function retirePlan(
  core: Pick<Core, 'orm' | 'pool' | 'listeners' | 'clock'>,
  id: string,
): Promise<boolean> {
  if (!UUID.test(id)) return false;
  return (await em(core).nativeUpdate(Plan, { id, retiredAt: null }, { retiredAt: core.clock.now() })) > 0;
}

/** Those that can be chosen, the cheapest first. */
export function listPlans(db: Db): Promise<Plan[]> {
  const orderBy = { currency: 'asc', monthlyFeeMinor: 'asc', createdAt: 'asc', id: 'asc' } as const;
  return em(db).find(Plan, { retiredAt: null }, { orderBy });
}

export function findPlan(db: Db, id: string): Promise<Plan | null> {
  return selectPlan.first(db, { id });
}

const selectPlan = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('plans').selectAll().where('id', '=', id),
);
