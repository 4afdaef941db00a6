// Compares the money that a rail took and refunded since a given time with the gateway's movements.
// The comparison polls known orders, recovers lost payments, and reports the other differences.
import { compareMinor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import type { Actor } from '../audit/record.ts';
import { syncPayment } from '../payments/core/polling.ts';
import { findPayments } from '../payments/core/rows.ts';
import { recoverPayment, type Recovery } from './recover-payment.ts';
import { findKnown, findOrdered, keyOf, type Entry, type Rail } from './statement.ts';
import { HOUR_MS } from '../../shared/durations.ts';

/** The margin before the given time, because the clocks of the rail and the node may differ. */
const MARGIN_MS = HOUR_MS;

/**
 * - `learned`: a poll of a known order recorded the money.
 * - `recovered`: the lost payment exists again.
 * - `missing_here`: the rail lists a transaction that the gateway lacks.
 * - `missing_there`: the gateway has a transaction that the rail does not list.
 * - `amount`: the rail and the gateway have different amounts.
 */
export type Finding = {
  what: 'learned' | 'recovered' | 'missing_here' | 'missing_there' | 'amount';
  kind: Entry['kind'];
  providerRef: string;
  amountMinor: number;
  currency: string;
  ourAmountMinor: number | null;
  occurredAt: Date | null;
  /** The gateway's order id in the rail's entry. */
  orderId: string | null;
  paymentId: string | null;
  /** The reason of a finding `missing_here`. */
  why: Recovery | 'ordered' | 'refund' | null;
  entry: Entry | null;
};

/**
 * `unlisted`: the rail cannot list transactions since a time.
 * `unknown`: the rail did not respond, and the findings are incomplete.
 */
export type SinceComparison = {
  result: 'told' | 'unlisted' | 'unknown';
  listed: number;
  findings: Finding[];
  unreadable: string[];
};

type SinceRequest = { rail: Rail; since: Date; actor: Actor | null };

/** Compares with the list of one rail account. The audit log names `actor`. Without an actor, nothing is changed. */
export async function compareSince(core: Core, request: SinceRequest): Promise<SinceComparison> {
  const { statement } = request.rail.clients;
  const comparison: SinceComparison = { result: 'told', listed: 0, findings: [], unreadable: [] };
  if (!statement) return { ...comparison, result: 'unlisted' };
  const startedAt = core.clock.now();
  const from = new Date(request.since.getTime() - MARGIN_MS);
  const seen = new Set<string>();
  for (let after: string | null = null; ;) {
    const page = await statement.listMovements({ since: from }, after);
    // A rail's page whose next link leads to the same page would never end.
    if (page.result === 'told' && page.next !== null && page.next === after)
      return { ...comparison, result: 'unknown' };
    if (page.result !== 'told') return { ...comparison, result: page.result };
    const listed = page.movements.filter(({ occurredAt }) => !occurredAt || occurredAt >= from);
    comparison.listed += listed.length;
    comparison.unreadable.push(...page.unreadable);
    for (const entry of listed) seen.add(keyOf(entry));
    comparison.findings.push(...(await comparePage(core, request, listed)));
    if (page.next === null) break;
    after = page.next;
  }
  // An unreadable entry may be any movement of the gateway.
  if (comparison.unreadable.length === 0)
    comparison.findings.push(...(await findMissingThere(core, request, { seen, before: startedAt })));
  return comparison;
}

async function comparePage(core: Core, request: SinceRequest, listed: Entry[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const known = new Map((await findKnown(core, request.rail.id, listed)).map((own) => [keyOf(own), own]));
  for (const entry of listed) {
    const own = known.get(keyOf(entry));
    const isSame = own?.currency === entry.currency && compareMinor(own.amountMinor, entry.amountMinor) === 'exact';
    if (own && !isSame)
      findings.push({ ...nameEntry(entry, 'amount'), ourAmountMinor: own.amountMinor, paymentId: own.paymentId });
  }
  const missing = listed.filter((entry) => !known.has(keyOf(entry)));
  return missing.length > 0 ? [...findings, ...(await handleMissing(core, request, missing))] : findings;
}

function nameEntry(entry: Entry, what: Finding['what']): Finding {
  const { kind, providerRef, amountMinor, currency, occurredAt, ownId, railKey } = entry;
  const about = { kind, providerRef, amountMinor, currency, occurredAt, orderId: ownId ?? railKey };
  return { what, ...about, ourAmountMinor: null, paymentId: null, why: null, entry };
}

/** Handles entries that the gateway lacks: polls their known orders, and recovers payments of unknown orders. */
async function handleMissing(core: Core, { rail, actor }: SinceRequest, missing: Entry[]): Promise<Finding[]> {
  const orders = await findOrdered(core, rail.id, missing);
  const orderOf = (entry: Entry) => orders.get(entry.ownId ?? entry.railKey ?? '');
  const ids = [...new Set(missing.flatMap((entry) => orderOf(entry)?.paymentId ?? []))];
  if (actor) await pollAll(core, ids);
  const learned = new Set((await findKnown(core, rail.id, missing)).map(keyOf));
  const findings: Finding[] = [];
  for (const entry of missing) {
    const paymentId = orderOf(entry)?.paymentId ?? null;
    if (learned.has(keyOf(entry))) findings.push({ ...nameEntry(entry, 'learned'), paymentId });
    else if (paymentId !== null) findings.push({ ...nameEntry(entry, 'missing_here'), paymentId, why: 'ordered' });
    else if (entry.kind === 'refund') findings.push({ ...nameEntry(entry, 'missing_here'), why: 'refund' });
    else findings.push(await recover(core, rail, entry, actor));
  }
  return findings;
}

async function recover(core: Core, rail: Rail, entry: Entry, actor: Actor | null): Promise<Finding> {
  const { recovery, paymentId } = await recoverPayment(core, rail, entry, actor);
  if (recovery === 'recovered') return { ...nameEntry(entry, 'recovered'), paymentId };
  if (recovery === 'known') return { ...nameEntry(entry, 'learned'), paymentId };
  return { ...nameEntry(entry, 'missing_here'), paymentId, why: recovery };
}

/** Polls these payments. `applyOutcome` records the results, as for every poll. */
async function pollAll(core: Core, ids: string[]): Promise<void> {
  for (const payment of ids.length > 0 ? await findPayments.all(core, { ids }) : []) {
    await syncPayment(core, payment).catch((error: unknown) =>
      core.log.warn({ err: error, paymentId: payment.id }, 'could not poll a payment of the rail’s list'),
    );
  }
}

/** The most transactions that are queried one by one, if the rail's list may be incomplete. */
const QUERIES_AT_MOST = 100;

/** Finds recorded transactions that the rail did not list. Transactions recorded during the comparison are left out. */
async function findMissingThere(
  core: Core,
  { rail, since }: SinceRequest,
  { seen, before }: { seen: ReadonlySet<string>; before: Date },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let queries = 0;
  for (let after: string | null = idAt(new Date(since.getTime() - MARGIN_MS)); after;) {
    const rows: OwnMoney[] = await listReceived.all(core, { rail: rail.id, since, before, after });
    for (const { paymentId, attemptId = null, ...own } of rows) {
      const money = { kind: 'payment', ...own } as const;
      if (seen.has(keyOf(money))) continue;
      const { statement } = rail.clients;
      const entry =
        statement?.findMovement && queries++ < QUERIES_AT_MOST ? await statement.findMovement(own.providerRef) : null;
      if (entry) continue;
      const { providerRef, amountMinor, currency, occurredAt } = own;
      const about = { kind: 'payment', providerRef, amountMinor, currency, occurredAt, orderId: attemptId } as const;
      const ours = { ourAmountMinor: amountMinor, paymentId, why: null, entry: null };
      findings.push({ what: 'missing_there', ...about, ...ours });
    }
    after = rows.length === BATCH ? (rows.at(-1)?.id ?? null) : null;
  }
  return findings;
}

const BATCH = 5_000;

type Range = { rail: string; since: Date; before: Date; after: string };
type OwnMoney = Awaited<ReturnType<typeof listReceived.all>>[number];

/** Lists transactions by id, which grows with the time of recording. No other index covers all merchants. */
const listReceived = prepared((tables, { rail, since, before, after }: Range) =>
  tables
    .selectFrom('transactions')
    .select(['id', 'paymentId', 'attemptId', 'providerRef', 'amountMinor', 'currency', 'occurredAt'])
    .where('id', '>', after)
    .where('rail', '=', rail)
    .where('occurredAt', '>=', since)
    .where('createdAt', '<=', before)
    .orderBy('id')
    .limit((eb) => eb.lit(BATCH)),
);

/** Returns the smallest UUID (version 7) of a time. */
function idAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
