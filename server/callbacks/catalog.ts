// The types of events there are, which webhooks may choose from (decisions §9).
import { REFERENCE_STATUSES } from '../../shared/reference.ts';
import { PAYMENT_STATUSES } from '../../shared/status.ts';

/** What events are about, and what can happen to it; a status is told by its name. */
const CATALOG: Record<string, readonly string[]> = {
  payment: [
    'created',
    ...PAYMENT_STATUSES.filter((status) => status !== 'Pending').map((status) => status.toLowerCase()),
    'attempt_failed',
    'transaction_accepted',
    'amount_mismatch',
    'overpaid',
    'stuck',
  ],
  reference: [
    'registered',
    'registration_failed',
    ...REFERENCE_STATUSES.filter((status) => status !== 'Pending').map((status) => status.toLowerCase()),
    'withdrawn',
    'withdrawal_failed',
    'unknown_paid',
  ],
  terminal: ['opening', 'open', 'closing', 'closed', 'stuck'],
  callback: ['delivered', 'failed', 'abandoned', 'endpoint_failing', 'endpoint_recovered'],
  webhook: ['endpoint_failing', 'endpoint_recovered'],
  access: ['granted', 'changed', 'revoked'],
  client: ['created', 'rotated', 'revoked'],
  invoice: ['issued'],
  sms: ['balance_low'],
};

/** All of them, such as `payment.paid`. */
export const EVENT_TYPES: readonly string[] = Object.entries(CATALOG).flatMap(([subject, happenings]) =>
  happenings.map((happening) => `${subject}.${happening}`),
);

/** A type, or all types of a subject: `payment.*`. */
const KNOWN: ReadonlySet<string> = new Set([...EVENT_TYPES, ...Object.keys(CATALOG).map((subject) => `${subject}.*`)]);

export function isEventChoice(choice: string): boolean {
  return KNOWN.has(choice);
}
