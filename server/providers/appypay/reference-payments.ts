// Reads payments to references from AppyPay's list of charges, for one reference or for a window of days.
import type { Clock } from '../../clock.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { readFields, readMoney, readText } from '../rail-call.ts';
import type { PaymentsPage, ReferenceKey, ReferencePayment, ReferenceQuery } from '../provider.ts';
import type { AppyPayCall } from './access.ts';
import { PAGE_SIZE, keyOf, listCharges, luandaDay, readDetails, readEntity, readChargeStatus } from './charges.ts';

/** Returns the payments of a reference that was registered as a charge. Only the window has those of others. */
export async function queryReference(call: AppyPayCall, wanted: ReferenceKey, clock: Clock): Promise<ReferenceQuery> {
  const key = keyOf(wanted.referenceId);
  const list = await listCharges(call, { merchantTransactionId: key, limit: PAGE_SIZE });
  if (list.charges === null) return UNKNOWN;
  if (list.isEmpty) return { result: 'unsupported', payments: [] };
  const charges = list.charges.map(readFields);
  if (charges.length === 0 || charges.some(({ merchantTransactionId }) => merchantTransactionId !== key))
    return UNKNOWN;
  const { payments, unreadable } = readPaid(charges, clock);
  const isWanted = payments.every(
    ({ entity, reference }) => entity === wanted.entity && reference === wanted.reference,
  );
  if (unreadable.length > 0 || !isWanted) return UNKNOWN;
  return { result: 'told', payments: payments.map((payment) => ({ ...payment, referenceId: wanted.referenceId })) };
}

const UNKNOWN: ReferenceQuery = { result: 'unknown', payments: [] };

/** Days before the last sweep that each sweep reads again, for late entries and repetitions from the clearing file. */
const OVERLAP_DAYS = 4;
/** Days that the first sweep reads. AppyPay does not document whether the window filters by creation or by payment. */
const FIRST_SWEEP_DAYS = 35;
const RESWEEP_MS = 5 * MINUTE_MS;
/** Maximum charges of a sweep, in case AppyPay's list never ends. No real window has so many. */
const MAX_SKIP = 100_000;

/** The position of a sweep over the list of charges: its first day, its start, and the number of charges read. */
type Sweep = { fromDay: string; startedAt: Date; skip: number };

/**
 * Returns a page of the window. At the end of a sweep the cursor does not change, so that the caller pauses.
 * When the next sweep is due, it begins on the day of the last sweep's start, minus the overlap.
 */
export async function listReferencePayments(
  call: AppyPayCall,
  after: string | null,
  clock: Clock,
): Promise<PaymentsPage> {
  const now = clock.now();
  const sweep = readCursor(after) ?? { fromDay: luandaDay(now, -FIRST_SWEEP_DAYS), startedAt: now, skip: 0 };
  const { fromDay, startedAt, skip } = sweep;
  const list = await listCharges(call, { dateFrom: fromDay, dateTo: luandaDay(now, 1), skip, limit: PAGE_SIZE });
  if (list.charges === null) return { result: 'unknown', payments: [], unreadable: [], next: null };
  const count = list.charges.length;
  const isEnd = count === 0 || skip + count > MAX_SKIP;
  const isDue = now.getTime() - startedAt.getTime() >= RESWEEP_MS;
  const next = !isEnd ? { ...sweep, skip: skip + count } : isDue ? startSweep(sweep, now) : sweep;
  return { result: 'told', ...readPaid(list.charges, clock), next: writeCursor(next) };
}

function startSweep({ startedAt }: Sweep, now: Date): Sweep {
  const isNewDay = luandaDay(startedAt) !== luandaDay(now);
  return { fromDay: luandaDay(startedAt, isNewDay ? -FIRST_SWEEP_DAYS : -OVERLAP_DAYS), startedAt: now, skip: 0 };
}

function writeCursor({ fromDay, startedAt, skip }: Sweep): string {
  return `${fromDay} ${startedAt.toISOString()} ${skip}`;
}

/** Parses the cursor of a sweep. Null, for a missing or unreadable cursor, starts the first sweep. */
function readCursor(text: string | null): Sweep | null {
  const [, fromDay, started, skip] = /^(\d{4}-\d\d-\d\d) (\d{4}-\d\d-\d\dT[\d:.]+Z) (\d{1,6})$/.exec(text ?? '') ?? [];
  if (!fromDay || !started || !skip || Number.isNaN(Date.parse(started))) return null;
  return { fromDay, startedAt: new Date(started), skip: Number(skip) };
}

/** Picks the paid references from a list of charges. All other charges are pushes. */
function readPaid(charges: unknown[], clock: Clock): Pick<PaymentsPage, 'payments' | 'unreadable'> {
  const payments: ReferencePayment[] = [];
  const unreadable: string[] = [];
  for (const entry of charges) {
    const charge = readFields(entry);
    const digits = readFields(charge.reference).referenceNumber ?? null;
    const chargeStatus = readChargeStatus(charge);
    const isPush = readText(charge.id) !== null && digits === null;
    if (isPush || (chargeStatus && chargeStatus.meaning !== 'approved' && !chargeStatus.isContradicted)) continue;
    const payment = chargeStatus && !chargeStatus.isContradicted ? readReferencePayment(charge, clock) : null;
    if (payment) payments.push(payment);
    else unreadable.push(JSON.stringify(entry));
  }
  return { payments, unreadable };
}

/**
 * Reads one payment to a reference. Null if its money or its digits are unreadable.
 * AppyPay's time has no zone: `occurredAt` is the time of reading, and `details` has AppyPay's time.
 */
function readReferencePayment(charge: Record<string, unknown>, clock: Clock): ReferencePayment | null {
  const money = readMoney({ ...charge, transactionId: charge.id });
  const { referenceNumber, entity } = readFields(charge.reference);
  const [digits, owner] = [readText(referenceNumber) ?? '', readEntity(entity)];
  if ('fault' in money || !owner || !/^\d{9,15}$/.test(digits)) return null;
  return { ...money, entity: owner, reference: digits, occurredAt: clock.now(), details: readDetails(charge) };
}
