// Explains why the actual credit differs from the expected one: movements with that amount, most likely first.
import { addMinor, multiplyMinor } from '../../shared/money.ts';
import { prepared, type Db } from '../database/db.ts';
import { differenceOf } from './close.ts';
import type { Settlement } from './entities.ts';
import { KEPT_AT_MOST } from './statement.ts';
import type { Reconciled } from './reconciled.ts';
import { DAY_MS } from '../../shared/durations.ts';

export const REASONS = ['next_period', 'refund', 'fee', 'not_at_rail', 'not_here'] as const;

/** A possible reason for a difference. `movementId`: the movement with that amount; null if no movement is known. */
export type Reason = {
  code: (typeof REASONS)[number];
  movementId: string | null;
  paymentId: string | null;
  clearingPeriod: string | null;
};

/** Fees explain a difference of at most a twentieth of the taken amount. */
const FEES_AT_MOST = 20;
/** The largest distance from the settlement's day at which movements of other periods are searched. */
const NEAR_MS = 3 * DAY_MS;

/**
 * Returns the possible reasons for a settlement with the status `differs`. Any other status returns an empty list.
 * @param reconciled the comparison with the rail's list, which outweighs every guess
 */
export async function findReasons(db: Db, settlement: Settlement, reconciled: Reconciled): Promise<Reason[]> {
  if (settlement.status !== 'differs') return [];
  const { period, takenMinor } = settlement;
  const differenceMinor = differenceOf(settlement);
  const isMore = differenceMinor > 0;
  const minor = Math.abs(differenceMinor);
  const near = nearOf(settlement, minor);
  const received = await findReceived.all(db, near);
  const returned = await findReturned.all(db, near);
  const isOwn = (row: { period: string | null }) => row.period === period;
  const isCounted = (row: (typeof returned)[number]) =>
    isOwn(row) && row.status === 'Succeeded' && row.method === 'rail';
  const about = (code: Reason['code']) => (row: { id: string; paymentId: string; period: string | null }) => ({
    code,
    movementId: row.id,
    paymentId: row.paymentId,
    clearingPeriod: row.period,
  });
  const facts = readFacts(reconciled);
  const alone = (code: Reason['code']) => ({ code, movementId: null, paymentId: null, clearingPeriod: null });
  if (isMore) {
    const found = [
      ...received.filter((row) => !isOwn(row)).map(about('next_period')),
      ...returned.filter(isCounted).map(about('refund')),
    ];
    if (facts?.isMissingHere(minor)) return [alone('not_here'), ...found];
    // The rail's list has no movement that is missing here, so `not_here` is no reason.
    return found.length > 0 || facts ? found : [alone('not_here')];
  }
  const isFee = multiplyMinor(minor, FEES_AT_MOST) <= takenMinor;
  return [
    ...returned.filter((row) => !isCounted(row)).map(about('refund')),
    ...received.filter(isOwn).flatMap((row) => {
      const [next, missing] = [about('next_period')(row), about('not_at_rail')(row)];
      if (!facts) return [next, missing];
      return [facts.isMissingThere(row.id) ? missing : next];
    }),
    ...(isFee ? [alone('fee')] : []),
  ];
}

/** Returns the certain facts of a comparison. Null before the first comparison, or if not all differences are kept. */
function readFacts({ reconciledAt, count, kept }: Reconciled) {
  if (!reconciledAt || count > KEPT_AT_MOST || kept.some(({ kind }) => kind === 'unreadable')) return null;
  const missingHere = kept.filter(({ kind }) => kind === 'missing_here').map(({ amountMinor }) => amountMinor ?? 0);
  return {
    isMissingHere: (minor: number) => missingHere.includes(minor) || addMinor(0, ...missingHere) === minor,
    isMissingThere: (id: string) => kept.some((one) => one.kind === 'missing_there' && one.transactionId === id),
  };
}

type Near = Pick<Settlement, 'merchantId' | 'rail' | 'currency'> & { minor: number; from: Date; to: Date };

function nearOf({ merchantId, rail, currency, day }: Settlement, minor: number): Near {
  const at = Date.parse(`${day}T00:00:00Z`);
  return { merchantId, rail, currency, minor, from: new Date(at - NEAR_MS), to: new Date(at + DAY_MS + NEAR_MS) };
}

const FOUND_AT_MOST = 5;

/** Finds transactions whose amount, before or after the fee, equals the difference. */
const findReceived = prepared((tables, { merchantId, rail, currency, minor, from, to }: Near) =>
  tables
    .selectFrom('transactions')
    .select(['id', 'paymentId', 'period'])
    .where('merchantId', '=', merchantId)
    .where('occurredAt', '>=', from)
    .where('occurredAt', '<', to)
    .where('rail', '=', rail)
    .where('currency', '=', currency)
    .where((eb) =>
      eb.or([
        eb('amountMinor', '=', minor),
        eb(eb('amountMinor', '-', eb.fn.coalesce('feeMinor', eb.lit(0))), '=', minor),
      ]),
    )
    .orderBy('occurredAt', 'desc')
    .limit(FOUND_AT_MOST),
);

const findReturned = prepared((tables, { merchantId, rail, currency, minor, from, to }: Near) =>
  tables
    .selectFrom('refunds as r')
    .innerJoin('transactions as t', 't.id', 'r.transactionId')
    .select(['r.id', 'r.paymentId', 'r.period', 'r.status', 'r.method'])
    .where('r.merchantId', '=', merchantId)
    .where('r.createdAt', '>=', from)
    .where('r.createdAt', '<', to)
    .where('r.currency', '=', currency)
    .where('r.amountMinor', '=', minor)
    .where('t.rail', '=', rail)
    .orderBy('r.createdAt', 'desc')
    .limit(FOUND_AT_MOST),
);
