// The one door by which a rail's word on a message enters: answers, queries and reports alike (law 6).
import type { Core } from '../core.ts';
import type { SmsOutcome } from '../providers/provider.ts';
import { noteDelivered, noteFailed, noteSent } from './states.ts';

const APPLY: Record<SmsOutcome['result'], ((core: Core, id: string, outcome: SmsOutcome) => Promise<void>) | null> = {
  accepted: (core, id) => noteSent(core, id),
  delivered: (core, id, { occurredAt }) => noteDelivered(core, id, occurredAt),
  failed: (core, id, { reason }) => noteFailed(core, id, reason ?? 'undeliverable'),
  unknown: null,
  not_found: null,
};

/** Applies what the rail says; repeats, and what comes after the end, change nothing. */
export async function settleMessage(core: Core, id: string, outcome: SmsOutcome): Promise<void> {
  await APPLY[outcome.result]?.(core, id, outcome);
}
