// The words of Ombala for a message's state.
import { readText } from '../ask.ts';
import type { SmsOutcome } from '../message.ts';

/** What one word says of a message. */
type RecipientState = Pick<SmsOutcome, 'result' | 'reason'>;

/** The third is not published, but counted (`recipients_refused`). */
const STATES: ReadonlyMap<string, RecipientState> = new Map<string, RecipientState>([
  ['PENDING', { result: 'accepted', reason: null }],
  ['DELIVERED', { result: 'delivered', reason: null }],
  ['REFUSED', { result: 'failed', reason: 'undeliverable' }],
]);

/** Null: a word that we do not know. */
export function stateOf(word: unknown): RecipientState | null {
  return STATES.get((readText(word) ?? '').toUpperCase()) ?? null;
}
