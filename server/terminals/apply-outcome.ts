// Records outcomes of a terminal from answers, polls, status queries and notifications, in any order or repeated.
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { leaseMs, nextAskAt } from '../jobs/schedule.ts';
import { recordEvent } from '../events/record.ts';
import type { TerminalOutcome, TerminalStatus } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';
import { firstStateOf, readTerminal, readTold, type TerminalState } from './find.ts';
import { createTerminal, TELL, transition, UNDERWAY } from './states.ts';

/** Source of an outcome. `dueCount` is the row's value before the query, so that a later change shows. */
export type Heard =
  | { via: 'answer'; operationId: string }
  | { via: 'poll' | 'status'; dueCount: number; askedAt: Date }
  | { via: 'notification' };

type Context = { core: Core; db: Db; terminal: Terminal; outcome: TerminalOutcome; heard: Heard; at: Date };

/** Delay before the next query of an idle terminal, if the last query failed. */
const ASK_AGAIN_MS = 60_000;

/**
 * Records the rail's outcome and returns the terminal's current row. Repeats change nothing.
 * An outcome that may be older than the row changes nothing either; a poll follows.
 */
export function applyTerminalOutcome(
  core: Core,
  id: string,
  outcome: TerminalOutcome,
  heard: Heard,
): Promise<Terminal> {
  return inTransaction(core, async (db) => {
    const terminal = await lockTerminal(db, id);
    const context = { core, db, terminal, outcome, heard, at: core.clock.now() };
    if (isNews(context)) await RECORDERS[outcome.result](context);
    else if (outcome.result === 'told' && outcome.status !== terminal.status) await askSoon(context);
    return lockTerminal(db, id);
  });
}

/**
 * Applies a rail notification about a terminal. Inserts a row for a new terminal.
 * Returns false if no merchant has a terminal with this id.
 */
export async function applyTerminalNews(core: Core, posId: string, outcome: TerminalOutcome): Promise<boolean> {
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

/** Reads and locks the row, so that a concurrent caller sees the first caller's change. */
export async function lockTerminal(db: Db, id: string): Promise<Terminal> {
  const terminal = await findLocked.first(db, { id });
  if (!terminal) throw new Error(`terminal ${id} is gone`);
  return terminal;
}

const findLocked = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('terminals').selectAll().where('id', '=', id).forUpdate(),
);

type Known = Partial<Pick<TerminalState, 'period' | 'supervisorRequired'>> & { dueAt: Date | null };

/** Updates the columns other than the status. */
const changeKnown = prepared((tables, { id, set }: { id: string; set: Known }) =>
  tables.updateTable('terminals').set(set).where('id', '=', id),
);

/** True if the outcome applies to the row: no change happened since the query, or the notification is not older. */
function isNews({ terminal, outcome, heard }: Context): boolean {
  if (heard.via === 'answer') return terminal.operationId === heard.operationId;
  if (heard.via !== 'notification') return terminal.dueCount === heard.dueCount;
  return outcome.result === 'told' && isNewerThan(terminal, readTold(outcome));
}

/** Statuses that can follow each other within one selling period. An opening starts the next period. */
const FOLLOWS: Record<TerminalStatus, readonly TerminalStatus[]> = {
  Opening: ['Opening'],
  Open: ['Open', 'Closing', 'Closed'],
  Closing: ['Closing', 'Closed'],
  Closed: ['Closed'],
};

/** Notifications arrive late and in any order. The period grows at each opening, so it shows which state is newer. */
function isNewerThan(terminal: Terminal, told: TerminalState): boolean {
  const [known, heard] = [readPeriod(terminal.period), readPeriod(told.period)];
  if (known === null || heard === null) return false;
  return heard > known || (heard === known && FOLLOWS[terminal.status].includes(told.status));
}

function readPeriod(period: string | null | undefined): number | null {
  return period && /^\d{1,15}$/.test(period) ? Number(period) : null;
}

const RECORDERS: Record<TerminalOutcome['result'], (context: Context) => Promise<void>> = {
  told: recordTold,
  refused: recordNotDone,
  unreached: recordNotDone,
  not_found: recordNotFound,
  unknown: keepAsking,
};

