// Writes terminal orders in the format of our own rail protocol, and reads terminals from it.
import type { TerminalOrder, TerminalOutcome, TerminalStatus } from '../provider.ts';
import {
  UNKNOWN_TERMINAL,
  explainStatus,
  makeUnknownTerminal,
  parseAnswer,
  readCode,
  readFields,
  readText,
  type RailAnswer,
} from '../rail-call.ts';

/** Writes the body of an order that opens or closes a terminal. The same order gives the same bytes. */
export function writeTerminalMove({ operationId, supervisorId }: TerminalOrder): string {
  return JSON.stringify({ id: operationId, supervisorId });
}

const REFUSALS: ReadonlyMap<string, TerminalOutcome['refusal']> = new Map([
  ['400 SUPERVISOR_REQUIRED', 'supervisor_required'],
  ['403 WRONG_SUPERVISOR', 'wrong_supervisor'],
]);

/** Reads the answer about a terminal. After a 5xx the rail may still have opened or closed the terminal. */
export function readTerminalAnswer(answer: RailAnswer, posId: string): TerminalOutcome {
  if (answer.status === 200) return readTerminal(parseAnswer(answer.body), posId);
  const details = explainStatus(answer);
  const statusAndCode = `${answer.status} ${readCode(answer) ?? ''}`;
  if (statusAndCode === '404 UNKNOWN_TERMINAL') return { ...UNKNOWN_TERMINAL, result: 'not_found', details };
  const refusal = REFUSALS.get(statusAndCode);
  return refusal ? { ...UNKNOWN_TERMINAL, result: 'refused', refusal, details } : { ...UNKNOWN_TERMINAL, details };
}

const STATUSES: ReadonlyMap<unknown, TerminalStatus> = new Map([
  ['OPEN', 'Open'],
  ['OPENING', 'Opening'],
  ['CLOSED', 'Closed'],
  ['CLOSING', 'Closing'],
]);

/** Reads a terminal from an answer or a rail notification. */
export function readTerminal(value: unknown, posId: string): TerminalOutcome {
  const terminal = readFields(value);
  const [status, period] = [STATUSES.get(terminal.status), readText(terminal.period)];
  const { supervisorRequired } = terminal;
  if (!status || !period || typeof supervisorRequired !== 'boolean') return makeUnknownTerminal('unreadable');
  if (terminal.posId !== posId) return makeUnknownTerminal('other_terminal');
  return { ...UNKNOWN_TERMINAL, result: 'told', status, period, supervisorRequired };
}
