// Compares a closed period with the rail's list: movements that only one side has, and different amounts.
import { clearingDayOf } from '../../shared/clearing.ts';
import { compareMinor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { isAny, prepared, type Db } from '../database/db.ts';
import type { Difference, DifferenceKind, Differences, Settlement } from './entities.ts';

/** The most differences that a settlement keeps. It counts all differences. */
export const KEPT_AT_MOST = 100;
/** The longest text that is kept of an unreadable entry, in characters. */
const RAIL_TEXT_AT_MOST = 500;

export type Compared = Pick<Settlement, 'merchantId' | 'rail' | 'period' | 'currency'>;

export type Rail = NonNullable<Awaited<ReturnType<Core['rails']['find']>>>;
type Page = Awaited<ReturnType<NonNullable<Rail['clients']['statement']>['listMovements']>>;
export type Entry = Page['movements'][number];

/** The intermediate result of a comparison. */
export type Comparison = Differences & {
  /** The ids of the gateway's movements that the rail has listed so far. */
  seen: Set<string>;
  /** The number of listed transactions that belong to no merchant of the gateway. */
  unmatched: number;
};

export function startComparison(): Comparison {
  return {
    counts: { missing_here: 0, missing_there: 0, amount: 0, unreadable: 0 },
    kept: [],
    seen: new Set(),
    unmatched: 0,
  };
}

const NOTHING: Omit<Difference, 'kind'> = {
  providerRef: null,
  amountMinor: null,
  ourAmountMinor: null,
  transactionId: null,
  refundId: null,
  paymentId: null,
  said: null,
};

function addDifference(comparison: Comparison, kind: DifferenceKind, difference: Partial<Difference>): void {
  comparison.counts[kind] += 1;
  if (comparison.kept.length < KEPT_AT_MOST) comparison.kept.push({ ...NOTHING, ...difference, kind });
}

/** A transaction or refund of the gateway, found by the rail's id. */
type Own = {
  id: string;
  kind: Entry['kind'];
  merchantId: string;
  paymentId: string;
  providerRef: string;
  period: string | null;
  currency: string;
  amountMinor: number;
};

const nameOwn = ({ id, kind, paymentId }: Own) =>
  kind === 'payment' ? { transactionId: id, paymentId } : { refundId: id, paymentId };

/**
 * Compares one page of the rail's list with the gateway's movements.
 * Several merchants may share a rail account, so entries of other merchants are skipped.
 * @param owner the merchant that owns the account, or null for an account of the operator
 */
export async function comparePage(
  db: Db,
  of: Compared,
  { page, owner, comparison }: { page: Page; owner: string | null; comparison: Comparison },
): Promise<void> {
  const { merchantId, rail, period, currency } = of;
  const listed = page.movements.filter((entry) => entry.currency === currency);
  const known = new Map((await findKnown(db, rail, listed)).map((own) => [keyOf(own), own]));
  const unknown = listed.filter((entry) => !known.has(keyOf(entry)));
  const ordered = await findOrdered(db, rail, unknown);
  for (const entry of listed) {
    const { providerRef, amountMinor } = entry;
    const own = known.get(keyOf(entry));
    // A rail without periods also lists movements of other periods.
    // A recorded entry has the period of its record. For other entries, their time decides.
    const inPeriod = entry.period ?? own?.period ?? (entry.occurredAt && clearingDayOf(entry.occurredAt));
    if (entry.period === null && inPeriod !== period) continue;
    const order = ordered.get(entry.ownId ?? entry.railKey ?? '');
    const whose = own?.merchantId ?? order?.merchantId ?? owner;
    if (whose === null) comparison.unmatched += 1;
    if (whose !== merchantId) continue;
    const at = { providerRef, amountMinor };
    if (!own) addDifference(comparison, 'missing_here', { ...at, paymentId: order?.paymentId ?? null });
    else if (own.period !== period || own.currency !== currency)
      addDifference(comparison, 'missing_here', { ...at, ...nameOwn(own) });
    else {
      comparison.seen.add(own.id);
      const isSame = compareMinor(own.amountMinor, amountMinor) === 'exact';
      if (!isSame) addDifference(comparison, 'amount', { ...at, ourAmountMinor: own.amountMinor, ...nameOwn(own) });
    }
  }
  for (const said of page.unreadable)
    addDifference(comparison, 'unreadable', { said: said.slice(0, RAIL_TEXT_AT_MOST) });
}

export const keyOf = ({ kind, providerRef }: Pick<Entry, 'kind' | 'providerRef'>) => `${kind} ${providerRef}`;

type RailRefs = { rail: string; refs: string[] };

export async function findKnown(db: Db, rail: string, entries: Entry[]): Promise<Own[]> {
  const refsOf = (kind: Entry['kind']) => entries.filter((one) => one.kind === kind).map((one) => one.providerRef);
  const received = await findReceived.all(db, { rail, refs: refsOf('payment') });
  const returned = await findReturned.all(db, { rail, refs: refsOf('refund') });
  return [
    ...received.map((row) => ({ ...row, kind: 'payment' as const })),
    ...returned.map((row) => ({ ...row, providerRef: row.providerRef as string, kind: 'refund' as const })),
  ];
}

const findReceived = prepared((tables, { rail, refs }: RailRefs) =>
  tables
    .selectFrom('transactions')
    .select(['id', 'merchantId', 'paymentId', 'providerRef', 'period', 'currency', 'amountMinor'])
    .where('rail', '=', rail)
    .where('providerRef', ...isAny(refs)),
);

const findReturned = prepared((tables, { rail, refs }: RailRefs) =>
  tables
    .selectFrom('refunds')
    .select(['id', 'merchantId', 'paymentId', 'providerRef', 'period', 'currency', 'amountMinor'])
    .where('rail', '=', rail)
    .where('status', '=', 'Succeeded')
    .where('providerRef', ...isAny<string | null>(refs)),
);

type Ordered = { merchantId: string; paymentId: string };

/** Finds payments for entries without a record, by the order, QR code or reference that the rail names. */
export async function findOrdered(db: Db, rail: string, entries: Entry[]): Promise<Map<string, Ordered>> {
  const ids = entries.flatMap(({ ownId }) => (ownId && UUID.test(ownId) ? ownId : []));
  const keys = entries.flatMap(({ railKey }) => railKey ?? []);
  const attempts = ids.length + keys.length > 0 ? await findAttempts.all(db, { rail, ids, keys }) : [];
  const references = ids.length > 0 ? await findReferences.all(db, { rail, ids }) : [];
  const byKey = attempts.map(({ railKey, ...order }) => ({ ...order, id: railKey ?? order.id }));
  return new Map([...attempts, ...references, ...byKey].map((order) => [order.id, order]));
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Named = { rail: string; ids: string[] };

const findAttempts = prepared((tables, { rail, ids, keys }: Named & { keys: string[] }) =>
  tables
    .selectFrom('attempts as a')
    .innerJoin('payments as p', 'p.id', 'a.paymentId')
    .select(['a.id', 'a.railKey', 'a.paymentId', 'p.merchantId'])
    .where('a.rail', '=', rail)
    .where((eb) => eb.or([eb('a.id', ...isAny(ids)), eb('a.railKey', ...isAny<string | null>(keys))])),
);

const findReferences = prepared((tables, { rail, ids }: Named) =>
  tables
    .selectFrom('payment_references')
    .select(['id', 'paymentId', 'merchantId'])
    .where('rail', '=', rail)
    .where('id', ...isAny(ids)),
);

type Statement = Pick<NonNullable<Rail['clients']['statement']>, 'listsRefunds' | 'findMovement'>;

/**
 * Finds movements that were recorded before the comparison and that no page of the rail listed. Runs after all pages.
 * If the rail's list may be incomplete, queries at most a hundred movements. False if the rail does not respond.
 */
export async function findMissingThere(
  db: Db,
  of: Compared,
  { statement, comparison, before }: { statement: Statement; comparison: Comparison; before: Date },
): Promise<boolean> {
  // An unreadable entry may be any movement of the gateway.
  if (comparison.counts.unreadable > 0) return true;
  let queries = 0;
  const find = async (providerRef: string | null) =>
    statement.findMovement && providerRef && queries++ < KEPT_AT_MOST ? statement.findMovement(providerRef) : null;
  const lists = { transactionId: listReceived, ...(statement.listsRefunds && { refundId: listReturned }) };
  for (const [name, listOurs] of Object.entries(lists)) {
    for (let after: KeysetPosition | null = FIRST; after;) {
      const rows: OursRow[] = await listOurs.all(db, { ...of, before, ...after });
      for (const { id, providerRef, amountMinor: ourAmountMinor, paymentId } of rows) {
        if (comparison.seen.has(id)) continue;
        const entry = await find(providerRef);
        if (entry === 'unknown') return false;
        const ours = { providerRef, ourAmountMinor, paymentId, [name]: id };
        if (!entry) addDifference(comparison, 'missing_there', ours);
        else if (compareMinor(ourAmountMinor, entry.amountMinor) !== 'exact')
          addDifference(comparison, 'amount', { ...ours, amountMinor: entry.amountMinor });
      }
      const last = rows.at(-1);
      after = rows.length === BATCH && last ? { at: last.at, id: last.id } : null;
    }
  }
  return true;
}

type KeysetPosition = { at: Date; id: string };
type OursRow = KeysetPosition & { providerRef: string | null; amountMinor: number; paymentId: string };

const FIRST: KeysetPosition = { at: new Date(0), id: '00000000-0000-0000-0000-000000000000' };
const BATCH = 5_000;

type Ours = Compared & KeysetPosition & { before: Date };

const listReceived = prepared((tables, { merchantId, rail, period, currency, before, at, id }: Ours) =>
  tables
    .selectFrom('transactions')
    .select(['id', 'occurredAt as at', 'providerRef', 'amountMinor', 'paymentId'])
    .where('merchantId', '=', merchantId)
    .where('rail', '=', rail)
    .where('period', '=', period)
    .where('currency', '=', currency)
    .where('createdAt', '<=', before)
    .where((eb) => eb(eb.refTuple('occurredAt', 'id'), '>', eb.tuple(at, id)))
    .orderBy('occurredAt')
    .orderBy('id')
    .limit(BATCH),
);

const listReturned = prepared((tables, { merchantId, rail, period, currency, before, at, id }: Ours) =>
  tables
    .selectFrom('refunds')
    .select(['id', 'providerRef', 'amountMinor', 'paymentId'])
    .select((eb) => eb.ref('completedAt').$notNull().as('at'))
    .where('merchantId', '=', merchantId)
    .where('rail', '=', rail)
    .where('status', '=', 'Succeeded')
    .where('method', '=', 'rail')
    .where('period', '=', period)
    .where('currency', '=', currency)
    .where('completedAt', '<=', before)
    .where((eb) => eb(eb.refTuple('completedAt', 'id'), '>', eb.tuple(at, id)))
    .orderBy('completedAt')
    .orderBy('id')
    .limit(BATCH),
);

/** Counts the listed differences whose money is recorded by now. */
export async function countLearned(db: Db, rail: string, missing: Difference[]): Promise<number> {
  const refs = missing.flatMap(({ providerRef }) => providerRef ?? []);
  const request = { rail, refs };
  return (await findReceived.all(db, request)).length + (await findReturned.all(db, request)).length;
}
