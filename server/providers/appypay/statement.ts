// AppyPay's books: its charges by days, as it has no clearing periods. Money is in the day of its time, which has no zone there.
import { readFields, readMoney, readText } from '../ask.ts';
import type { StatementEntry, StatementPage, StatementRail } from '../statement.ts';
import { createAccess } from './access.ts';
import { PAGE_SIZE, listCharges, parseCharge, readStanding } from './charges.ts';
import { readStatus } from './codes.ts';
import type { AppyPayAccount } from './settings.ts';
import { DAY_MS } from '../../../shared/durations.ts';

/** Whether days are those of making or of paying nobody says: a reference is paid long after it was made, a push at once. */
const DAYS_BEFORE = { gpo: 1, ppr: 35, sms: 0 };
/** A list that never ends is left. */
const MAX_SKIP = 100_000;

/** The books of one account. Refunds are events without an amount there: nothing that could be compared. */
export function createStatement(account: AppyPayAccount): StatementRail {
  const ask = createAccess(account);
  const { clock, kind } = account;
  return {
    listsRefunds: false,
    async listMovements(asked, after) {
      const isSince = 'since' in asked;
      const first = isSince ? asked.since.getTime() : Date.parse(`${asked.period}T00:00:00Z`);
      // Ours are days; whatever else is none of theirs.
      if (Number.isNaN(first)) return { ...NOTHING_LISTED, result: 'unlisted' };
      const last = isSince ? clock.now().getTime() : first;
      const [dateFrom, dateTo] = [writeDay(first - DAYS_BEFORE[kind] * DAY_MS), writeDay(last + DAY_MS)];
      const skip = Number(after ?? 0);
      if (skip > MAX_SKIP) return NOTHING_LISTED;
      const list = await listCharges(ask, { dateFrom, dateTo, skip, limit: PAGE_SIZE });
      if (list.charges === null) return NOTHING_LISTED;
      const count = list.charges.length;
      return { result: 'told', ...readTaken(list.charges, kind), next: count > 0 ? String(skip + count) : null };
    },
    findMovement: (providerRef) =>
      ask<StatementEntry | 'unknown' | null>({
        method: 'GET',
        path: `/charges/${encodeURIComponent(providerRef)}`,
        read(answer) {
          if (answer.status === 404) return null;
          const { payment } = answer.status === 200 ? parseCharge(answer.body) : {};
          const { movements, unreadable } = readTaken([payment], kind);
          return unreadable.length > 0 ? 'unknown' : (movements[0] ?? null);
        },
        miss: () => 'unknown',
      }),
  };
}

const NOTHING_LISTED: StatementPage = { result: 'unknown', movements: [], unreadable: [], next: null };

function writeDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** What charges brought, to references or otherwise, as the account's kind is. */
function readTaken(charges: unknown[], kind: AppyPayAccount['kind']): Pick<StatementPage, 'movements' | 'unreadable'> {
  const movements: StatementEntry[] = [];
  const unreadable: string[] = [];
  for (const said of charges) {
    const charge = readFields(said);
    const isPush = (readFields(charge.reference).referenceNumber ?? null) === null;
    const standing = readStanding(charge);
    const isNamed = readText(charge.id) !== null;
    const isNothing = !standing || (standing.meaning !== 'approved' && !standing.isContradicted);
    if (isNamed && (isPush !== (kind === 'gpo') || isNothing)) continue;
    const entry = standing?.meaning === 'approved' && !standing.isContradicted ? readEntry(charge) : null;
    if (entry) movements.push(entry);
    else unreadable.push(JSON.stringify(said ?? null));
  }
  return { movements, unreadable };
}

/** Null where its money cannot be read. */
function readEntry(charge: Record<string, unknown>): StatementEntry | null {
  const money = readMoney({ ...charge, transactionId: charge.id });
  if ('fault' in money) return null;
  const railKey = readText(charge.merchantTransactionId);
  return { kind: 'payment', ...money, ownId: null, railKey, occurredAt: readTaking(charge), period: null };
}

/** When its money was taken: their machines' time, taken for UTC. */
function readTaking(charge: Record<string, unknown>): Date | null {
  const events = Array.isArray(charge.transactionEvents) ? charge.transactionEvents.map(readFields) : [];
  const taken = events.find(({ responseStatus }) => readStatus(responseStatus).meaning === 'approved');
  const said = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?/.exec(readText(taken?.createdDate) ?? '');
  const time = new Date(`${said?.[0]}Z`);
  return said && !Number.isNaN(time.getTime()) ? time : null;
}
