// Translates Ombala's statuses of an SMS.
import { readText } from '../rail-call.ts';
import type { SmsOutcome } from '../message.ts';

type RecipientState = Pick<SmsOutcome, 'result' | 'reason'>;

/** Statuses of a message to one recipient. Ombala documents no REFUSED, but its API counts `recipients_refused`. */
const STATES: ReadonlyMap<string, RecipientState> = new Map<string, RecipientState>([
  ['PENDING', { result: 'accepted', reason: null }],
  ['DELIVERED', { result: 'delivered', reason: null }],
  ['REFUSED', { result: 'failed', reason: 'undeliverable' }],
]);

/** Translates Ombala's status of a message. Null for an unknown status. */
export function stateOf(status: unknown): RecipientState | null {
  return STATES.get((readText(status) ?? '').toUpperCase()) ?? null;
}
