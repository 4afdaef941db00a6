// Finding terminals, and how they are shown.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { Problem, tryLater } from '../http/problem.ts';
import { nextAskAt } from '../jobs/schedule.ts';
import { findMerchant } from '../merchants/find.ts';
import type { TerminalOutcome, TerminalStatus } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';
import { createTerminal, TERMINAL_RAIL, UNDERWAY, type FirstState } from './states.ts';

export type OwnedTerminal = { merchantId: string; posId: string };

/**
 * The terminal as last heard of; one never heard of is asked for first.
 * @throws Problem not_found for what is not the merchant's or not the rail's, rail_unavailable when it could not be asked
 */
export async function meetTerminal(core: Core, owned: OwnedTerminal): Promise<Terminal> {
  const known = await findTerminal(core, owned);
  if (known) return known;
  const outcome = await (await core.rails.gpo(TERMINAL_RAIL)).queryTerminal(owned.posId);
  if (outcome.result === 'not_found') throw new Problem('not_found');
  if (outcome.result !== 'told') throw railUnavailable();
  return storeTold(core, owned, outcome);
}

/** The terminal's row, or null when there is none yet. @throws Problem not_found when it is not the merchant's */
export async function findTerminal(core: Core, owned: OwnedTerminal): Promise<Terminal | null> {
  const { gpoPosIds } = await findMerchant(core, owned.merchantId);
  if (!gpoPosIds.includes(owned.posId)) throw new Problem('not_found');
  return readTerminal(core, owned);
}

/** The row of a terminal just told of, made if there is none. */
export async function storeTold(core: Core, owned: OwnedTerminal, outcome: TerminalOutcome): Promise<Terminal> {
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

/** What is written of a terminal first told of. */
export function firstStateOf(owned: OwnedTerminal, outcome: TerminalOutcome, at: Date): FirstState {
  const { status, period, supervisorRequired } = readTold(outcome);
  return { ...owned, status, period, supervisorRequired, dueAt: UNDERWAY[status] ? nextAskAt(at, at) : null };
}

export type TerminalState = Pick<Terminal, 'status' | 'supervisorRequired'> & { period: string | null };

/** The state in a `told` outcome. @throws when it has none, which translators never answer */
export function readTold({ status, period, supervisorRequired }: TerminalOutcome): TerminalState {
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

/** Exactly `{ message }`, or with the representation. @param isConfirmed false: the rail could not say, so it is as last known */
export function viewTerminal(terminal: Terminal, wantsRepresentation: boolean, isConfirmed = true) {
  const { posId, status, supervisorRequired } = terminal;
  const sentence = SENTENCES[status];
  const message = isConfirmed ? sentence : `The provider gave no clear answer. Last known: ${sentence}`;
  return {
    message,
    ...(wantsRepresentation && { posId, status, period: terminal.period ?? null, supervisorRequired }),
  };
}

/** Answer of the three terminal calls. */
export const terminalAnswer = z
  .object({
    message: z.string(),
    posId: z.string().optional(),
    status: z.enum(STATUSES).optional(),
    period: z.string().nullable().optional().describe('The selling period at the provider; grows at each opening'),
    supervisorRequired: z.boolean().optional(),
  })
  .meta({ id: 'TerminalAnswer', description: 'Fields beside `message` come with `Prefer: return=representation`.' });

/** Query of opening and closing. */
export const moveQuery = z.object({
  supervisorId: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/)
    .optional()
    .describe('Whoever approves, 1 to 64 visible ASCII characters; needed where the terminal asks for approval'),
});
