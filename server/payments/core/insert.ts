// Inserts new payments: in a batch with concurrent creations, alone, in a caller's transaction, or several atomically.
// The result of an insert names the conflict that prevented it.
import type { Core } from '../../core.ts';
import { countCommitted, counts } from '../../metrics/counts.ts';
import { AnswerLost, repeatLost } from '../../database/unavailable.ts';
import { propertiesOf } from '../../database/columns.ts';
import { runStatement, createPoolWriter, type Db } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { announceEvents } from '../../events/record.ts';
import type { StoredAnswer } from '../../http/idempotency.ts';
import { Problem, tryLater } from '../../http/problem.ts';
import { INSERT_PAYMENTS } from './create.sql.ts';
import {
  PaymentSchema,
  ReferenceSchema,
  type Attempt,
  type AttemptKind,
  type Payment,
  type RecordedAttempt,
  type Reference,
} from './entities.ts';
import { findPayment } from './rows.ts';

/** The result of an insert without a conflict: the payment was inserted. */
export const NO_CONFLICT: InsertConflicts = {
  keyed: null,
  busyId: null,
  isTerminalClosed: false,
  isReferenceTaken: false,
};

/**
 * Inserts a payment, unless its idempotency key is used or the same push is running.
 * Concurrent creations share a statement and its commit.
 * @throws Problem reference_in_flight, idempotency_in_progress
 */
export async function insertCreation(core: Core, creation: Creation): Promise<InsertConflicts> {
  try {
    return await batchWriterOf(core)(creation);
  } catch (error) {
    // A batch fails as a whole. Each row then runs alone, which shows the row that caused the error.
    if (isFaultOfRows(error)) return insertAlone(core, creation);
    throw error;
  }
}

/**
 * Runs `write`, and repeats it if the database's response was lost. The repeat finds the payment or writes it.
 * @throws AnswerLost if the payment may exist and has an attempt: a 503 would promise that it does not exist
 */
export async function writeUntilKnown<T>(
  db: Db,
  { payment, attempt }: Pick<Creation, 'payment' | 'attempt'>,
  { write, written }: { write: () => Promise<T>; written: T },
): Promise<T> {
  const again = async () => {
    const found = await write().catch(keepProblem);
    // The conflict of the second run may come from the payment that the first run inserted.
    if (await findPayment.first(db, { id: payment.id })) return written;
    if (found instanceof Problem) throw found;
    return found;
  };
  return repeatLost(write, again).catch((error: unknown) => {
    throw error instanceof AnswerLost && !attempt ? error.cause : error;
  });
}

function keepProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/** Inserts one payment, alone or inside the caller's transaction. */
export async function insertInTransaction(db: Db, creation: Creation): Promise<InsertConflicts> {
  return (await insertAll(db, [creation]))[0] as InsertConflicts;
}

/**
 * Inserts several payments atomically, in one statement.
 * Returns null after a conflict with a concurrent request. The caller then tries again.
 */
export function insertBulk(core: Core, creations: Creation[]): Promise<InsertConflicts[] | null> {
  return insertOrRollBack(core, (db) => insertAll(db, creations)).catch((error: unknown) => {
    if (isConflict(error)) return null;
    throw error;
  });
}

/** Runs `insert` in a transaction, which rolls back if a payment was not inserted. */
export async function insertOrRollBack(
  core: Core,
  insert: (db: Db) => Promise<InsertConflicts[]>,
): Promise<InsertConflicts[]> {
  try {
    return await inTransaction(core, async (db) => {
      const found = await insert(db);
      if (!found.every(isWritten)) throw new NothingWritten(found);
      return found;
    });
  } catch (error) {
    if (error instanceof NothingWritten) return error.found;
    throw error;
  }
}

class NothingWritten extends Error {
  readonly found: InsertConflicts[];
  constructor(found: InsertConflicts[]) {
    super('nothing was written');
    this.found = found;
  }
}

/** True for the SQL errors of a conflict: a unique violation, a serialization failure or a deadlock. */
export function isConflict(error: unknown): boolean {
  return /^(23505|40001|40P01)$/.test(String((error as { code?: unknown }).code));
}

function isWritten({ keyed, busyId, isTerminalClosed, isReferenceTaken }: InsertConflicts): boolean {
  return !keyed && !busyId && !isTerminalClosed && !isReferenceTaken;
}

/**
 * A unique violation means that another request has committed first, so the second run sees that request's row.
 * Only a second violation in a row becomes a problem, which follows from the violated constraint.
 */
async function insertAlone(core: Core, creation: Creation): Promise<InsertConflicts> {
  const run = () => insertInTransaction(core, creation);
  const isDuplicate = (error: unknown) => (error as { code?: string }).code === '23505';
  try {
    return await run();
  } catch (first) {
    if (!isDuplicate(first)) throw first;
    return run().catch((second: unknown) => {
      if (!isDuplicate(second)) throw second;
      const { constraint } = second as { constraint?: string };
      if (REFERENCES.has(constraint)) return { ...NO_CONFLICT, isReferenceTaken: true };
      throw constraint === 'payments_in_flight'
        ? new Problem('reference_in_flight')
        : tryLater('idempotency_in_progress', 1);
    });
  }
}

