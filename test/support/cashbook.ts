// The PPR rail between two proxies, outside of the gateways; and the comparison of its books with what they recorded.
import { expect } from 'vitest';
import type { Clock } from '../../server/clock.ts';
import { toMinor } from '../../shared/money.ts';
import type { TestApp } from './app.ts';
import { creepUntil, travelFor, travelUntil } from './payments.ts';
import { readReference } from './ppr.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { PPR_KEY, startReferenceRail, type Cashbook, type RailPayment, type ReferenceRail } from './references.ts';
import type { Sql } from './truth.ts';
import { stopLater } from './stop-later.ts';

export type ProxiedRail = ReferenceRail & {
  /** What a gateway needs to reach it, through `calls`. */
  env: { PPR_URL: string; PPR_KEY: string };
  /** Gateway → rail. */
  calls: Proxy;
  /** Rail → gateway. */
  notifications: Proxy;
};

/** Starts it. `gatewayUrl` is asked at each notification. */
export async function startProxiedRail(options: { gatewayUrl: () => string; clock: Clock }): Promise<ProxiedRail> {
  const notifications = await startProxy(options.gatewayUrl);
  const rail = await startReferenceRail({ clock: options.clock, gatewayUrl: () => notifications.url });
  const calls = await startProxy(() => rail.url);
  return stopLater({
    ...rail,
    env: { PPR_URL: calls.url, PPR_KEY },
    calls,
    notifications,
    async stop() {
      await calls.stop();
      await notifications.stop();
      await rail.stop();
    },
  });
}

/** Three days after its end and past its time nobody hurries any more: the rail refuses it by itself. */
const BUSY = `select from payment_references
  where case when status = 'Pending' then registered_at is null or expires_at <= $1::timestamptz
    else withdrawn_at is null and (due_at is not null or expires_at > $1::timestamptz or closed_at > $1::timestamptz - interval '72 hours') end
  union all select from inbox where applied_at is null limit 1`;

const KNOWN = `select provider_ref as ref from transactions where rail = 'ppr'
  union all select substr(notification_id, 9) from inbox where rail = 'ppr' and notification_id like 'unknown %'`;

/** True when the rail knows what became of every reference, and we of all money that everybody may know. */
export async function isAtRest(sql: Sql, rail: ReferenceRail, now: Date): Promise<boolean> {
  if ((await sql(BUSY, [now])).length > 0) return false;
  const known = new Set((await sql(KNOWN)).map(({ ref }) => ref));
  const { referencePayments } = await rail.books();
  return referencePayments.every((payment) => !payment.isPublic || known.has(refOf(payment)));
}

/** Lets the clock run until nothing is left to do. */
export function travelToRest(app: TestApp, rail: ReferenceRail): Promise<boolean> {
  const isOver = () => isAtRest(app.sql, rail, app.clock.now());
  return travelUntil(app, isOver, 'references and money being settled');
}

/** The same in so much time, if it comes to be in that. */
export function isSettledWithin(app: TestApp, rail: ReferenceRail, ms: number): Promise<boolean> {
  return travelFor(app, () => isAtRest(app.sql, rail, app.clock.now()), ms);
}

/** The clock goes from one reading of the rail's list to the next until so much was received. */
export async function sweepUntilReceived(app: TestApp, digits: string, amount: number): Promise<any> {
  const what = `reference ${digits} having received ${amount}`;
  // Not by the API, which would show hundreds of payments each time.
  const received = 'select from payments where reference = $1 and amount_paid_minor = $2';
  const isReceived = async () => (await app.sql(received, [digits, amount * 100])).length > 0;
  for (let sweeps = 0; sweeps < 4 && !(await isReceived()); sweeps++) {
    app.clock.leap(61_000);
    await travelFor(app, isReceived, 3_000);
  }
  // Read by now; to write so much down may take a slow machine longer than the clock needs for any bound.
  await creepUntil(app, isReceived, what);
  return readReference(app, digits);
}

const REFERENCES = `
  select f.id, f.reference, f.type, f.status, f.registered_at is not null as is_registered,
    f.withdrawn_at is not null as is_withdrawn, f.due_at, f.expires_at,
    p.status as payment, p.amount_minor::int as asked, p.amount_paid_minor::int as paid, p.flags,
    (select coalesce(json_agg(json_build_object('ref', t.provider_ref, 'minor', t.amount_minor) order by t.provider_ref), '[]')
     from transactions t where t.payment_id = p.id) as money,
    (select count(*)::int from transactions t where t.payment_id = p.id and not exists (
       select from events e where e.payment_id = p.id and e.details ->> 'transactionId' = t.id::text)) as untold,
    (select coalesce(json_object_agg(type, times), '{}')
     from (select type, count(*)::int as times from events e where e.payment_id = p.id and e.type not like 'callback.%' group by type) of_type) as events
  from payment_references f join payments p on p.id = f.payment_id order by f.created_at, f.id`;

