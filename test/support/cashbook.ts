// The PPR rail between two proxies, and the comparison of its books with the gateway's records.
import { expect } from 'vitest';
import type { Clock } from '../../server/clock.ts';
import { toMinor } from '../../shared/money.ts';
import type { TestApp } from './app.ts';
import { creepUntil, travelFor, travelUntil } from './payments.ts';
import { readReference } from './ppr.ts';
import { startProxy } from './proxy.ts';
import { PPR_KEY, startReferenceRail, type Cashbook, type RailPayment, type ReferenceRail } from './references.ts';
import type { Sql } from './truth.ts';
import { stopLater } from './stop-later.ts';

export type ProxiedRail = Awaited<ReturnType<typeof startProxiedRail>>;

/** Starts the rail. It reads `gatewayUrl` for each notification. */
export async function startProxiedRail(options: { gatewayUrl: () => string; clock: Clock }) {
  const notifications = await startProxy(options.gatewayUrl);
  const rail = await startReferenceRail({ clock: options.clock, gatewayUrl: () => notifications.url });
  const calls = await startProxy(() => rail.url);
  const stop = async () => {
    await calls.stop();
    await notifications.stop();
    await rail.stop();
  };
  /** With `env` a gateway calls the rail through the proxy `calls`. The rail uses the proxy `notifications`. */
  return stopLater({ ...rail, env: { PPR_URL: calls.url, PPR_KEY }, calls, notifications, stop });
}

/** Ignores work on an expired reference after three days, because the rail refuses the reference by its own clock. */
const BUSY = `select from payment_references
  where case when status = 'Pending' then registered_at is null or expires_at <= $1::timestamptz
    else withdrawn_at is null and (due_at is not null or expires_at > $1::timestamptz
      or closed_at > $1::timestamptz - interval '72 hours') end
  union all select from inbox where applied_at is null limit 1`;

const KNOWN = `select provider_ref as ref from transactions where rail = 'ppr'
  union all select substr(notification_id, 9) from inbox where rail = 'ppr' and notification_id like 'unknown %'`;

/** True if the rail knows each ended reference and the gateway has recorded all published payments. */
export async function isAtRest(sql: Sql, rail: ReferenceRail, now: Date): Promise<boolean> {
  if ((await sql(BUSY, [now])).length > 0) return false;
  const known = new Set((await sql(KNOWN)).map(({ ref }) => ref));
  return (await rail.books()).referencePayments.every((payment) => !payment.isPublic || known.has(refOf(payment)));
}

/** Moves the clock until no work is left. */
export function travelToRest(app: TestApp, rail: ReferenceRail): Promise<boolean> {
  return travelUntil(app, () => isAtRest(app.sql, rail, app.clock.now()), 'references and money being settled');
}

/** Moves the clock until no work is left, at most by `ms`. Returns whether no work is left. */
export function isSettledWithin(app: TestApp, rail: ReferenceRail, ms: number): Promise<boolean> {
  return travelFor(app, () => isAtRest(app.sql, rail, app.clock.now()), ms);
}

/** Moves the clock from sweep to sweep of the rail's payment list until the reference has received this amount. */
export async function sweepUntilReceived(app: TestApp, digits: string, amount: number): Promise<any> {
  // The API would show hundreds of payments each time.
  const received = 'select from payments where reference = $1 and amount_paid_minor = $2';
  const isReceived = async () => (await app.sql(received, [digits, amount * 100])).length > 0;
  for (let sweeps = 0; sweeps < 4 && !(await isReceived()); sweeps++) {
    app.clock.leap(61_000);
    await travelFor(app, isReceived, 3_000);
  }
  // Slow machines need longer to write what the sweep has read.
  await creepUntil(app, isReceived, `reference ${digits} having received ${amount}`);
  return readReference(app, digits);
}

