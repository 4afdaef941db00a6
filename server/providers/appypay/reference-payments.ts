// What was paid to references, as AppyPay's list of charges tells it: of one reference, or of all in a window that moves on.
import type { Clock } from '../../clock.ts';
import { readFields, readMoney, readText } from '../ask.ts';
import type { PaymentsPage, ReferenceKey, ReferencePayment, ReferenceQuery } from '../provider.ts';
import type { AppyPayAsk } from './access.ts';
import { PAGE_SIZE, keyOf, listCharges, luandaDay, readDetails, readEntity, readStanding } from './charges.ts';

/** Every payment of one reference: of one that was registered as a charge, by our key; of any other the list tells. */
export async function queryReference(ask: AppyPayAsk, wanted: ReferenceKey, clock: Clock): Promise<ReferenceQuery> {
  const key = keyOf(wanted.referenceId);
  const list = await listCharges(ask, { merchantTransactionId: key, limit: PAGE_SIZE });
  if (list.charges === null) return UNKNOWN;
  if (list.isEmpty) return { result: 'unsupported', payments: [] };
  const charges = list.charges.map(readFields);
  if (charges.length === 0 || charges.some(({ merchantTransactionId }) => merchantTransactionId !== key))
    return UNKNOWN;
  const { payments, unreadable } = readPaid(charges, clock);
  const isTheirs = payments.every(
    ({ entity, reference }) => entity === wanted.entity && reference === wanted.reference,
  );
  if (unreadable.length > 0 || !isTheirs) return UNKNOWN;
  return { result: 'told', payments: payments.map((payment) => ({ ...payment, referenceId: wanted.referenceId })) };
}

const UNKNOWN: ReferenceQuery = { result: 'unknown', payments: [] };

/** Each sweep reads this much again: late entries, and what the clearing file tells once more. */
const OVERLAP_DAYS = 4;
/** The first sweep of a day: whether the window is by the day a charge was made or paid, nobody says. */
const DEEP_DAYS = 35;
const RESWEEP_MS = 5 * 60_000;
/** Far above a window's charges: a list that never ends is left. */
const MAX_SKIP = 100_000;

/** Where a sweep is: since which day it reads, when it began, and how many charges it has read. */
type Sweep = { fromDay: string; startedAt: Date; skip: number };

/**
 * A page of the window. At its end the cursor stays, which tells the caller to rest, until the next sweep is due: that one
 * begins where the last one began, less the overlap.
 */
export async function listReferencePayments(
  ask: AppyPayAsk,
  after: string | null,
  clock: Clock,
): Promise<PaymentsPage> {
  const now = clock.now();
  const sweep = readCursor(after) ?? { fromDay: luandaDay(now, -DEEP_DAYS), startedAt: now, skip: 0 };
  const { fromDay, startedAt, skip } = sweep;
  const list = await listCharges(ask, { dateFrom: fromDay, dateTo: luandaDay(now, 1), skip, limit: PAGE_SIZE });
  if (list.charges === null) return { result: 'unknown', payments: [], unreadable: [], next: null };
  const count = list.charges.length;
  const isEnd = count === 0 || skip + count > MAX_SKIP;
  const isDue = now.getTime() - startedAt.getTime() >= RESWEEP_MS;
  const next = !isEnd ? { ...sweep, skip: skip + count } : isDue ? startSweep(sweep, now) : sweep;
  return { result: 'told', ...readPaid(list.charges, clock), next: writeCursor(next) };
}

function startSweep({ startedAt }: Sweep, now: Date): Sweep {
  const isNewDay = luandaDay(startedAt) !== luandaDay(now);
  return { fromDay: luandaDay(startedAt, isNewDay ? -DEEP_DAYS : -OVERLAP_DAYS), startedAt: now, skip: 0 };
}

function writeCursor({ fromDay, startedAt, skip }: Sweep): string {
  return `${fromDay} ${startedAt.toISOString()} ${skip}`;
}

/** Null for the first page, and for a cursor that is not ours: the window is read from its beginning. */
function readCursor(text: string | null): Sweep | null {
  const [, fromDay, started, skip] = /^(\d{4}-\d\d-\d\d) (\d{4}-\d\d-\d\dT[\d:.]+Z) (\d{1,6})$/.exec(text ?? '') ?? [];
  if (!fromDay || !started || !skip || Number.isNaN(Date.parse(started))) return null;
  return { fromDay, startedAt: new Date(started), skip: Number(skip) };
}

/** The money among charges: those of references, and paid. Other charges are pushes. */
function readPaid(charges: unknown[], clock: Clock): Pick<PaymentsPage, 'payments' | 'unreadable'> {
  const payments: ReferencePayment[] = [];
  const unreadable: string[] = [];
  for (const entry of charges) {
    const charge = readFields(entry);
    const digits = readFields(charge.reference).referenceNumber ?? null;
    const standing = readStanding(charge);
    const isPush = readText(charge.id) !== null && digits === null;
    if (isPush || (standing && standing.meaning !== 'approved' && !standing.isContradicted)) continue;
    const payment = standing && !standing.isContradicted ? readReferencePayment(charge, clock) : null;
    if (payment) payments.push(payment);
    else unreadable.push(JSON.stringify(entry));
  }
  return { payments, unreadable };
}

/**
 * One payment; null when its money or its digits cannot be read. Its time has no zone there: it is when we learned of it,
 * and theirs is kept as it was said.
 */
function readReferencePayment(charge: Record<string, unknown>, clock: Clock): ReferencePayment | null {
  const money = readMoney({ ...charge, transactionId: charge.id });
  const { referenceNumber, entity } = readFields(charge.reference);
  const [digits, owner] = [readText(referenceNumber) ?? '', readEntity(entity)];
  if ('fault' in money || !owner || !/^\d{9,15}$/.test(digits)) return null;
  return { ...money, entity: owner, reference: digits, occurredAt: clock.now(), details: readDetails(charge) };
}