/** The unique constraints of reference digits and of a merchant's `uniqueReferences`. */
const REFERENCES: ReadonlySet<string | undefined> = new Set(['payment_references_live', 'payments_claim']);

/** True for SQL errors after which nothing was written. After a lost connection, the commit may have succeeded. */
export function isFaultOfRows(error: unknown): boolean {
  return /^(22|23|40)[0-9A-Z]{3}$/.test(String((error as { code?: unknown }).code));
}

/** One insert statement runs at a time. Payments that arrive during the statement form the next batch. */
const BATCH = { statements: 1, rows: 64 };

const batchWriterOf = createPoolWriter<Core, Creation, InsertConflicts>(
  (core, creations) => insertAll(core, creations),
  BATCH,
);

export type Creation = {
  payment: Payment;
  events: { id: string; type: string }[];
  attempt:
    | (Pick<Attempt, 'id' | 'rail'> & { kind: AttemptKind; railKey: string | null; dueAt: Date; makerId?: string })
    | null;
  /**
   * `inFlightUntil`: the latest time until which the response waits for the rail.
   * `body`: null if the response is the created payment.
   */
  key: { key: string; fingerprint: string; body: string | null; inFlightUntil?: Date | null } | null;
  /** `unusedSince`: generated digits must not have been in use since this time. Null for the request's own digits. */
  reference?: Omit<Reference, 'paymentId'> & { unusedSince: Date | null };
};

/** The conflicts of an insert: a stored response, the same running push, a closed terminal, or a used reference. */
export type InsertConflicts = {
  keyed: StoredAnswer | null;
  busyId: string | null;
  isTerminalClosed: boolean;
  isReferenceTaken: boolean;
};

type FoundRow = Omit<InsertConflicts, 'keyed'> &
  Omit<StoredAnswer, 'fingerprint'> & { id: string; fingerprint: string | null; toWebhooks: boolean };

/** Runs the statement for all payments. Returns the conflicts of each payment, in the same order. */
async function insertAll(db: Db, creations: Creation[]): Promise<InsertConflicts[]> {
  const rows = await runStatement<FoundRow>(db, INSERT_PAYMENTS, [
    JSON.stringify(creations.map(({ payment }) => toRow(PAYMENT, payment))),
    JSON.stringify(creations.map(writtenWith)),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = creations.map(({ payment }) => byId.get(payment.id) as FoundRow);
  const news = new Map(creations.map(({ payment }, nth) => [payment.merchantId, found[nth]?.toWebhooks === true]));
  for (const [merchantId, toWebhooks] of news) announceEvents(db, { merchantId, toWebhooks, toCallback: false });
  const obstacles = found.map(obstaclesOf);
  countCommitted(db, () => {
    for (const [nth, { payment }] of creations.entries()) {
      const { paymentMethod: method, status } = payment;
      if (isWritten(obstacles[nth] as InsertConflicts)) counts.payments.inc({ method, status });
    }
  });
  return obstacles;
}

function obstaclesOf({ fingerprint, status, body, paymentId, inFlightUntil, ...found }: FoundRow): InsertConflicts {
  const { busyId, isTerminalClosed, isReferenceTaken } = found;
  const about = { paymentId: paymentId ?? null, inFlightUntil: inFlightUntil ?? null };
  const keyed = fingerprint === null ? null : { fingerprint, status, body, ...about };
  return { keyed, busyId, isTerminalClosed, isReferenceTaken };
}

export function orderOf(payment: Payment, attempt: NonNullable<Creation['attempt']>): RecordedAttempt {
  const { id, kind, dueAt } = attempt;
  const { phone, createdAt } = payment;
  const written = { id, kind, status: 'Unsent', createdAt, sentAt: createdAt, dueAt } as const;
  return { payment, attempt: { ...attempt, phone, createdAt }, written };
}

const PAYMENT = propertiesOf(PaymentSchema);
const REFERENCE = propertiesOf(ReferenceSchema);

/** Builds the columns of the statement's second record set (create.sql.ts). */
function writtenWith({ payment, events, attempt, key, reference }: Creation): object {
  return {
    event_ids: events.map(({ id }) => id),
    event_types: events.map(({ type }) => type),
    attempt_id: attempt?.id,
    attempt_kind: attempt?.kind,
    attempt_rail: attempt?.rail,
    attempt_key: attempt?.railKey,
    attempt_due_at: attempt?.dueAt,
    key: key?.key,
    fingerprint: key?.fingerprint,
    body: key?.body,
    in_flight_until: key?.inFlightUntil,
    reference_row: reference && { ...toRow(REFERENCE, reference), payment_id: payment.id },
    unused_since: reference?.unusedSince,
  };
}

/** Returns an entity's values by column name, without nulls. */
function toRow(columns: ReturnType<typeof propertiesOf>, entity: object): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const { property, column } of columns) {
    const value = (entity as Record<string, unknown>)[property];
    if (value !== null && value !== undefined) row[column] = value;
  }
  return row;
}
