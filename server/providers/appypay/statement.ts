// AppyPay's statement: its charges by day, since AppyPay has no clearing periods.
// A payment belongs to the day in AppyPay's time of payment, which has no zone.
import { readFields, readMoney, readText } from '../rail-call.ts';
import type { StatementEntry, StatementPage, StatementRail } from '../statement.ts';
import { createAppyPayCall } from './access.ts';
import { PAGE_SIZE, listCharges, parseCharge, readChargeStatus } from './charges.ts';
import { readStatus } from './codes.ts';
import type { AppyPayAccount } from './settings.ts';
import { DAY_MS } from '../../../shared/durations.ts';

/** Days that are read before the requested day: AppyPay may filter by creation, and references are paid days later. */
const DAYS_BEFORE = { gpo: 1, ppr: 35, sms: 0 };
/** Maximum charges of a statement, in case AppyPay's list never ends. */
const MAX_SKIP = 100_000;

/** Creates an account's statement. It lists no refunds, because AppyPay's refund events have no amount to compare. */
export function createStatement(account: AppyPayAccount): StatementRail {
  const call = createAppyPayCall(account);
  const { clock, kind } = account;
  return {
    listsRefunds: false,
    async listMovements(range, after) {
      const isSince = 'since' in range;
      const first = isSince ? range.since.getTime() : Date.parse(`${range.period}T00:00:00Z`);
      // AppyPay knows days only, so any other period is unlisted.
      if (Number.isNaN(first)) return { ...NOTHING_LISTED, result: 'unlisted' };
      const last = isSince ? clock.now().getTime() : first;
      const [dateFrom, dateTo] = [writeDay(first - DAYS_BEFORE[kind] * DAY_MS), writeDay(last + DAY_MS)];
      const skip = Number(after ?? 0);
      if (skip > MAX_SKIP) return NOTHING_LISTED;
      const list = await listCharges(call, { dateFrom, dateTo, skip, limit: PAGE_SIZE });
      if (list.charges === null) return NOTHING_LISTED;
      const count = list.charges.length;
      return { result: 'told', ...readMovements(list.charges, kind), next: count > 0 ? String(skip + count) : null };
    },
    findMovement: (providerRef) =>
      call<StatementEntry | 'unknown' | null>({
        method: 'GET',
        path: `/charges/${encodeURIComponent(providerRef)}`,
        read(answer) {
          if (answer.status === 404) return null;
          const { payment } = answer.status === 200 ? parseCharge(answer.body) : {};
          const { movements, unreadable } = readMovements([payment], kind);
          return unreadable.length > 0 ? 'unknown' : (movements[0] ?? null);
        },
        onFailure: () => 'unknown',
      }),
  };
}

const NOTHING_LISTED: StatementPage = { result: 'unknown', movements: [], unreadable: [], next: null };

function writeDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Picks the payments of one kind from a list of charges: references (`ppr`), or pushes and QR codes (`gpo`). */
function readMovements(
  charges: unknown[],
  kind: AppyPayAccount['kind'],
): Pick<StatementPage, 'movements' | 'unreadable'> {
  const movements: StatementEntry[] = [];
  const unreadable: string[] = [];
  for (const raw of charges) {
    const charge = readFields(raw);
    const isPush = (readFields(charge.reference).referenceNumber ?? null) === null;
    const chargeStatus = readChargeStatus(charge);
    const isNamed = readText(charge.id) !== null;
    const isNothing = !chargeStatus || (chargeStatus.meaning !== 'approved' && !chargeStatus.isContradicted);
    if (isNamed && (isPush !== (kind === 'gpo') || isNothing)) continue;
    const entry = chargeStatus?.meaning === 'approved' && !chargeStatus.isContradicted ? readEntry(charge) : null;
    if (entry) movements.push(entry);
    else unreadable.push(JSON.stringify(raw ?? null));
  }
  return { movements, unreadable };
}

/** Reads one payment of the statement. Null if its money is unreadable. */
function readEntry(charge: Record<string, unknown>): StatementEntry | null {
  const money = readMoney({ ...charge, transactionId: charge.id });
  if ('fault' in money) return null;
  const railKey = readText(charge.merchantTransactionId);
  return { kind: 'payment', ...money, ownId: null, railKey, occurredAt: readPaymentTime(charge), period: null };
}

/** Reads the time of payment in a statement. AppyPay's time has no zone, and is read as UTC. */
function readPaymentTime(charge: Record<string, unknown>): Date | null {
  const events = Array.isArray(charge.transactionEvents) ? charge.transactionEvents.map(readFields) : [];
  const taken = events.find(({ responseStatus }) => readStatus(responseStatus).meaning === 'approved');
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?/.exec(readText(taken?.createdDate) ?? '');
  const time = new Date(`${match?.[0]}Z`);
  return match && !Number.isNaN(time.getTime()) ? time : null;
}
