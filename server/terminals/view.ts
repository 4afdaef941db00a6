// A terminal as the API shows it: one sentence, and for those who prefer it the fields (decisions §6).
import { z } from 'zod';
import type { TerminalStatus } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';

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
