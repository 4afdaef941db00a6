// The one door for a terminal's news: answer, poll, status and notification all enter here, in any order and any number of times.
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { leaseMs, nextAskAt } from '../jobs/schedule.ts';
import { recordEvent } from '../events/record.ts';
import type { TerminalOutcome, TerminalStatus } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';
import { firstStateOf, readTerminal, readTold, type TerminalState } from './find.ts';
import { createTerminal, TELL, transition, UNDERWAY } from './states.ts';

/** How the news came; `dueCount` is the row's as it was before the rail was asked. */
export type Heard =
  | { via: 'answer'; operationId: string }
  | { via: 'poll' | 'status'; dueCount: number; askedAt: Date }
  | { via: 'notification' };

type Context = { core: Core; db: Db; terminal: Terminal; outcome: TerminalOutcome; heard: Heard; at: Date };

/** A terminal at rest that could not be asked about is asked again after this. */
const ASK_AGAIN_MS = 60_000;

/**
 * Records what the rail says of a terminal and answers the terminal as it is then. Repeats change nothing; news that
 * may be older than what is recorded moves nothing, and the rail is asked.
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
 * Applies what the rail tells of its own accord; a terminal never met before is written.
 * Answers false when no merchant has a terminal of this id.
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

/** Reads under the row's lock: who comes second sees what the first did. */
export async function lockTerminal(db: Db, id: string): Promise<Terminal> {
  const terminal = await findLocked.first(db, { id });
  if (!terminal) throw new Error(`terminal ${id} is gone`);
  return terminal;
}

const findLocked = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('terminals').selectAll().where('id', '=', id).forUpdate(),
);

type Known = Partial<Pick<TerminalState, 'period' | 'supervisorRequired'>> & { dueAt: Date | null };

/** What changes beside the status. */
const changeKnown = prepared((tables, { id, set }: { id: string; set: Known }) =>
  tables.updateTable('terminals').set(set).where('id', '=', id),
);

/** Whether it speaks of the terminal as recorded: nothing happened to it since the rail was asked. */
function isNews({ terminal, outcome, heard }: Context): boolean {
  if (heard.via === 'answer') return terminal.operationId === heard.operationId;
  if (heard.via !== 'notification') return terminal.dueCount === heard.dueCount;
  return outcome.result === 'told' && isNewerThan(terminal, readTold(outcome));
}

/** What may follow a status in one period of the terminal; an opening begins the next one. */
const FOLLOWS: Record<TerminalStatus, readonly TerminalStatus[]> = {
  Opening: ['Opening'],
  Open: ['Open', 'Closing', 'Closed'],
  Closing: ['Closing', 'Closed'],
  Closed: ['Closed'],
};

/** Notifications come late and in any order: periods, which grow at each opening, tell what is newer. */
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

/** Most questions bring nothing new, and write nothing. */
function isKnown(
  terminal: Terminal,
  set: Pick<TerminalState, 'period' | 'supervisorRequired'> & { dueAt: Date | null },
): boolean {
  const { period, supervisorRequired, dueAt } = terminal;
  return period === set.period && supervisorRequired === set.supervisorRequired && (dueAt ?? null) === set.dueAt;
}

/** Columns of a terminal with nothing under way. */
const AT_REST = { operationId: null, sentAt: null, dueAt: null };

/** A state from which nothing moved is the outcome only once the call can act no more. */
function isSure({ core, terminal, heard }: Context): boolean {
  if (heard.via === 'answer') return true;
  if (heard.via === 'notification' || !terminal.sentAt) return false;
  return heard.askedAt.getTime() >= terminal.sentAt.getTime() + leaseMs(core.config);
}

/** The rail's own word that a call did nothing; to a question it only means that it could not be asked. */
async function recordNotDone(context: Context): Promise<void> {
  const { outcome, heard } = context;
  if (heard.via !== 'answer') return keepAsking(context);
  const needsSupervisor = outcome.refusal === 'supervisor_required' ? { supervisorRequired: true } : {};
  return undoMove(context, outcome.refusal ?? outcome.result, needsSupervisor);
}

/** What is not at the rail cannot have moved there. */
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

/** Still open: the next question is set; whoever only asked for the status, or was told something, sets none. */
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

/** What differs but may be old moves nothing; the rail is asked at once how it is. */
async function askSoon({ db, terminal, at }: Context): Promise<void> {
  if (terminal.dueAt && terminal.dueAt <= at) return;
  await changeKnown.run(db, { id: terminal.id, set: { dueAt: at } });
}
