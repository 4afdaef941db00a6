// Writing creations by one statement (create.sql.ts): what goes in, and what was found instead of a free place.
import { propertiesOf } from '../database/columns.ts';
import { runStatement, type Db } from '../database/db.ts';
import { announceEvents } from '../events/record.ts';
import type { StoredAnswer } from '../http/idempotency.ts';
import { ReferenceSchema, type Reference } from './entities.ts';
import { CREATE } from './create.sql.ts';
import { PaymentSchema, type AttemptKind, type Payment } from './entities.ts';

/** What one creation writes; absent parts are null. */
export type Creation = {
  payment: Payment;
  events: { id: string; type: string }[];
  attempt: { id: string; kind: AttemptKind; dueAt: Date } | null;
  /** `body` null: the answer waits for the rail, until `inFlightUntil` at most. */
  key: { key: string; fingerprint: string; body: string | null; inFlightUntil?: Date } | null;
  /** `unusedSince`: of generated digits, which must not have been in use since then. */
  reference?: Omit<Reference, 'paymentId'> & { unusedSince: Date | null };
};

/** What was found instead of a free place: the key's answer, the twin that is under way, a closed terminal, a used reference. */
export type Found = {
  keyed: StoredAnswer | null;
  busyId: string | null;
  isTerminalClosed: boolean;
  isReferenceTaken: boolean;
};

type FoundRow = Omit<Found, 'keyed'> &
  Omit<StoredAnswer, 'fingerprint'> & { id: string; fingerprint: string | null; toWebhooks: boolean };

/** Runs the statement for all of them; answers in their order. */
export async function insertAll(db: Db, creations: Creation[]): Promise<Found[]> {
  const rows = await runStatement<FoundRow>(db, CREATE, [JSON.stringify(creations.map(rowOf))]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = creations.map(({ payment }) => byId.get(payment.id) as FoundRow);
  const news = new Map(creations.map(({ payment }, nth) => [payment.merchantId, found[nth]?.toWebhooks === true]));
  for (const [merchantId, toWebhooks] of news) announceEvents(db, { merchantId, toWebhooks, toCallback: false });
  return found.map(
    ({ fingerprint, status, body, paymentId, inFlightUntil, busyId, isTerminalClosed, isReferenceTaken }) => {
      const about = { paymentId: paymentId ?? null, inFlightUntil: inFlightUntil ?? null };
      const keyed = fingerprint === null ? null : { fingerprint, status, body, ...about };
      return { keyed, busyId, isTerminalClosed, isReferenceTaken };
    },
  );
}

const PAYMENT = propertiesOf(PaymentSchema);
const REFERENCE = propertiesOf(ReferenceSchema);

/** Named as the statement's record names its columns. */
function rowOf({ payment, events, attempt, key, reference }: Creation): object {
  return {
    payment: toRow(PAYMENT, payment),
    event_ids: events.map(({ id }) => id),
    event_types: events.map(({ type }) => type),
    attempt_id: attempt?.id,
    attempt_kind: attempt?.kind,
    attempt_due_at: attempt?.dueAt,
    key: key?.key,
    fingerprint: key?.fingerprint,
    body: key?.body,
    in_flight_until: key?.inFlightUntil,
    reference: reference && { ...toRow(REFERENCE, reference), payment_id: payment.id },
    unused_since: reference?.unusedSince,
  };
}

function toRow(columns: ReturnType<typeof propertiesOf>, entity: object): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ property, column }) => [column, (entity as Record<string, unknown>)[property]]),
  );
}
