// Finds terminals and formats them for API answers.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { matching } from '../http/fields.ts';
import { Problem, tryLater } from '../http/problem.ts';
import { nextQueryAt } from '../jobs/schedule.ts';
import { findMerchant } from '../merchants/find.ts';
import type { TerminalOutcome, TerminalStatus } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';
import { createTerminal, TERMINAL_RAIL, UNDERWAY, type FirstState } from './states.ts';

export type OwnedTerminal = { merchantId: string; posId: string };

/**
 * Returns a terminal's last known state. Without a known state it queries the rail.
 * @throws Problem not_found for a terminal unknown to the merchant or the rail, rail_unavailable if the query fails
 */
export async function findOrQueryTerminal(core: Core, owned: OwnedTerminal): Promise<Terminal> {
  const known = await findTerminal(core, owned);
  if (known) return known;
  const outcome = await (await core.rails.gpo(TERMINAL_RAIL)).queryTerminal(owned.posId);
  if (outcome.result === 'not_found') throw new Problem('not_found');
  if (outcome.result !== 'told') throw railUnavailable();
  return insertReported(core, owned, outcome);
}

/** Returns a terminal's row, or null without a row. @throws Problem not_found for another merchant's terminal */
export async function findTerminal(core: Core, owned: OwnedTerminal): Promise<Terminal | null> {
  const { gpoPosIds } = await findMerchant(core, owned.merchantId);
  if (!gpoPosIds.includes(owned.posId)) throw new Problem('not_found');
  return readTerminal(core, owned);
}

/** Inserts the rail's reported state of a terminal without a row, and returns the row. */
export async function insertReported(core: Core, owned: OwnedTerminal, outcome: TerminalOutcome): Promise<Terminal> {
  const at = core.clock.now();
  await createTerminal(core, firstStateOf(owned, outcome, at), at);
  const terminal = await readTerminal(core, owned);
  if (!terminal) throw new Error(`terminal ${owned.posId} was not written`);
  return terminal;
}

export function readTerminal(db: Db, owned: OwnedTerminal): Promise<Terminal | null> {
  return findOwned.first(db, owned);
}

const findOwned = prepared((tables, { merchantId, posId }: OwnedTerminal) =>
  tables.selectFrom('terminals').selectAll().where('merchantId', '=', merchantId).where('posId', '=', posId),
);

/** Returns a new terminal's first row, with the state that the rail reported. */
export function firstStateOf(owned: OwnedTerminal, outcome: TerminalOutcome, at: Date): FirstState {
  const { status, period, supervisorRequired } = reportedStateOf(outcome);
  return { ...owned, status, period, supervisorRequired, dueAt: UNDERWAY[status] ? nextQueryAt(at, at) : null };
}

export type TerminalState = Pick<Terminal, 'status' | 'supervisorRequired'> & { period: string | null };

/** Returns the state in a `told` outcome. @throws if the state is missing, which is a bug of the connector */
export function reportedStateOf({ status, period, supervisorRequired }: TerminalOutcome): TerminalState {
  if (status === null) throw new Error('told without a status');
  return { status, period, supervisorRequired: supervisorRequired ?? false };
}

export function railUnavailable(): Problem {
  return tryLater('rail_unavailable', 5);
}

const STATUSES = ['Closed', 'Opening', 'Open', 'Closing'] as const satisfies readonly TerminalStatus[];

const SENTENCES: Record<TerminalStatus, string> = {
  Closed: 'The terminal is closed.',
  Opening: 'The terminal is being opened.',
  Open: 'The terminal is open.',
  Closing: 'The terminal is being closed.',
};

/** Returns `{ message }`, with the terminal's state on request. @param isConfirmed false: only the last known state */
export function viewTerminal(terminal: Terminal, wantsRepresentation: boolean, isConfirmed = true) {
  const { posId, status, supervisorRequired } = terminal;
  const sentence = SENTENCES[status];
  const message = isConfirmed ? sentence : `The provider gave no clear answer. Last known: ${sentence}`;
  return {
    message,
    ...(wantsRepresentation && { posId, status, period: terminal.period ?? null, supervisorRequired }),
  };
}

/** Answer of the three terminal endpoints. */
export const terminalAnswer = z
  .object({
    message: z.string(),
    posId: z.string().optional(),
    status: z.enum(STATUSES).optional(),
    period: z.string().nullable().optional().describe('The selling period at the provider; grows at each opening'),
    supervisorRequired: z.boolean().optional(),
  })
  .meta({ id: 'TerminalAnswer', description: 'Fields other than `message` require `Prefer: return=representation`.' });

/** Schema of the query string of the endpoints that open and close terminals. */
export const moveQuery = z.object({
  supervisorId: matching(/^[\x21-\x7e]{1,64}$/, 'visible64')
    .optional()
    .describe('Id of the approving supervisor; required if the terminal asks for approval'),
});
