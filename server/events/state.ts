// What of a payment can change, kept with each of its events: so that an event shows the payment as it was right after it.

/** Columns of a payment by the names of its entity; absent where the payment was as it was created. */
export type EventState = {
  status?: string;
  amountPaidMinor?: number;
  acceptedCount?: number;
  late?: boolean;
  flags?: string[];
  failureCode?: string | null;
  authorizedMinor?: number | null;
  capturedMinor?: number | null;
  operation?: 'capturing' | 'voiding' | null;
  completedAt?: string | null;
  expiresAt?: string | null;
};

/** The state of the payment row `p`, as SQL. */
export function stateOf(p: string): string {
  return `jsonb_build_object('status', ${p}.status, 'amountPaidMinor', ${p}.amount_paid_minor, 'acceptedCount', ${p}.accepted_count,
    'late', ${p}.late, 'flags', ${p}.flags, 'failureCode', ${p}.failure_code, 'authorizedMinor', ${p}.authorized_minor,
    'capturedMinor', ${p}.captured_minor, 'operation', ${p}.operation, 'completedAt', ${p}.completed_at, 'expiresAt', ${p}.expires_at)`;
}