async function recordTold(context: Context): Promise<void> {
  const { db, terminal, outcome, heard, at } = context;
  const told = readTold(outcome);
  const known = { period: told.period, supervisorRequired: told.supervisorRequired };
  const move = terminal.operationId ? UNDERWAY[terminal.status] : null;
  const details = { by: 'rail', via: heard.via, period: told.period };
  if (move) {
    if (told.status === move.goal) {
      const done = { ...details, by: 'merchant', operationId: terminal.operationId };
      await transition(db, terminal, TELL[move.goal], { set: { ...AT_REST, ...known }, details: done, at });
    } else if (!UNDERWAY[told.status] && isSure(context)) await undoMove(context, 'not_done', known);
    else await keepAsking(context);
    return;
  }
  const dueAt = UNDERWAY[told.status] ? nextAskAt(at, at) : null;
  const set = { ...known, dueAt };
  if (told.status !== terminal.status) await transition(db, terminal, TELL[told.status], { set, details, at });
  else if (UNDERWAY[told.status]) await keepAsking(context);
  else if (!isKnown(terminal, set)) await changeKnown.run(db, { id: terminal.id, set });
}

/** True if the row already has these values. Most polls change nothing, and write nothing. */
function isKnown(
  terminal: Terminal,
  set: Pick<TerminalState, 'period' | 'supervisorRequired'> & { dueAt: Date | null },
): boolean {
  const { period, supervisorRequired, dueAt } = terminal;
  return period === set.period && supervisorRequired === set.supervisorRequired && (dueAt ?? null) === set.dueAt;
}

/** Columns of a terminal without an open operation. */
const AT_REST = { operationId: null, sentAt: null, dueAt: null };

/** True if an unchanged state proves that the call failed. Before the end of its lease it may still take effect. */
function isSure({ core, terminal, heard }: Context): boolean {
  if (heard.via === 'answer') return true;
  if (heard.via === 'notification' || !terminal.sentAt) return false;
  return heard.askedAt.getTime() >= terminal.sentAt.getTime() + leaseMs(core.config);
}

/** The rail reports that a call had no effect. For a query it only means that the query failed. */
async function recordNotDone(context: Context): Promise<void> {
  const { outcome, heard } = context;
  if (heard.via !== 'answer') return keepAsking(context);
  const needsSupervisor = outcome.refusal === 'supervisor_required' ? { supervisorRequired: true } : {};
  return undoMove(context, outcome.refusal ?? outcome.result, needsSupervisor);
}

/** A terminal that the rail does not know cannot have changed there. */
async function recordNotFound(context: Context): Promise<void> {
  const { db, terminal } = context;
  if (!UNDERWAY[terminal.status]) await changeKnown.run(db, { id: terminal.id, set: { dueAt: null } });
  else if (terminal.operationId && isSure(context)) await undoMove(context, 'not_found', {});
  else await keepAsking(context);
}

async function undoMove(
  { db, terminal, heard, at }: Context,
  reason: string,
  known: Partial<TerminalState>,
): Promise<void> {
  const move = UNDERWAY[terminal.status];
  if (!move) throw new Error(`terminal ${terminal.id} has no move to undo`);
  const details = { by: 'merchant', via: heard.via, operationId: terminal.operationId, reason };
  await transition(db, terminal, move.undo, { set: { ...AT_REST, ...known }, details, at });
}

/** Schedules the next poll after an inconclusive answer or poll. Status queries and notifications do not. */
async function keepAsking({ core, db, terminal, outcome, heard, at }: Context): Promise<void> {
  if (heard.via !== 'answer' && heard.via !== 'poll') return;
  const { reason } = outcome.details;
  if (reason) core.log.warn({ terminalId: terminal.id, result: outcome.result, reason }, 'terminal outcome open');
  const isUnderWay = UNDERWAY[terminal.status] !== null;
  const askAgainAt = new Date(at.getTime() + ASK_AGAIN_MS);
  const dueAt = isUnderWay ? nextAskAt(terminal.sentAt ?? terminal.changedAt, at) : askAgainAt;
  await changeKnown.run(db, { id: terminal.id, set: { dueAt } });
  if (dueAt || !terminal.dueAt) return;
  const { merchantId, posId, status, operationId, changedAt } = terminal;
  const details = { posId, operationId, since: changedAt };
  await recordEvent(db, { merchantId, paymentId: null, type: 'terminal.stuck', status, occurredAt: at, details });
}

/** Polls at once if the outcome differs from the row but may be old. */
async function askSoon({ db, terminal, at }: Context): Promise<void> {
  if (terminal.dueAt && terminal.dueAt <= at) return;
  await changeKnown.run(db, { id: terminal.id, set: { dueAt: at } });
}
