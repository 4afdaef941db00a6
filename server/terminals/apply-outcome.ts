// Records outcomes of a terminal from answers, polls, status queries and notifications, in any order or repeated.
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { leaseMs, nextQueryAt } from '../jobs/schedule.ts';
import { recordEvent } from '../events/record.ts';
import type { TerminalOutcome, TerminalStatus } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';
import { firstStateOf, readTerminal, reportedStateOf, type TerminalState } from './find.ts';
import { createTerminal, REPORTED_EVENT, transition, UNDERWAY } from './states.ts';

/** Source of an outcome. `dueCount` is the row's value before the query, which a later change would increment. */
export type OutcomeSource =
  | { via: 'answer'; operationId: string }
  | { via: 'poll' | 'status'; dueCount: number; queriedAt: Date }
  | { via: 'notification' };

type Context = { core: Core; db: Db; terminal: Terminal; outcome: TerminalOutcome; source: OutcomeSource; at: Date };

/** Delay before the next query of an idle terminal, if the last query failed. */
const RETRY_MS = 60_000;

/**
 * Records the rail's outcome of a terminal and returns the terminal's current row. Repeats change nothing.
 * An outcome that may be older than the row changes nothing, and a poll follows.
 */
export function applyTerminalOutcome(
  core: Core,
  id: string,
  outcome: TerminalOutcome,
  source: OutcomeSource,
): Promise<Terminal> {
  return inTransaction(core, async (db) => {
    const terminal = await lockTerminal(db, id);
    const context = { core, db, terminal, outcome, source, at: core.clock.now() };
    if (isApplicable(context)) await RECORDERS[outcome.result](context);
    else if (outcome.result === 'told' && outcome.status !== terminal.status) await pollNow(context);
    return lockTerminal(db, id);
  });
}

/**
 * Applies a rail notification about a terminal. Inserts a row for a new terminal.
 * Returns false if no merchant has a terminal with this posId.
 */
export async function applyTerminalNotification(core: Core, posId: string, outcome: TerminalOutcome): Promise<boolean> {
  const merchants = await findMerchantsOf.all(core, { posId });
  if (outcome.result !== 'told') return merchants.length > 0;
  for (const { id: merchantId } of merchants) {
    const owned = { merchantId, posId };
    const isNew = await inTransaction(core, (db) => {
      const at = core.clock.now();
      return createTerminal(db, firstStateOf(owned, outcome, at), at, { by: 'rail', via: 'notification' });
    });
    const known = isNew ? null : await readTerminal(core, owned);
    if (known) await applyTerminalOutcome(core, known.id, outcome, { via: 'notification' });
  }
  return merchants.length > 0;
}

const findMerchantsOf = prepared((tables, { posId }: { posId: string }) =>
  tables
    .selectFrom('merchants')
    .select('id')
    .where((eb) => eb(eb.val(posId), '=', eb.fn.any('gpoPosIds'))),
);

/** Reads and locks a terminal's row, so that a concurrent caller sees the first caller's change. */
export async function lockTerminal(db: Db, id: string): Promise<Terminal> {
  const terminal = await findLocked.first(db, { id });
  if (!terminal) throw new Error(`terminal ${id} is gone`);
  return terminal;
}

const findLocked = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('terminals').selectAll().where('id', '=', id).forUpdate(),
);

type Known = Partial<Pick<TerminalState, 'period' | 'supervisorRequired'>> & { dueAt: Date | null };

/** Updates the columns of a terminal other than the status. */
const updateColumns = prepared((tables, { id, set }: { id: string; set: Known }) =>
  tables.updateTable('terminals').set(set).where('id', '=', id),
);

/** True if an outcome applies to the row: no change since the query, or a notification that is not older. */
function isApplicable({ terminal, outcome, source }: Context): boolean {
  if (source.via === 'answer') return terminal.operationId === source.operationId;
  if (source.via !== 'notification') return terminal.dueCount === source.dueCount;
  return outcome.result === 'told' && isNewerThan(terminal, reportedStateOf(outcome));
}

/** Statuses of a terminal that can follow each other within one selling period. An opening starts the next period. */
const FOLLOWS: Record<TerminalStatus, readonly TerminalStatus[]> = {
  Opening: ['Opening'],
  Open: ['Open', 'Closing', 'Closed'],
  Closing: ['Closing', 'Closed'],
  Closed: ['Closed'],
};

/** True if the reported state is newer. The period grows at each opening, so it shows which state is newer. */
function isNewerThan(terminal: Terminal, reported: TerminalState): boolean {
  const [known, reportedPeriod] = [readPeriod(terminal.period), readPeriod(reported.period)];
  if (known === null || reportedPeriod === null) return false;
  return reportedPeriod > known || (reportedPeriod === known && FOLLOWS[terminal.status].includes(reported.status));
}

function readPeriod(period: string | null | undefined): number | null {
  return period && /^\d{1,15}$/.test(period) ? Number(period) : null;
}

