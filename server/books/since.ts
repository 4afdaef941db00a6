// All that a rail took and gave back since a moment, beside ours: what is known here is asked about, what was lost is made again, the
// rest is named.
import { compareMinor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import type { Actor } from '../audit/record.ts';
import { syncPayment } from '../payments/core/polling.ts';
import { findPayments } from '../payments/core/rows.ts';
import { recoverPayment, type Recovery } from './recover.ts';
import { findKnown, findOrdered, keyOf, type Entry, type Rail } from './statement.ts';

/** The rail's clock and ours need not agree on which side of the moment something was. */
const MARGIN_MS = 3_600_000;

/**
 * `learned`: its order is ours, and told of the money when it was asked about. `recovered`: its payment was lost, and is there again.
 * `missing_here`: the rail has it and nobody here does; `missing_there`: the other way round; `amount`: not as much on both sides.
 */
export type Finding = {
  what: 'learned' | 'recovered' | 'missing_here' | 'missing_there' | 'amount';
  kind: Entry['kind'];
  providerRef: string;
  amountMinor: number;
  currency: string;
  ourAmountMinor: number | null;
  occurredAt: Date | null;
  /** Ours, as the rail names it. */
  orderId: string | null;
  paymentId: string | null;
  /** Of what is missing here. */
  why: Recovery | 'ordered' | 'refund' | null;
  entry: Entry | null;
};

/** `unlisted`: this rail cannot list since a moment. `unknown`: it did not answer; what was found until then is there. */
export type Looked = {
  result: 'told' | 'unlisted' | 'unknown';
  listed: number;
  findings: Finding[];
  unreadable: string[];
};

type Look = { rail: Rail; since: Date; actor: Actor | null };

/** Compares with one account, which lists its books. Whoever has it done is in the audit; without one nothing is changed. */
export async function compareSince(core: Core, look: Look): Promise<Looked> {
  const { statement } = look.rail.clients;
  const looked: Looked = { result: 'told', listed: 0, findings: [], unreadable: [] };
  if (!statement) return { ...looked, result: 'unlisted' };
  const startedAt = core.clock.now();
  const from = new Date(look.since.getTime() - MARGIN_MS);
  const seen = new Set<string>();
  for (let after: string | null = null; ;) {
    const page = await statement.listMovements({ since: from }, after);
    // A list that turns in a circle is none.
    if (page.result === 'told' && page.next !== null && page.next === after) return { ...looked, result: 'unknown' };
    if (page.result !== 'told') return { ...looked, result: page.result };
    const listed = page.movements.filter(({ occurredAt }) => !occurredAt || occurredAt >= from);
    looked.listed += listed.length;
    looked.unreadable.push(...page.unreadable);
    for (const entry of listed) seen.add(keyOf(entry));
    looked.findings.push(...(await comparePage(core, look, listed)));
    if (page.next === null) break;
    after = page.next;
  }
  // What could not be read may be any of ours.
  if (looked.unreadable.length === 0)
    looked.findings.push(...(await findMissingThere(core, look, { seen, before: startedAt })));
  return looked;
}

async function comparePage(core: Core, look: Look, listed: Entry[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const known = new Map((await findKnown(core, look.rail.id, listed)).map((own) => [keyOf(own), own]));
  for (const entry of listed) {
    const own = known.get(keyOf(entry));
    const isSame = own?.currency === entry.currency && compareMinor(own.amountMinor, entry.amountMinor) === 'exact';
    if (own && !isSame)
      findings.push({ ...nameEntry(entry, 'amount'), ourAmountMinor: own.amountMinor, paymentId: own.paymentId });
  }
  const missing = listed.filter((entry) => !known.has(keyOf(entry)));
  return missing.length > 0 ? [...findings, ...(await settle(core, look, missing))] : findings;
}

function nameEntry(entry: Entry, what: Finding['what']): Finding {
  const { kind, providerRef, amountMinor, currency, occurredAt, ownId, railKey } = entry;
  const about = { kind, providerRef, amountMinor, currency, occurredAt, orderId: ownId ?? railKey };
  return { what, ...about, ourAmountMinor: null, paymentId: null, why: null, entry };
}

/** What the rail has and we do not: its order is asked about where we know it, else its payment is made again. */
async function settle(core: Core, { rail, actor }: Look, missing: Entry[]): Promise<Finding[]> {
  const orders = await findOrdered(core, rail.id, missing);
  const orderOf = (entry: Entry) => orders.get(entry.ownId ?? entry.railKey ?? '');
  const ids = [...new Set(missing.flatMap((entry) => orderOf(entry)?.paymentId ?? []))];
  if (actor) await askAll(core, ids);
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

/** By the door that every outcome enters by. */
async function askAll(core: Core, ids: string[]): Promise<void> {
  for (const payment of ids.length > 0 ? await findPayments.all(core, { ids }) : []) {
    await syncPayment(core, payment).catch((error: unknown) =>
      core.log.warn({ err: error, paymentId: payment.id }, 'could not ask about money that the rail lists'),
    );
  }
}

/** So many at most are asked about one by one, where a rail's list may leave some out. */
const ASKED_AT_MOST = 100;

/** Money that we recorded since then, before the rail was asked, and that it has not listed. */
async function findMissingThere(
  core: Core,
  { rail, since }: Look,
  { seen, before }: { seen: ReadonlySet<string>; before: Date },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let asked = 0;
  for (let after: string | null = idAt(new Date(since.getTime() - MARGIN_MS)); after;) {
    const rows: OwnMoney[] = await listReceived.all(core, { rail: rail.id, since, before, after });
    for (const { paymentId, attemptId = null, ...own } of rows) {
      const money = { kind: 'payment', ...own } as const;
      if (seen.has(keyOf(money))) continue;
      const { statement } = rail.clients;
      const entry =
        statement?.findMovement && asked++ < ASKED_AT_MOST ? await statement.findMovement(own.providerRef) : null;
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

/** By id, which grows with the moment of recording: no other index has the money of all merchants. */
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

/** The least id that could be made at a moment. */
function idAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