const REFERENCES = `
  select f.id, f.reference, f.type, f.status, p.status as payment, f.due_at, f.expires_at,
    f.registered_at is not null as is_registered, f.withdrawn_at is not null as is_withdrawn,
    p.amount_minor::int as asked, p.amount_paid_minor::int as paid, p.flags,
    (select coalesce(json_agg(json_build_object('ref', t.provider_ref, 'minor', t.amount_minor)
      order by t.provider_ref), '[]')
     from transactions t where t.payment_id = p.id) as money,
    (select count(*)::int from transactions t where t.payment_id = p.id and not exists (
       select from events e where e.payment_id = p.id and e.details ->> 'transactionId' = t.id::text)) as unreported,
    (select coalesce(json_object_agg(type, times), '{}')
     from (select type, count(*)::int as times from events e where e.payment_id = p.id and e.type not like 'callback.%'
       group by type) of_type) as events
  from payment_references f join payments p on p.id = f.payment_id order by f.created_at, f.id`;

type Money = { ref: string; minor: number };

/**
 * Compares the references with the rail's books when no work is left.
 * Each reference has exactly the money that the rail received for it, and its two statuses follow from that money.
 * The inbox has money for unknown references once.
 */
export async function expectCash(sql: Sql, books: Cashbook): Promise<void> {
  const rows = await sql(REFERENCES);
  const byId = new Map(books.references.map((book) => [book.id, book]));
  for (const row of rows) {
    const { reference, status, payment, paid, due_at, events, unreported } = row;
    const money = moneyOf(byId.get(row.id)?.payments ?? []);
    const counts = COUNTED.map((type) => events[type] ?? 0);
    const about = { reference, status, payment, paid, unreported, due_at, counts };
    const seen = { ...about, money: row.money, flags: clearFlags(row) };
    expect(seen).toEqual({
      reference,
      money,
      paid: money.reduce((sum, { minor }) => sum + minor, 0),
      unreported: 0,
      due_at: status === 'Pending' ? row.expires_at : null,
      ...expectedEnd(row),
    });
  }
  await expectUnknownKept(sql, books, new Set(rows.map(({ id }) => id)));
}

function moneyOf(payments: (RailPayment & { isPublic: boolean })[]): Money[] {
  const minorOf = ({ amount, currency }: RailPayment) => {
    const read = toMinor(amount, currency);
    return 'minor' in read ? read.minor : Number.NaN;
  };
  const published = payments.filter(({ isPublic }) => isPublic);
  return published
    .map((one) => ({ ref: refOf(one), minor: minorOf(one) }))
    .toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
}

/** The rail's transaction id as the gateway stores it. */
function refOf({ transactionId }: RailPayment): string {
  return String(BigInt(transactionId));
}

const COUNTED = ['payment.created', 'payment.paid', 'reference.registered', 'reference.withdrawn', 'reference.paid'];

/** Derives both statuses, the flags and the count of each event from the money. */
function expectedEnd({ type, status, asked, money, paid, is_registered, is_withdrawn }: any) {
  const amounts: number[] = money.map(({ minor }: Money) => minor);
  const isPaid = type === 'Dynamic' ? paid >= asked : amounts.some((minor) => minor >= asked);
  const end = isPaid && type === 'Dynamic' ? 'Paid' : status === 'Paid' ? 'not Paid' : status;
  const most = Math.max(0, ...amounts);
  const isShort = amounts.some((minor) => minor < asked) && (type === 'Charging' || most < asked);
  const isMore = type === 'Charging' ? most > asked : paid > asked;
  return {
    status: end,
    payment: isPaid ? 'Paid' : end,
    counts: [true, isPaid, is_registered, is_withdrawn, end === 'Paid'].map(Number),
    flags: { mismatch: asked > 0 && isShort, overpaid: asked > 0 && isMore },
  };
}

/** With small and whole payments of a Dynamic reference, the mismatch depends on their order. */
function clearFlags({ type, asked, money, flags }: any) {
  const less = money.filter(({ minor }: Money) => minor < asked).length;
  const isClear = type === 'Charging' || less === 0 || less === money.length;
  return { mismatch: isClear && flags.includes('amount_mismatch'), overpaid: flags.includes('overpaid') };
}

async function expectUnknownKept(sql: Sql, books: Cashbook, ours: Set<string>): Promise<void> {
  const foreign = books.referencePayments.filter(({ referenceId, isPublic }) => isPublic && !ours.has(referenceId));
  const kept = await sql(`select substr(notification_id, 9) as ref, outcome from inbox
    where rail = 'ppr' and notification_id like 'unknown %' order by 1`);
  const refs = foreign.map(refOf).toSorted();
  expect(kept).toEqual(refs.map((ref) => ({ ref, outcome: 'unknown_reference' })));
}