const RECORDERS: Record<TerminalOutcome['result'], (context: Context) => Promise<void>> = {
  told: recordReported,
  refused: recordNotDone,
  unreached: recordNotDone,
  not_found: recordNotFound,
  unknown: scheduleNextPoll,
};

async function recordReported(context: Context): Promise<void> {
  const { db, terminal, outcome, source, at } = context;
  const reported = reportedStateOf(outcome);
  const known = { period: reported.period, supervisorRequired: reported.supervisorRequired };
  const move = terminal.operationId ? UNDERWAY[terminal.status] : null;
  const details = { by: 'rail', via: source.via, period: reported.period };
  if (move) {
    if (reported.status === move.goal) {
      const done = { ...details, by: 'merchant', operationId: terminal.operationId };
      await transition(db, terminal, REPORTED_EVENT[move.goal], { set: { ...AT_REST, ...known }, details: done, at });
    } else if (!UNDERWAY[reported.status] && isSure(context)) await undoMove(context, 'not_done', known);
    else await scheduleNextPoll(context);
    return;
  }
  const dueAt = UNDERWAY[reported.status] ? nextQueryAt(at, at) : null;
  const set = { ...known, dueAt };
  if (reported.status !== terminal.status)
    await transition(db, terminal, REPORTED_EVENT[reported.status], { set, details, at });
  else if (UNDERWAY[reported.status]) await scheduleNextPoll(context);
  else if (!isUnchanged(terminal, set)) await updateColumns.run(db, { id: terminal.id, set });
}

/** True if the terminal's row already has these values, as after most polls. Then no write is needed. */
function isUnchanged(
  terminal: Terminal,
  set: Pick<TerminalState, 'period' | 'supervisorRequired'> & { dueAt: Date | null },
): boolean {
  const { period, supervisorRequired, dueAt } = terminal;
  return period === set.period && supervisorRequired === set.supervisorRequired && (dueAt ?? null) === set.dueAt;
}

/** Columns of a terminal without an open operation. */
const AT_REST = { operationId: null, sentAt: null, dueAt: null };

/** True if an unchanged state proves that the call failed. Before its lease ends, the call may still take effect. */
function isSure({ core, terminal, source }: Context): boolean {
  if (source.via === 'answer') return true;
  if (source.via === 'notification' || !terminal.sentAt) return false;
  return source.queriedAt.getTime() >= terminal.sentAt.getTime() + leaseMs(core.config);
}

/** Records that a call had no effect. For a query, the outcome only means that the query failed. */
async function recordNotDone(context: Context): Promise<void> {
  const { outcome, source } = context;
  if (source.via !== 'answer') return scheduleNextPoll(context);
  const needsSupervisor = outcome.refusal === 'supervisor_required' ? { supervisorRequired: true } : {};
  return undoMove(context, outcome.refusal ?? outcome.result, needsSupervisor);
}

/** Records that the rail does not know the terminal, which therefore cannot have changed there. */
async function recordNotFound(context: Context): Promise<void> {
  const { db, terminal } = context;
  if (!UNDERWAY[terminal.status]) await updateColumns.run(db, { id: terminal.id, set: { dueAt: null } });
  else if (terminal.operationId && isSure(context)) await undoMove(context, 'not_found', {});
  else await scheduleNextPoll(context);
}

async function undoMove(
  { db, terminal, source, at }: Context,
  reason: string,
  known: Partial<TerminalState>,
): Promise<void> {
  const move = UNDERWAY[terminal.status];
  if (!move) throw new Error(`terminal ${terminal.id} has no move to undo`);
  const details = { by: 'merchant', via: source.via, operationId: terminal.operationId, reason };
  await transition(db, terminal, move.undo, { set: { ...AT_REST, ...known }, details, at });
}

/** Schedules the next poll after an inconclusive answer or poll. Status queries and notifications schedule no poll. */
async function scheduleNextPoll({ core, db, terminal, outcome, source, at }: Context): Promise<void> {
  if (source.via !== 'answer' && source.via !== 'poll') return;
  const { reason } = outcome.details;
  if (reason) core.log.warn({ terminalId: terminal.id, result: outcome.result, reason }, 'terminal outcome open');
  const isUnderWay = UNDERWAY[terminal.status] !== null;
  const retryAt = new Date(at.getTime() + RETRY_MS);
  const dueAt = isUnderWay ? nextQueryAt(terminal.sentAt ?? terminal.changedAt, at) : retryAt;
  await updateColumns.run(db, { id: terminal.id, set: { dueAt } });
  if (dueAt || !terminal.dueAt) return;
  const { merchantId, posId, status, operationId, changedAt } = terminal;
  const details = { posId, operationId, since: changedAt };
  await recordEvent(db, { merchantId, paymentId: null, type: 'terminal.stuck', status, occurredAt: at, details });
}

/** Schedules an immediate poll if the outcome differs from the row but may be old. */
async function pollNow({ db, terminal, at }: Context): Promise<void> {
  if (terminal.dueAt && terminal.dueAt <= at) return;
  await updateColumns.run(db, { id: terminal.id, set: { dueAt: at } });
}