type Money = { ref: string; minor: number };
type OurReference = {
  id: string;
  reference: string;
  type: 'Dynamic' | 'Charging';
  status: string;
  is_registered: boolean;
  is_withdrawn: boolean;
  due_at: string | null;
  expires_at: string;
  payment: string;
  asked: number;
  paid: number;
  flags: string[];
  money: Money[];
  untold: number;
  events: Record<string, number>;
};

/**
 * For when all is at rest: of every reference the money recorded is what the rail took for that very one, to the cêntimo
 * and once; its payment's and its own status follow from it (decisions §3, §4). Money for references that are not ours is
 * kept in the inbox, once.
 */
export async function expectCash(sql: Sql, books: Cashbook): Promise<void> {
  const ours: OurReference[] = await sql(REFERENCES);
  const byId = new Map(books.references.map((book) => [book.id, book]));
  for (const row of ours) {
    const taken = moneyOf(byId.get(row.id)?.payments ?? []);
    expect({ reference: row.reference, money: row.money }).toEqual({ reference: row.reference, money: taken });
    const { id, type, status, payment, paid, untold, flags, due_at, events } = row;
    expect({
      id,
      type,
      status,
      payment,
      paid,
      untold,
      due_at,
      ...pickFlags(row, flags),
      ...pickCounts(events),
    }).toEqual({
      id,
      type,
      ...expectedEnd(row),
      paid: taken.reduce((sum, { minor }) => sum + minor, 0),
      untold: 0,
      due_at: status === 'Pending' ? row.expires_at : null,
    });
  }
  await expectUnknownKept(sql, books, new Set(ours.map(({ id }) => id)));
}

function moneyOf(payments: (RailPayment & { isPublic: boolean })[]): Money[] {
  const told = payments.filter(({ isPublic }) => isPublic);
  const minor = ({ amount, currency }: RailPayment) => {
    const read = toMinor(amount, currency);
    return 'minor' in read ? read.minor : Number.NaN;
  };
  return told.map((one) => ({ ref: refOf(one), minor: minor(one) })).toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
}

/** The rail's number of the money as we keep it. */
function refOf({ transactionId }: RailPayment): string {
  return String(BigInt(transactionId));
}

/** What the money makes of a reference, and how often each thing may have been told. */
function expectedEnd({ type, status, asked, money, paid, is_registered, is_withdrawn }: OurReference) {
  const accepted = money.filter(({ minor }) => minor >= asked);
  const isPaid = type === 'Dynamic' ? paid >= asked : accepted.length > 0;
  const end = isPaid && type === 'Dynamic' ? 'Paid' : status === 'Paid' ? 'not Paid' : status;
  const most = Math.max(0, ...money.map(({ minor }) => minor));
  const isOpen = asked === 0;
  return {
    status: end,
    payment: isPaid ? 'Paid' : end,
    mismatch: !isOpen && money.some(({ minor }) => minor < asked) && (type === 'Charging' || most < asked),
    overpaid: !isOpen && (type === 'Charging' ? most > asked : paid > asked),
    created: 1,
    paidTimes: isPaid ? 1 : 0,
    registered: is_registered ? 1 : 0,
    withdrawn: is_withdrawn ? 1 : 0,
    ended: end === 'Paid' ? 1 : 0,
  };
}

/** Of a Dynamic one with small and whole payments, whether something was missing depends on which was told first. */
function pickFlags({ type, asked, money }: OurReference, flags: string[]) {
  const less = money.filter(({ minor }) => minor < asked).length;
  const isClear = type === 'Charging' || less === 0 || less === money.length;
  return { mismatch: isClear && flags.includes('amount_mismatch'), overpaid: flags.includes('overpaid') };
}

function pickCounts(events: Record<string, number>) {
  const count = (type: string) => events[type] ?? 0;
  return {
    created: count('payment.created'),
    paidTimes: count('payment.paid'),
    registered: count('reference.registered'),
    withdrawn: count('reference.withdrawn'),
    ended: count('reference.paid'),
  };
}

async function expectUnknownKept(sql: Sql, books: Cashbook, ours: Set<string>): Promise<void> {
  const foreign = books.referencePayments.filter(({ referenceId, isPublic }) => isPublic && !ours.has(referenceId));
  const kept = await sql(`select substr(notification_id, 9) as ref, outcome from inbox
    where rail = 'ppr' and notification_id like 'unknown %' order by 1`);
  expect(kept).toEqual(
    foreign
      .map((payment) => ({ ref: refOf(payment), outcome: 'unknown_reference' }))
      .toSorted((a, b) => (a.ref < b.ref ? -1 : 1)),
  );
}
