// Checks that the rail account can refund its money, and that a cashier stays below the daily limit.
import { dayOf, startOf } from '../../../shared/luanda.ts';
import { addMinor, compareMinor, toDecimal } from '../../../shared/money.ts';
import type { Core } from '../../core.ts';
import { prepared, takeLock, type Db } from '../../database/db.ts';
import type { Actor } from '../../audit/record.ts';
import { invalidFields, Problem } from '../../http/problem.ts';
import { findMerchant } from '../../merchants/find.ts';
import { capabilitiesOf, type Rail } from '../../rails/rail.ts';
import { findMoneyFaults } from '../../rails/choose.ts';
import type { Refundable } from './choose.ts';
import { findOpenOf } from './rows.ts';

/** Returns the refund capabilities of a rail account. Null if the account cannot refund. */
export function refundsOf(rail: Rail | null) {
  const can = capabilitiesOf(rail, 'gpo') ?? capabilitiesOf(rail, 'ppr');
  return !can || can.refund === 'none' || !rail?.clients.refunds ? null : can;
}

/**
 * Returns the account that took the money, if it can refund the amount.
 * @throws Problem refund_unsupported, refund_in_progress; 400 at /amount
 */
export async function findRefunder(core: Core, db: Db, money: Refundable, amountMinor: number): Promise<Rail> {
  const rail = await core.rails.find(money.rail);
  const can = refundsOf(rail);
  if (!rail || !can) throw new Problem('refund_unsupported');
  const { currency } = money;
  const isWhole = amountMinor === money.amountMinor;
  if (can.refund === 'whole' && !isWhole) {
    const params = { amount: toDecimal(money.amountMinor, currency), currency };
    throw invalidFields([{ pointer: '/amount', code: 'refund_whole_only', params }]);
  }
  const faults = findMoneyFaults(rail.label, can, amountMinor, currency);
  if (faults.length > 0) throw invalidFields(faults);
  // Without repeats, only the rail's record of the money shows a lost refund, and it cannot tell two refunds apart.
  if (!can.refundRepeat && (await findOpenOf.first(db, { transactionId: money.id })))
    throw new Problem('refund_in_progress');
  return rail;
}

type CashierRefund = { merchantId: string; actor: Actor; amountMinor: number; currency: string };

const LIMIT_CURRENCY = 'AOA';

/** Checks a cashier's refunds of the day in Luanda against the merchant's limit. @throws Problem cashier_limit */
export async function refuseAboveLimit(
  core: Core,
  db: Db,
  { merchantId, actor, amountMinor, currency }: CashierRefund,
) {
  if (actor.kind !== 'user') return;
  const { id: userId } = actor;
  if ((await findRole.first(db, { merchantId, userId }))?.role !== 'Cashier') return;
  const limitMinor = (await findMerchant(core, merchantId)).cashierRefundLimitMinor ?? 0;
  // The lock prevents concurrent refunds from exceeding the limit together.
  await takeLock(db, `refunds ${merchantId} ${userId}`);
  const since = startOf(dayOf(core.clock.now()));
  const { refundedMinor } = await sumRefundedToday.one(db, { merchantId, userId, since });
  const isWithin =
    currency === LIMIT_CURRENCY && compareMinor(addMinor(refundedMinor, amountMinor), limitMinor) !== 'more';
  if (isWithin) return;
  const [limit, given] = [limitMinor, refundedMinor].map((minor) => toDecimal(minor, LIMIT_CURRENCY));
  throw new Problem('cashier_limit', { extra: { limit, given, currency: LIMIT_CURRENCY } });
}

const findRole = prepared((tables, { merchantId, userId }: { merchantId: string; userId: string }) =>
  tables.selectFrom('memberships').select('role').where('merchantId', '=', merchantId).where('userId', '=', userId),
);

type CashierDay = { merchantId: string; userId: string; since: Date };

const sumRefundedToday = prepared((tables, { merchantId, userId, since }: CashierDay) =>
  tables
    .selectFrom('refunds')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('amountMinor'), eb.lit(0)), 'bigint').as('refundedMinor'))
    .where('merchantId', '=', merchantId)
    .where('createdAt', '>=', since)
    .where('requestedByKind', '=', 'user')
    .where('requestedById', '=', userId)
    .where('currency', '=', LIMIT_CURRENCY)
    .where('status', 'in', ['Pending', 'Processing', 'Succeeded']),
);
