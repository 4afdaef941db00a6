// What of a payment can change, kept with each of its events: so that an event shows the payment as it was right after it.
import { sql } from 'kysely';

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

/** The columns that a state is made of. */
export const STATE_COLUMNS = [
  'status',
  'amountPaidMinor',
  'acceptedCount',
  'late',
  'flags',
  'failureCode',
  'authorizedMinor',
  'capturedMinor',
  'operation',
  'completedAt',
  'expiresAt',
] as const satisfies (keyof EventState)[];

/** The state of a payment's row, by what the row is called in the query. */
export function stateOf(payment: string) {
  const fields = STATE_COLUMNS.flatMap((name) => [sql.lit(name), sql.ref(`${payment}.${name}`)]);
  return sql<EventState>`jsonb_build_object(${sql.join(fields)})`;
}
