// What every way of recording an outcome is handed: the locked payment, the attempt it is about, and where it was learned.
import type { Db } from '../database/db.ts';
import type { RailOutcome } from '../providers/provider.ts';
import type { Attempt, Payment } from './entities.ts';

/** Where an outcome was learned. */
export type Via = 'answer' | 'notification' | 'poll' | 'sync';

/** `unmatched`: no attempt of ours. `changed`: something was written that others should see. */
export type Settled = 'changed' | 'unchanged' | 'unmatched';

/** Inside the transaction `db`, with the payment's row locked. */
export type Subject = { db: Db; payment: Payment; attemptId: string; via: Via; at: Date };

/** An attempt and what the rail says of it. */
export type Context = Subject & {
  attempt: Attempt;
  /** Of a capture: the authorization it draws on, locked too. */
  authorization: Payment | null;
  outcome: RailOutcome;
};

/** The rail was not asked, or said nothing. */
export const NOTHING_HEARD: RailOutcome = {
  result: 'unknown',
  failureCode: null,
  providerRef: null,
  amountMinor: null,
  currency: null,
  occurredAt: null,
  details: {},
};

/** Whom an event is about. */
export function subjectOf(payment: Payment): { merchantId: string; paymentId: string; status: string } {
  return { merchantId: payment.merchantId, paymentId: payment.id, status: payment.status };
}
