// Terminals: our words into the rail's, and back.
import type { TerminalOrder, TerminalOutcome, TerminalStatus } from '../provider.ts';
import {
  NO_TERMINAL,
  explainStatus,
  makeUnknownTerminal,
  parseAnswer,
  readCode,
  readFields,
  readText,
  type RailAnswer,
} from '../ask.ts';

/** The body that opens or closes a terminal: the same bytes for the same order. */
export function writeTerminalMove({ operationId, supervisorId }: TerminalOrder): string {
  return JSON.stringify({ id: operationId, supervisorId });
}

const REFUSALS: ReadonlyMap<string, TerminalOutcome['refusal']> = new Map([
  ['400 SUPERVISOR_REQUIRED', 'supervisor_required'],
  ['403 WRONG_SUPERVISOR', 'wrong_supervisor'],
]);

/** What an answer, to a move or a query, says of the terminal. A 5xx never means that nothing happened. */
export function readTerminalAnswer(answer: RailAnswer, posId: string): TerminalOutcome {
  if (answer.status === 200) return readTerminal(parseAnswer(answer.body), posId);
  const details = explainStatus(answer);
  const said = `${answer.status} ${readCode(answer) ?? ''}`;
  if (said === '404 UNKNOWN_TERMINAL') return { ...NO_TERMINAL, result: 'not_found', details };
  const refusal = REFUSALS.get(said);
  return refusal ? { ...NO_TERMINAL, result: 'refused', refusal, details } : { ...NO_TERMINAL, details };
}

const STATUSES: ReadonlyMap<unknown, TerminalStatus> = new Map([
  ['OPEN', 'Open'],
  ['OPENING', 'Opening'],
  ['CLOSED', 'Closed'],
  ['CLOSING', 'Closing'],
]);

/** A terminal as the rail writes it, in answers and in notifications. */
export function readTerminal(value: unknown, posId: string): TerminalOutcome {
  const terminal = readFields(value);
  const [status, period] = [STATUSES.get(terminal.status), readText(terminal.period)];
  const { supervisorRequired } = terminal;
  if (!status || !period || typeof supervisorRequired !== 'boolean') return makeUnknownTerminal('unreadable');
  if (terminal.posId !== posId) return makeUnknownTerminal('other_terminal');
  return { ...NO_TERMINAL, result: 'told', status, period, supervisorRequired };
}
